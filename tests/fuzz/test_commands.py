"""Every command with drawn arguments: one line and status 2, never a traceback. `long.py` tries as many as time allows."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from command_fuzz import attack_commands, wrong
from command_lines import command_line, commands

_COMMANDS = commands()
_SOME, _ALL = 2, len(_COMMANDS)
_SECONDS = 600.0


@pytest.mark.parametrize(("first", "calls"), [(0, _SOME), pytest.param(_SOME, _ALL - _SOME, marks=pytest.mark.long)], ids=["some", "more"])
def test_drawn_command_lines_are_answered_in_one_line(first: int, calls: int, tmp_path: Path) -> None:
    tried, found = attack_commands(tmp_path / "calls", first, calls, _SECONDS)
    assert not found, "\n\n".join(f"{each.case}, seed {each.seed}: {each.what}" for each in found)
    assert tried == calls


def test_every_option_of_every_command_is_drawn() -> None:
    import random

    for words, command in _COMMANDS.items():
        drawn = {each for seed in range(400) for each in command_line(words, command, random.Random(seed))}
        for parameter in command.params:
            if parameter.param_type_name != "argument" and parameter.name != "help":
                assert drawn & {*parameter.opts, *parameter.secondary_opts}, (words, parameter.name)


def test_what_is_wrong_with_an_answer_is_told() -> None:
    assert wrong(0, "") == wrong(2, "Error: this is none; name another.\n") == wrong(130, "Stopped.\n") == wrong(1, "", "gone") == ""
    assert wrong(1, "")
    assert wrong(2, "")
    assert wrong(2, "Error: a\nError: b\n")
    assert wrong(0, 'Traceback (most recent call last):\n  File "x"\nKeyError: 1\n')
    assert wrong(-9, "")
    assert wrong(-11, "")
    assert wrong(2, f"Error: {'x' * 5000}\n")


def test_a_process_of_its_own_answers_alike(tmp_path: Path) -> None:
    """Beside the forked calls one as a person makes it: an unreadable name of a file, in bytes that are no text, and a question to nobody."""
    call = [sys.executable, "-m", "likeness"]
    found = subprocess.run([*call, "fit", b"\xff.yaml", "--out", tmp_path / "U.npy"], capture_output=True, timeout=300, check=False)
    assert (found.returncode, wrong(found.returncode, found.stderr.decode())) == (2, "")
    for words in (["admin", "delete", "ada"], ["admin", "password", str(tmp_path / "people"), "ada"]):
        nobody = subprocess.run([*call, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False, start_new_session=True)
        assert (nobody.returncode, wrong(nobody.returncode, nobody.stderr.decode())) == (2, "")
    closed = subprocess.run(["sh", "-c", '"$@" <&- >&-', "sh", *call, "admin", "delete", "ada"], capture_output=True, timeout=300, check=False)
    assert (closed.returncode, wrong(closed.returncode, closed.stderr.decode())) == (2, "")
    many = subprocess.run([*call, "analyze", "embedding-size", "--seeds", "9" * 30], capture_output=True, timeout=300, check=False)
    assert (many.returncode, wrong(many.returncode, many.stderr.decode())) == (2, "")


@pytest.mark.parametrize("words", [["kinds", "objectives"], ["admin", "list"]])
def test_a_reader_that_goes_is_no_error(words: list[str], tmp_path: Path) -> None:
    command, settings = [sys.executable, "-m", "likeness", *words], os.environ | {"LIKENESS_CACHE": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=settings) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read().decode()
        assert wrong(process.wait(300), errors, "gone") == ""
