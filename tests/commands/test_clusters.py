"""`likeness clusters` and `python -m experiments.analyses cluster-names`."""

from pathlib import Path

import pandas as pd
from typer.testing import CliRunner

from likeness.commands.cli import command_line

run = CliRunner()


def test_clusters_of_a_notion_are_named_by_its_aspects(tmp_path: Path) -> None:
    out = tmp_path / "clusters.csv"
    result = run.invoke(command_line(), ["clusters", "cars", "--notion", "car-color", "--depths", "1", "--out", str(out), "--format", "csv"])
    assert result.exit_code == 0, result.output
    written = pd.read_csv(out)
    named = written[~written["cluster 1"].str.startswith("unnamed")]
    # the encoder sees the color: most images are in a cluster that is called as they are
    assert (named["cluster 1"] == named["car_color"]).mean() > 0.7
    assert "depth,cluster,parent,name,words,confidence,count" in result.output


def test_own_words_and_attributes(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("red\nblue\n\nblack\n")
    result = run.invoke(command_line(), ["clusters", "cars", "--depths", "1", "--words", str(words), "--format", "csv"])
    assert result.exit_code == 0, result.output
    result = run.invoke(command_line(), ["clusters", "cars", "--depths", "1", "--by", "body_type", "--format", "csv"])
    assert result.exit_code == 0, result.output
