"""Calls of the command line with drawn arguments, each in a process of its own, and what was wrong with the answer.

`python command_fuzz.py FOLDER FIRST COUNT SECONDS` prints a line of JSON for each defect: a process that has imported what is heavy, and computed
nothing, is forked for each call. A call is then as free of what others left behind as one that a person types, and takes no second to start.
"""

import contextlib
import faulthandler
import importlib
import json
import os
import random
import resource
import runpy
import shutil
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).parent))

from command_lines import command_line, commands
from command_world import build
from fuzzing import Found

_SECONDS = 3.0  # until a call is interrupted, as by Ctrl-C, which is an answer too
_GRACE_SECONDS = 60.0  # from then until it has to have ended
_MEMORY = 8 << 30
_ANSWERS = (0, 2, 130, -signal.SIGINT)  # the last is 130, too, to a shell
_LONGEST = 1000
_HEAVY = ("torch._dynamo", "lightning.pytorch", "timm", "open_clip", "pandas", "sklearn.cluster", "plotly.graph_objects", "faiss", "lancedb")
_OUTPUTS = ("file", "file", "file", "file", "gone", "full", "closed")  # what stands behind stdout


class CommandLines:
    """Calls with folders of their own.

    Args:
        folder: an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self._sound, self._place, self._printed, self._commands = folder / "sound", folder / "place", folder / "stderr.txt", commands()
        self._sound.mkdir(parents=True)
        build(self._sound)
        self._environment = {"LIKENESS_CACHE": str(folder / "cache"), "LIKENESS_RUNS": str(self._place / "runs"), "HF_HUB_OFFLINE": "1"}

    def drawn(self, seed: int) -> list[str]:
        """The arguments of a seed."""
        draw = random.Random(f"command {seed}")
        words = sorted(self._commands)[seed % len(self._commands)]
        return command_line(words, self._commands[words], draw)

    def attack(self, seed: int) -> Found | None:
        """The call of a seed; what was wrong with it, or None."""
        arguments = self.drawn(seed)
        output = random.Random(f"output {seed}").choice(_OUTPUTS)
        shutil.rmtree(self._place, ignore_errors=True)
        _copy(self._sound, self._place)
        child = os.fork()
        if not child:
            self._call(arguments, output)
        what = wrong(_waited(child), self._printed.read_text(errors="replace"), output)
        name = " ".join(word for word in arguments[:2] if word.isascii() and len(word) < 20)
        return Found(name, seed, f"{shown(arguments)}, stdout {output}: {what}") if what else None

    def _call(self, arguments: list[str], output: str) -> NoReturn:
        os.setsid()
        os.chdir(self._place)
        os.environ.update(self._environment)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(self._printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        faulthandler.register(signal.SIGUSR1, sys.stderr)
        _set_output(output)
        os._exit(_status(arguments))


def _set_output(output: str) -> None:
    if output == "gone":
        end, begin = os.pipe()
        os.close(end)
        os.dup2(begin, 1)
    elif output == "closed":
        os.close(1)
    else:
        os.dup2(os.open("/dev/full" if output == "full" else os.devnull, os.O_WRONLY), 1)
    sys.stdout = None if output == "closed" else os.fdopen(1, "w", encoding="utf-8", closefd=False)  # type: ignore[assignment]


def _status(arguments: list[str]) -> int:
    """The status that Python would end with."""
    from likeness.commands import cli

    sys.argv, os.execve = ["likeness", *arguments], _serve  # type: ignore[assignment]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    status = 0
    try:
        cli.main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        status = 120
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    return status


def _serve(_: str, arguments: list[str], environment: dict[str, str]) -> None:
    """What `likeness app` becomes, up to the server itself, or another command that the app knows."""
    sys.path.insert(0, arguments[1])
    if arguments[2] != "serve":
        sys.argv = arguments[1:]
        runpy.run_path(arguments[1], run_name="__main__")
        return
    from server import serve

    serve._run_streamlit = lambda arguments: None
    serve.serve(json.loads(arguments[3]))


def _waited(child: int) -> int:
    """The status of a call, after an interruption where it takes long; less than 0 for a signal that has ended it."""
    begin, interrupted = time.monotonic(), False
    while True:
        done, state = os.waitpid(child, os.WNOHANG)
        if done:
            break
        seconds = time.monotonic() - begin
        if seconds > _SECONDS and not interrupted:
            interrupted = True
            _send(child, signal.SIGINT)
        if seconds > _SECONDS + _GRACE_SECONDS:
            os.kill(child, signal.SIGUSR1)  # it prints where it stands
            time.sleep(1.0)
            _send(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -signal.SIGKILL
        time.sleep(0.01)
    _send(child, signal.SIGKILL)  # those that it has started
    return os.waitstatus_to_exitcode(state)


def _send(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def wrong(status: int, errors: str, output: str = "file") -> str:
    """What is wrong with a status and what was printed on stderr; empty where nothing is.

    Args:
        status: of the process; less than 0 for the signal that ended it.
        errors: what it printed on stderr.
        output: what stood behind its stdout; where the reader is "gone", the status is 1.
    """
    if "Traceback" in errors:
        return f"a traceback, with status {status}\n{errors[errors.index('Traceback') :][:3000]}\n...\n{errors[-1000:]}"
    if status == -signal.SIGKILL:
        return f"killed: neither ended nor heeded an interruption\n{errors[-4000:]}"
    if status not in _ANSWERS and not (status == 1 and output == "gone"):
        return f"status {status}\n{errors[-1000:]}"
    lines = [line for line in errors.splitlines() if line.startswith("Error: ")]
    if status == 2 and len(lines) + ("Usage: " in errors) != 1:
        return f"status 2 with {len(lines)} lines of errors\n{errors[-1000:]}"
    return f"an error of {len(lines[0])} letters\n{lines[0][:300]}" if lines and len(lines[0]) > _LONGEST else ""


def shown(arguments: list[str]) -> str:
    """Arguments as they may stand in a report."""
    return " ".join(ascii(each) if len(each) < 60 else f"{each[:20]!a}...({len(each)} letters)" for each in arguments)


def _copy(source: Path, target: Path) -> None:
    """A folder with its links, pipes and devices."""
    target.mkdir()
    for entry in sorted(source.iterdir()):
        place = target / entry.name
        if entry.is_symlink():
            place.symlink_to(place)
        elif entry.is_dir():
            shutil.copytree(entry, place)
        elif entry.is_file():
            shutil.copy2(entry, place)
        elif entry.is_fifo():
            os.mkfifo(place)
        else:
            os.mknod(place, entry.stat().st_mode, entry.stat().st_rdev)


def attack_commands(folder: Path, first: int, count: int, seconds: float) -> tuple[int, list[Found]]:
    """The calls of `count` seeds, in a new process that forks, for as long as some seconds; how many there were, and the defects found."""
    arguments = [sys.executable, __file__, str(folder), str(first), str(count), str(seconds)]
    answer = subprocess.run(arguments, capture_output=True, text=True, check=True)
    *found, tried = [json.loads(line) for line in answer.stdout.splitlines()]
    return int(tried), [Found(**each) for each in found]


def main(folder: str, first: str, count: str, seconds: str) -> None:
    """As the module says; the last line is the number of calls."""
    for name in _HEAVY:
        importlib.import_module(name)
    lines, end, tried = CommandLines(Path(folder)), time.monotonic() + float(seconds), 0
    for seed in range(int(first), int(first) + int(count)):
        if time.monotonic() > end:
            break
        found, tried = lines.attack(seed), tried + 1
        if found is not None:
            report: dict[str, Any] = vars(found)
            print(json.dumps(report), flush=True)
    print(tried)


if __name__ == "__main__":
    main(*sys.argv[1:])
