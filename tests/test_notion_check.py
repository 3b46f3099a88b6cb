"""What makes a notion's fit worse than it looks is told wherever one is fitted."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.notion_check import notion_warnings, unread_words
from likeness.notions import Notion, get_notion, list_notions, notion_encoder, write_notion

ODD = Notion("odd", "a {} car", ["red", "blue", "blue", "frobnicate", "a green car"])


def test_what_ships_is_read_without_a_warning() -> None:
    for notion in list_notions(Path("no-such-folder")):
        assert notion_warnings(notion, notion_encoder(notion)) == [], notion.name


def test_repeated_aspects_whole_prompts_and_unknown_words_are_named() -> None:
    found = notion_warnings(ODD, "cars")
    assert [sum(word in sentence for sentence in found) for word in ("'blue' is listed 2 times", "repeats words of the template", "frobnicate")] == [
        1
    ] * 3
    assert not any("frobnicate" in sentence for sentence in notion_warnings(ODD))


def test_every_notion_that_is_joined_is_looked_at() -> None:
    assert notion_warnings(get_notion("car color") - ODD, "cars") == notion_warnings(ODD, "cars")


def test_many_words_are_cut() -> None:
    assert unread_words([]) == ""
    assert unread_words(["x", "y"]) == "The encoder does not know x, y and reads a blank instead."
    assert unread_words([str(number) for number in range(9)]) == "The encoder does not know 0, 1, 2, 3, 4, 5 ... and reads a blank instead."


@pytest.mark.parametrize(
    ("words", "notes"),  # a search has images, too, and says whether they can be relied on
    [(["fit", "{}", "--encoder", "cars"], 3), (["search", "cars", "--row", "1", "--notion", "{}"], 4)],
    ids=["fit", "search"],
)
def test_commands_tell_it_beside_their_answer(words: list[str], notes: int, tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    write_notion(file, ODD)
    found = CliRunner().invoke(command_line(), [word.replace("{}", str(file)) for word in words])
    assert found.exit_code == 0, found.output
    assert found.stderr.count("Note: ") == notes
    assert "Note: The encoder does not know frobnicate and reads a blank instead." in found.stderr
    assert "Note" not in found.stdout
