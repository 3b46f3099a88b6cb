"""The Dockerfile is short, copies what is there, installs from the locks alone, and starts the app with options that exist."""

import json
import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
import typer
from packaging.specifiers import SpecifierSet

from likeness.commands.cli import command_line

ROOT = Path(__file__).resolve().parents[1]
_FILE = ROOT / "Dockerfile"
_STEPS = [
    (word, " ".join(rest))
    for word, *rest in (line.split() for line in re.sub(r"\\\n", " ", _FILE.read_text()).splitlines() if line and not line.startswith("#"))
]
# stands for `pip` and `uv`: writes its arguments, and the content of the files of requirements that it is given
_STUB = """#!/bin/sh
echo "$(basename "$0") $*" >> "$RECORD"
for each in "$@"; do case "$each" in *.txt) sed 's/^/    /' "$each" >> "$RECORD";; esac; done
"""


def _steps(word: str) -> list[str]:
    return [rest for each, rest in _STEPS if each == word]


def _context() -> set[str]:
    """What .dockerignore leaves of the top level: it refuses everything but what it names."""
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    named = [line.removeprefix("!") for line in lines if line.startswith("!")]
    assert [each for each in named if not list(ROOT.glob(each))] == []
    return {path.name for each in named for path in ROOT.glob(each)}


def test_it_is_short_and_copies_what_is_there() -> None:
    assert len(_FILE.read_text().splitlines()) <= 20
    copied = {source for step in _steps("COPY") for source in step.split()[:-1]}
    assert copied - {"."} <= _context()
    assert {"constraints.txt", "pyproject.toml", "core", "app", "assets", "README.md", "LICENSE"} <= _context()  # what the wheel is built from
    assert not {".git", ".venv", "tests", "experiments", "runs"} & _context()


def test_its_python_is_one_that_the_package_takes() -> None:
    given = dict(step.split("=") for step in _steps("ARG"))
    assert _steps("FROM") == ["python:$PYTHON"]
    required = SpecifierSet(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"])
    assert given["PYTHON"].partition("-")[0] in required


def test_it_starts_the_app_as_a_user_of_its_own_below_a_folder_that_is_kept() -> None:
    command = json.loads(_steps("CMD")[0])
    app = typer.main.get_command(command_line()).commands[command[1]]
    known = {name for option in app.params for name in option.opts}
    assert {word for word in command if word.startswith("--")} <= known
    assert command[command.index("--port") + 1] == _steps("EXPOSE")[0]
    assert "--no-token" not in command  # everyone on the network of the container reaches it
    assert (_steps("USER"), _steps("VOLUME")) == (["likeness"], ["/data"])
    folders = dict(each.split("=") for each in shlex.split(_steps("ENV")[0]))
    assert {"LIKENESS_CACHE", "LIKENESS_RUNS", "HF_HOME"} <= set(folders)
    assert {Path(folder).parts[1] for folder in folders.values()} == {"data"}


@pytest.mark.parametrize("torch", ["cpu", "cuda"])
def test_all_that_it_installs_has_a_hash_of_the_lock_but_torch_for_other_devices(tmp_path: Path, torch: str) -> None:
    """Its own lines run, with programs that only write down what they are told in place of pip and uv."""
    record, programs, source = tmp_path / "record", tmp_path / "bin", tmp_path / "source"
    programs.mkdir()
    source.mkdir()
    for name in ("pip", "uv", "useradd", "install"):
        (programs / name).write_text(_STUB)
        (programs / name).chmod(0o755)
    for name in ("constraints.txt", "constraints-uv.txt"):
        (source / name).write_bytes((ROOT / name).read_bytes())
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "RECORD": str(record), "TORCH": torch}
    for step in _steps("RUN"):
        subprocess.run(["sh", "-ec", step], cwd=source, env=environment, check=True)
    calls = re.split(r"^(?=pip |uv |useradd |install )", record.read_text(), flags=re.MULTILINE)[1:]
    installs = [each for each in calls if " install " in each.partition("\n")[0]]
    uv, lock, *devices, own = installs
    assert all("--require-hashes" in each for each in (uv, lock))
    assert "--no-deps --no-build-isolation ." in own.partition("\n")[0]
    locked = re.findall(r"^    ([a-z0-9.-]+)==\S+(.*)", lock, re.MULTILINE)
    assert all(rest.endswith("\\") for _, rest in locked)  # a hash follows each
    everything = re.findall(r"^([a-z0-9.-]+)==", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    of_devices = [name for name in everything if name not in [each for each, _ in locked]]
    if torch == "cuda":
        assert (of_devices, devices) == ([], [])
        return
    (build,) = devices
    assert "--torch-backend cpu" in build
    assert all(re.fullmatch(r"torch|torchvision|triton|nvidia-.*|cuda-.*", name) for name in of_devices)
    versions = re.findall(r"^((?:torch|torchvision)==[0-9.]+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert [line.strip() for line in build.splitlines()[1:]] == versions
    assert len(versions) == 2
