"""`likeness notion` and `python -m experiments.analyses sentences`."""

from pathlib import Path

from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.data import read_dataset
from likeness.notions import read_notion


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


def test_answers_about_pairs_of_images_change_the_words(tmp_path: Path) -> None:
    printed = _run("notion", "same color", "cars", *_by_background(), "--out", str(tmp_path / "meant.yaml"))
    assert "The answers fit 'car background color' better: black" in printed
    notion = read_notion(tmp_path / "meant.yaml")
    assert (notion.name, len(notion.clicks)) == ("car background color", 4)
    assert "The words fit the answers as they are." in _run("notion", "same color", "cars", "--unlike", "0,1")


def _by_background() -> list[str]:
    frame = read_dataset("cars").frame
    same = frame["background_color"] == frame["background_color"][0]
    others = frame.index[~same & (frame["car_color"] == frame["car_color"][0])][:2]
    return [word for option, rows in (("--alike", frame.index[same][1:3]), ("--unlike", others)) for row in rows for word in (option, f"0,{row}")]
