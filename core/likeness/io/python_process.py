"""Python processes that are started from here. None of them takes a file of the folder that a person is in for a module.

Those that read what others made do so in a process of their own (`WorkerProcess`): what brings it down, or takes it over, does not reach this one.

`python -m` and `python -c`, which `multiprocessing` and joblib use, put the current folder before everything else, so that a folder of photos
that holds a `secrets.py` would run it. `-P` and its variable PYTHONSAFEPATH keep the folder out.
"""

import contextlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

from likeness.io.paths import app_dir

T = TypeVar("T")
_SECRET = re.compile(r"TOKEN|SECRET|PASSW|KEY|CREDENTIAL", re.IGNORECASE)  # in the names of variables, which no worker needs
_VARIABLE = "PYTHONSAFEPATH"
_PACKAGES = str(Path(__file__).resolve().parents[2])
_lock = threading.Lock()
_holders: list[str | None] = []  # for each block that is open, what the variable was before the first one


def start_python(*arguments: str, environment: Mapping[str, str] | None = None, **options: Any) -> "subprocess.Popen[Any]":
    """Starts a Python process, which finds this package as this process does, with these variables or this process's. The arguments are Python's,
    such as "-m", "likeness.io.decoder_worker"; the options those of `subprocess.Popen`.
    """
    given = dict(os.environ if environment is None else environment)
    search_path = os.pathsep.join(part for part in (_PACKAGES, given.get("PYTHONPATH")) if part)
    return subprocess.Popen([sys.executable, "-P", *arguments], env=given | {"PYTHONPATH": search_path, _VARIABLE: "1"}, **options)


def keep_folder_out() -> None:
    """From now on, no Python process that this one starts, in whatever way, searches the current folder: for a program, which owns its process."""
    os.environ[_VARIABLE] = "1"


@contextmanager
def folder_kept_out() -> Iterator[None]:
    """As `keep_folder_out`, for a block in which another package starts processes: in a notebook the variable is not ours to keep."""
    with _lock:
        _holders.append(_holders[0] if _holders else os.environ.get(_VARIABLE))
        os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        with _lock:
            before = _holders.pop()
            if not _holders:
                os.environ.pop(_VARIABLE)
                os.environ.update({} if before is None else {_VARIABLE: before})


def become_app(command: str, *arguments: str) -> NoReturn:
    """This process becomes a command of the app (`python app COMMAND ...`), which keeps the current folder out of what it starts."""
    environment = {name: value for name, value in os.environ.items() if name != _VARIABLE}
    os.execve(sys.executable, [sys.executable, str(app_dir()), command, *arguments], environment)


class WorkerProcess:
    """The process of a program, by arguments of Python; for one thread at a time. It is begun when it is first needed, and again when a request ended
    it, which may take so many seconds on the clock. It inherits no variable whose name speaks of a secret, besides those that are given, and ends
    with this process, since its input does. By default answers are read from its output, and its errors go nowhere.
    """

    def __init__(self, program: Sequence[str], seconds: float = float("inf"), environment: Mapping[str, str] | None = None, **options: Any) -> None:
        self._program, self._seconds = program, seconds
        self._environment = dict(environment or {})
        self._options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL} | options
        self._process: subprocess.Popen[bytes] | None = None
        self._deadline = float("inf")
        self.late = False  # whether the last request took too long
        self.status: int | None = None  # with which the process ended by the last request that ended it

    def start(self) -> "subprocess.Popen[bytes]":
        """The process, begun where it does not run."""
        if self.exit_status() is not None or self._process is None:
            self.end()
            environment = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
            self._process = start_python(*self._program, environment=environment | self._environment, **self._options)
        return self._process

    def exchange(self, talk: Callable[[IO[bytes], IO[bytes]], T]) -> T:
        """What `talk` reads, from the second pipe, of the process's answer to a request that it writes to the first. Whatever it raises ends the
        process: the rest of an answer would be taken for that to the next request.
        """
        process = self.start()
        assert process.stdin is not None
        assert process.stdout is not None
        self.late, self._deadline = False, time.monotonic() + self._seconds
        try:
            return talk(process.stdin, process.stdout)
        except BaseException:
            self.status = self.end()
            raise
        finally:
            self._deadline = float("inf")

    def end_if_late(self) -> None:
        """Ends the process if it takes too long for a request; called from another thread."""
        process = self._process
        if process is not None and time.monotonic() >= self._deadline:
            self.late = True
            process.kill()

    def exit_status(self) -> int | None:
        """Of a process that ended by itself; None while it runs, and where there is none."""
        return None if self._process is None else self._process.poll()

    def end(self) -> int | None:
        """Ends the process; returns its exit status, None where there is none."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # what was still to be written to a process that is gone
                if stream is not None:
                    stream.close()
        return process.returncode
