"""`likeness notion` and `likeness analyze sentences`."""

from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.errors import InputError
from likeness.notions import read_notion
from likeness.studies import notion_sentences, sentence_table


def _run(*words: str) -> str:
    result = CliRunner().invoke(command_line(), [*words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_what_is_held_what_varies_and_how_many_images_each_aspect_takes(tmp_path: Path) -> None:
    printed = _run("notion", "same car color", "cars", "--out", str(tmp_path / "color.yaml"))
    assert "held: car; varies: color; aspects from the list 'colors'" in printed
    assert "black (220)" in printed
    assert "left out, the encoder does not know these words: gold, beige, brown" in printed
    notion = read_notion(tmp_path / "color.yaml")
    assert (notion.name, notion.template) == ("car color", "a {} car")
    assert "black" in notion.aspects


def test_without_images_the_list_is_printed() -> None:
    assert "spring, summer, autumn, winter" in _run("notion", "same season")


def test_a_sentence_that_says_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="names nothing that can vary"):
        command_line()(["notion", "the the", "cars"], standalone_mode=False)


def test_the_study_prints_the_ratio_and_writes_every_run(tmp_path: Path) -> None:
    out = tmp_path / "runs.csv"
    printed = _run("analyze", "sentences", "cars", "--encoder", "cars-small", "--notions", "distance", "--seeds", "2", "--out", str(out))
    assert "Median of the ratios: " in printed
    runs = pd.read_csv(out)
    assert {"raw", "hand-written", "sentence", "sentence, not pruned", "another sentence"} <= set(runs["aspects_of"])
    means = runs.groupby("aspects_of")["map_at_r"].mean()
    assert means["sentence"] > means["raw"]
    assert means["sentence"] > means["another sentence"]
    assert sentence_table(runs)["ratio"].item() == pytest.approx(means["sentence"] / means["hand-written"])


def test_every_sentence_stands_under_the_name_of_a_notion() -> None:
    from likeness.notions import list_notions, shipped_folder

    assert set(notion_sentences()) <= {notion.name for notion in list_notions(shipped_folder())}
