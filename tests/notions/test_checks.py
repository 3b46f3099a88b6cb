from pathlib import Path

import pytest

from likeness.notions import check, list_notions

COLOR = ["a {} car"]
WORDS = {
    "color": {"red", "blue", "green"},
    "wall color": {"red", "blue", "green"},
    "body": {"suv", "van"},
    "side": {"front", "left"},
    "light": {"left"},
}


def test_no_notion_that_ships_gives_a_warning_and_their_words_are_known() -> None:
    for notion in list_notions(Path("no-such-folder")):
        assert check(notion.templates, notion.aspects) == [], notion.name
    assert [warning.kind for warning in check(COLOR, ["red suv", "blue", "teal"])] == ["mixed"]


@pytest.mark.parametrize(
    ("aspects", "kind", "rows", "said"),
    [
        (["red", "", "blue", "  "], "empty", (1, 3), "2 rows are empty and ignored."),
        (["red", "blue", " red"], "duplicate", (0, 2), "'red' is listed 2 times, so it weighs 2 times as much; keep one"),
        (["Dark red", "blue", "dark  red"], "variant", (0, 2), "'Dark red' and 'dark  red' differ only in case or spaces"),
        (["a red car", "a blue car"], "whole prompt", (0, 1), "enter only what varies"),
        (["red", "a blue one"], "whole prompt", (1,), "enter only what varies"),
        (["red car", "blue"], "whole prompt", (0,), "enter only what varies"),
        (["red suv", "blue", "green"], "mixed", (0,), "'red suv' also says something about body ('suv')"),
        (["red suv", "blue van", "green van"], "mixed", (0, 1, 2), "about body ('suv') (2 other aspects do so too)"),
        (["red", "blue, front left"], "mixed", (1,), "about side ('front' and 'left')"),
        (["suv", "van", "red van"], "mixed", (2,), "about color ('red')"),
        (["red", "blue", "color that grass has in late spring"], "length", (2,), "has 7 words where 1 is usual"),
    ],
)
def test_what_is_wrong_is_said_of_its_rows(aspects: list[str], kind: str, rows: tuple[int, ...], said: str) -> None:
    (warning,) = check(COLOR, aspects, WORDS)
    assert (warning.kind, warning.rows) == (kind, rows)
    assert said in warning.message


@pytest.mark.parametrize(
    "aspects",
    [
        ["red", "crimson", "light blue", "green"],
        ["red van", "blue van", "green van"],  # the word stands everywhere, so it does not vary
        ["front", "left", "front left"],  # "left" is a word of the light too, but the notion is about the side
        ["red panda", "dog", "cat"],  # about nothing that is known; one of three happens to hold a known word
    ],
)
def test_good_aspects_give_no_warning(aspects: list[str]) -> None:
    assert check(COLOR, aspects, WORDS) == []
