"""What makes a notion's fit worse than it looks is told wherever one is fitted."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import likeness as lk
from likeness.commands.cli import command_line
from likeness.encoders import text_warnings, unread_words
from likeness.errors import InputError
from likeness.io import plain_name
from likeness.notion_check import notion_warnings
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


LONG = "red " * 41 + "car"


def test_prompts_that_are_cut_are_named_with_their_tokens() -> None:
    found = notion_warnings(Notion("long", f"a {LONG} in {{}}", ["rain", "snow"]), "cars")
    assert any("reads the first 32 tokens of a text, and 2 texts have more, up to 47 in “a red red" in sentence for sentence in found)
    assert text_warnings("cars", [LONG]) == [
        f"The encoder reads the first 32 tokens of a text, and “{plain_name(LONG)}” has 44: its end is cut off; shorten it."
    ]
    assert text_warnings("cars", ["a red car"]) == []


@pytest.mark.parametrize(
    ("template", "aspects", "reason"),
    [
        (
            f"a {LONG} in {{}}",
            ["front of a black house", "front of a white house"],
            "reads the first 32 tokens of a text, and 2 texts have more, up to",
        ),
        ("a {}", ["qwxz", "frobnicate"], "does not know frobnicate, qwxz"),
    ],
)
def test_prompts_that_are_all_the_same_to_the_encoder_are_refused_with_the_reason(template: str, aspects: list[str], reason: str) -> None:
    with pytest.raises(InputError, match=f"All prompts of 'x' are the same to the encoder, so nothing varies.*{reason}"):
        lk.embed(lk.read("cars"), "cars").refit(Notion("x", template, aspects))


@pytest.mark.parametrize(
    ("text", "said", "status"),
    [
        ("a red car", None, 0),
        ("a red frobnicate", "Note: The encoder does not know frobnicate and reads a blank instead.", 0),
        ("a red car 🚗", "Note: The encoder does not know 🚗 and reads a blank instead.", 0),
        (LONG, "Note: The encoder reads the first 32 tokens of a text", 0),
        ("🚗", "The encoder knows no word of '🚗'; search with other words, or by image.", 1),
        ("qwxz frobnicate", "The encoder knows no word of 'qwxz frobnicate'", 1),
        (" ", "The text is empty; describe what to look for", 1),
    ],
)
@pytest.mark.parametrize("command", ["search", "query", "matches"])
def test_a_search_says_what_of_its_text_is_not_read(command: str, text: str, said: str | None, status: int) -> None:
    asked = {"search": ["search", "cars", "--text", text], "query": ["search", "cars", "--query", f'row:3 + "{text}"']}
    asked["matches"] = ["matches", "cars", "--text", text, "--ask", "0"]
    found = CliRunner().invoke(command_line(), asked[command])
    assert (found.exit_code, said is None or said in f"{found.stderr}{found.exception}") == (status, True), found.output
    assert isinstance(found.exception, InputError | None)
    assert "Note" not in found.stdout
    if said is None:
        assert "Note" not in found.stderr
