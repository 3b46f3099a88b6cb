"""All experiments from one help: each is listed, runs as a module, and answers bad input in one line."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from experiments.command_line import EXPERIMENTS, command_line

Run = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_runs_as_a_module(name: str) -> None:
    done = subprocess.run([sys.executable, "-m", f"experiments.{name}", "--help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"Usage: python -m experiments {name}" in done.stdout


def test_the_help_shows_each(run: Run) -> None:
    status, printed, _ = run("--help")
    assert status == 0
    assert all(f"│ {name} " in printed for name in EXPERIMENTS)


def _leaves(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    for each in getattr(command, "commands", {}).values():
        yield from _leaves(each, f"{name} {each.name}")
    if not hasattr(command, "commands"):
        yield name, command


def test_every_place_to_write_is_tried_before_the_work() -> None:
    found = dict(_leaves(typer.main.get_command(command_line()), ""))
    assert len(found) > 15
    for name, command in found.items():
        for option in command.params:
            writes = option.name in ("out", "save") or (option.name == "folder" and name in (" renders", " clip train", " photos"))
            assert not writes or option.callback is not None, f"{name} --{option.name}: give it output_file or output_folder as callback"


@pytest.mark.parametrize("words", [["renders"], ["clip", "train"], ["captioning", "train", "cars-captions", "--out"]], ids=" ".join)
def test_where_nothing_can_be_written_no_work_begins(words: list[str], run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    status, _, err = run(*words, str(tmp_path / "file" / "x"))
    assert (status, err.count("\n")) == (2, 1)
    assert "cannot be written" in err


@pytest.mark.parametrize("words", [["renders", "new", "--seed", "-1"], ["clip", "train", "new", "--seed", "-1"]], ids=" ".join)
def test_numbers_out_of_bounds_are_answered(words: list[str], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, err = run(*words)
    assert status == 2
    assert "Invalid value for" in err
    assert list(tmp_path.iterdir()) == []
