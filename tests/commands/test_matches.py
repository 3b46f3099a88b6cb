"""`likeness matches` and `python -m experiments.analyses cut-offs`."""

from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.data import read_dataset
from likeness.errors import InputError

_QUERY = ("matches", "cars", "--encoder", "cars-small", "--text", "a red car", "--notion", "car-color")


def _run(*words: str) -> str:
    result = CliRunner().invoke(command_line(), [*words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def _refused(*words: str) -> str:
    with pytest.raises(InputError) as error:
        command_line()([*words], standalone_mode=False)
    return str(error.value)


def test_answers_are_asked_for_in_a_file_and_lead_to_a_promise(tmp_path: Path) -> None:
    answers, out = tmp_path / "answers.csv", tmp_path / "matches.csv"
    colors = read_dataset("cars").frame.set_index("path")["car_color"]
    assert "guess from the scores alone" in _run(*_QUERY, "--answers", str(answers))
    for _ in range(5):
        lines = pd.read_csv(answers, dtype=str, keep_default_na=False)
        assert (lines["label"] == "").sum() >= 5
        lines["label"] = ["yes" if colors[path] == "red" else "No" for path in lines["path"]]
        lines.to_csv(answers, index=False)
        printed = _run(*_QUERY, "--answers", str(answers), "--ask", "12", "--out", str(out))
    assert "Promised: of the first " in printed
    found = pd.read_csv(out)
    assert (found["car_color"] == "red").mean() > 0.8
    assert (found.loc[found["promised"], "car_color"] == "red").mean() >= 0.9
    assert found["promised"].sum() > 20


def test_the_file_of_answers_keeps_what_people_wrote_into_it(tmp_path: Path) -> None:
    """Further columns, and the words; lines that say nothing make room for the images to ask next."""
    file = tmp_path / "answers.csv"
    paths = read_dataset("cars").frame["path"].tolist()
    file.write_text(f'path,label,remark\n{paths[3]}, Yes ,"sure, by day"\n{paths[5]},,to ask Ada\n{paths[6]},,\n')
    _run(*_QUERY, "--answers", str(file), "--ask", "3")
    lines = pd.read_csv(file, dtype=str, keep_default_na=False)
    assert lines.columns.tolist() == ["path", "label", "remark"]
    assert lines.iloc[:2].to_numpy().tolist() == [[paths[3], " Yes ", "sure, by day"], [paths[5], "", "to ask Ada"]]
    assert len(lines) == 5
    assert not lines["path"].duplicated().any()
    assert (lines["label"][2:] == "").all()


def test_what_cannot_be_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    assert "exactly one of --text, --image" in _refused("matches", "cars")
    assert "There is no file" in _refused("matches", "cars", "--image", "nope.png")
    assert "fdr is 0" in _refused(*_QUERY, "--fdr", "0")
    file.write_text("path,label\nimages/00001.webp,perhaps\n")
    assert "'perhaps'" in _refused(*_QUERY, "--answers", str(file))
    file.write_text("path,label\nnope.webp,yes\n")
    assert "which is no image of" in _refused(*_QUERY, "--answers", str(file))
    assert "weights below 0" in _refused("matches", "cars", "--query", 'row:3 + "red"', "--negative", "a van")
