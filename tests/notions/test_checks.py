from pathlib import Path

import pytest

from likeness.io.paths import assets_dir
from likeness.notions import NotionWarning, check, read_notion

COLOR = ["a {} car"]
WORDS = {
    "color": {"red", "blue", "green"},
    "wall color": {"red", "blue", "green"},
    "body": {"suv", "van"},
    "side": {"front", "left"},
    "light": {"left"},
}


def only(aspects: list[str], templates: list[str] = COLOR) -> NotionWarning:
    (warning,) = check(templates, aspects, WORDS)
    return warning


def test_good_aspects_give_no_warning() -> None:
    assert check(COLOR, ["red", "crimson", "light blue", "green"], WORDS) == []


@pytest.mark.parametrize("path", sorted((assets_dir() / "notions").glob("*.yaml")), ids=lambda path: path.stem)
def test_no_notion_that_ships_gives_a_warning(path: Path) -> None:
    notion = read_notion(path)
    assert check(notion.templates, notion.aspects) == []


def test_blank_repeated_and_nearly_repeated_rows() -> None:
    warning = only(["red", "", "blue", "  "])
    assert (warning.kind, warning.rows) == ("empty", (1, 3))
    assert warning.message == "2 rows are empty and left out."
    warning = only(["red", "blue", " red"])
    assert (warning.kind, warning.rows) == ("duplicate", (0, 2))
    assert "'red' is listed 2 times, so it weighs 2 times as much; keep one" in warning.message
    warning = only(["Dark red", "blue", "dark  red"])
    assert (warning.kind, warning.rows) == ("variant", (0, 2))
    assert "'Dark red' and 'dark  red' differ only in capitals or spaces" in warning.message


@pytest.mark.parametrize("aspects", [["a red car", "a blue car"], ["red", "a blue one"], ["red car", "blue"]])
def test_whole_prompts(aspects: list[str]) -> None:
    warning = only(aspects)
    assert warning.kind == "whole prompt"
    assert "write only what varies" in warning.message


@pytest.mark.parametrize(
    ("aspects", "rows", "said"),
    [
        (["red suv", "blue", "green"], (0,), "'red suv' also says something about body ('suv')"),
        (["red suv", "blue van", "green van"], (0, 1, 2), "about body ('suv') (2 other aspects do so too)"),
        (["red", "blue, front left"], (1,), "about side ('front' and 'left')"),
        (["suv", "van", "red van"], (2,), "about color ('red')"),
    ],
)
def test_a_second_attribute_in_some_aspects(aspects: list[str], rows: tuple[int, ...], said: str) -> None:
    warning = only(aspects)
    assert (warning.kind, warning.rows) == ("mixed", rows)
    assert said in warning.message


@pytest.mark.parametrize(
    "aspects",
    [
        # the word stands everywhere, so it does not vary
        ["red van", "blue van", "green van"],
        # "left" is a word of the light too, but the notion is about the side
        ["front", "left", "front left"],
        # about nothing that is known; one of three happens to hold a known word
        ["red panda", "dog", "cat"],
    ],
)
def test_what_is_not_a_second_attribute(aspects: list[str]) -> None:
    assert check(COLOR, aspects, WORDS) == []


def test_the_words_of_the_notions_that_ship_are_known() -> None:
    kinds = [warning.kind for warning in check(COLOR, ["red suv", "blue", "teal"])]
    assert kinds == ["mixed"]


def test_an_aspect_of_unusual_length() -> None:
    warning = only(["red", "blue", "color that grass has in late spring"])
    assert (warning.kind, warning.rows) == ("length", (2,))
    assert "has 7 words where 1 is usual" in warning.message
