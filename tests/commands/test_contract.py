"""What holds for every command: a file of its own, help from there, and one line in the list."""

import importlib
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from commands.bad_inputs import BAD_INPUTS, BY_THEMSELVES, make_places
from commands.test_column_options import COMMANDS as LEAVES
from likeness.commands import cli
from likeness.commands.kinds import KINDS
from likeness.commands.listed_help import LISTS, fill, writes_file
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


@pytest.mark.parametrize(("line", "said"), BY_THEMSELVES, ids=[line for line, _ in BY_THEMSELVES])
def test_what_a_line_alone_refuses_is_refused_before_images_are_read(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: str
) -> None:
    def reached(*_: Any, **__: Any) -> None:
        pytest.fail("images are read, or an encoder is loaded")

    for place in ("data.read_dataset", "data.read_remote_folder", "embedding.embed", "encoders.embed_texts", "encoders.load_encoder"):
        monkeypatch.setattr(f"likeness.{place}", reached)
    places = make_places(tmp_path)
    monkeypatch.chdir(tmp_path)
    status, _, err = run(*shlex.split(line.format(**places)))
    assert (status, len(err.splitlines())) == (2, 1), err
    assert said.format() in err


WRITERS = [(name, param.name) for name, command in LEAVES.items() for param in command.params if writes_file(param)]
_OTHERS = {"to": "raw"}  # what a command needs beside the file; anything else is called x


def _line(name: str, chosen: str, file: Path) -> tuple[list[str], list[str]]:
    """The words of a command line in which one option or argument names the file to write: the command's, and its own."""
    words: list[str] = []
    own = next(param for param in LEAVES[name].params if param.name == chosen)
    for param in LEAVES[name].params:
        is_argument, flag = param.param_type_name == "argument", max(param.opts, key=len)
        if param is own:
            words += [str(file)] if is_argument else [flag, str(file)]
        elif param.required:
            words += ["x"] if is_argument else [flag, _OTHERS.get(param.name, "x")]
    return name.split(), words


def test_the_commands_that_write_files_are_these() -> None:
    assert len(WRITERS) > 25
    places = {"out", "save", "plot", "file", "labels", "queue", "keep_list", "drop_list", "report"}
    assert {param for _, param in WRITERS} == places
    for name, command in LEAVES.items():
        named = [param.name for param in command.params if re.search(r"\bto write\b|File for", getattr(param, "help", None) or "")]
        assert all((name, each) in WRITERS for each in named if name not in _OWN_WAY), f"{name}: declare {named} with output_file"


_OWN_WAY = {"export", "runs export", "runs mix", "admin export", "admin backup"}  # these never replace anything


@pytest.mark.parametrize(("name", "param"), WRITERS, ids=[f"{name} {param}" for name, param in WRITERS])
def test_a_file_that_exists_is_kept_unless_the_line_says_force(run: Run, tmp_path: Path, name: str, param: str) -> None:
    file = tmp_path / "taken.html"
    file.write_bytes(b"mine")
    command, words = _line(name, param, file)
    status, out, err = run(*command, *words)
    assert (status, out) == (2, "")
    assert err == f"Error: '{file}' exists; name another file, or add --force to replace it.\n"
    for line in (["--force", *words], [*words, "--force"]):
        assert LEAVES[name].make_context(name, line).params[param] == file
    file.unlink()
    assert LEAVES[name].make_context(name, [*words]).params[param] == file  # which takes the words out of its list
    file.symlink_to(tmp_path / "gone")
    assert "exists; name another file" in run(*command, *words)[2]
    assert list(tmp_path.iterdir()) == [file]


def test_with_force_a_file_is_replaced(ok: Any, tmp_path: Path) -> None:
    (tmp_path / "U.npy").write_bytes(b"mine")
    ok("fit", "car-color", "--force", "--out", tmp_path / "U.npy")
    assert (tmp_path / "U.npy").read_bytes().startswith(b"\x93NUMPY")


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
SHOWN |= {
    "datasets": "synthetic-poses",
    "formats": "coco",
    "labels": "pose",
    "language-models": "minilm",
    "encoders": "timm",
    "targets": "coco",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_shows_what_is_listed(kind: str, ok: Any) -> None:
    shown, _ = ok("kinds", kind, "--format", "csv")
    assert SHOWN[kind] in [line.partition(",")[0] for line in shown.splitlines()]
