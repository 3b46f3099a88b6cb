"""What holds for every command: a file of its own, help from there, and one line in the list."""

import importlib
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from commands.bad_inputs import BAD_INPUTS, make_places
from likeness.commands import cli
from likeness.commands.kinds import KINDS
from likeness.commands.listed_help import LISTS, fill
from worlds import Run

FOLDER = Path(cli.__file__).parent


def name_of(command: Any) -> str:
    return str(command.info.name if isinstance(command, typer.Typer) else command.__name__.replace("_", "-"))


def help_of(command: Any) -> str:
    return str(command.info.help if isinstance(command, typer.Typer) else command.__doc__)


COMMANDS = [command for commands in cli.COMMANDS.values() for command in commands]


@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_a_command_has_a_file_and_help_of_its_own(command: Any) -> None:
    name = name_of(command)
    file = FOLDER / f"{name.replace('-', '_')}.py"
    assert f"`likeness {name}`" in file.read_text(encoding="utf-8").partition("\n")[0]
    assert re.match(r"[A-Z].+[.?)]", help_of(command).strip().splitlines()[0])
    if not isinstance(command, typer.Typer):
        assert Path(command.__code__.co_filename) == file


def test_the_help_shows_each_command_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    _, out, _ = run("--help")
    shown = re.findall(r"^│ ([a-z][a-z-]+) ", out, re.MULTILINE)
    assert sorted(shown) == sorted(name_of(command) for command in COMMANDS)


def test_one_that_is_listed_is_in_the_help_and_runs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def count_words(text: str) -> None:
        """Count the words of a text."""
        typer.echo(len(text.split()))

    monkeypatch.setattr(cli, "COMMANDS", cli.COMMANDS | {"Mine": (count_words,)})
    assert re.search(r"count-words +Count the words of a text\.", run("--help")[1])
    assert run("count-words", "a red car") == (0, "3\n", "")


def test_every_list_in_a_help_is_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No command shows a place for a list that nobody fills."""
    monkeypatch.setenv("COLUMNS", "200")
    written = {place for file in FOLDER.glob("*.py") for place in re.findall(r"\{[a-z ]+\}", _help_texts(file))}
    assert written == set(LISTS)
    for place in LISTS:
        assert "`" in fill(place)
        assert place not in fill(place)


def _help_texts(file: Path) -> str:
    return " ".join(re.findall(r'help="([^"]*)"', file.read_text(encoding="utf-8")))


@pytest.mark.parametrize(("old", "new"), cli.MOVED.items())
def test_an_old_name_answers_with_the_new_one(old: str, new: str, run: Run) -> None:
    status, _, err = run(*old.split(), "cars", "--out", "x.csv")
    assert (status, len(err.splitlines())) == (2, 1)
    assert f"`likeness {old}` is now `{new}`" in err


@pytest.mark.parametrize(("line", "said"), BAD_INPUTS, ids=[line for line, _ in BAD_INPUTS])
def test_bad_input_is_answered_by_one_line_that_names_it_before_anything_is_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: str
) -> None:
    places = make_places(tmp_path)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    status, _, err = run(*shlex.split(line.format(**places)))
    assert status == 2
    assert said.format() in " ".join(err.split())
    assert len([each for each in err.splitlines() if each.startswith("Error: ")]) == 1
    assert "Traceback" not in err
    assert list((tmp_path / "here").iterdir()) == []
    assert Path(places["taken"]).read_text() == "mine"


def test_the_page_of_the_commands_is_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER.parents[2] / "docs"))
    write_cli = importlib.import_module("write_cli")
    assert write_cli.PAGE.read_text(encoding="utf-8") == write_cli.page()


SHOWN = {"objectives": "multisimilarity", "miners": "distance-weighted", "methods": "random-transform", "metrics": "recall_at_{k}"}
SHOWN |= {"datasets": "synthetic-poses", "labels": "pose", "language-models": "minilm", "encoders": "timm", "engines": "ivf", "targets": "coco"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_shows_what_is_listed(kind: str, ok: Any) -> None:
    shown, _ = ok("kinds", kind, "--format", "csv")
    assert SHOWN[kind] in [line.partition(",")[0] for line in shown.splitlines()]
