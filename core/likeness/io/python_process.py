"""Start Python processes that never import modules from the current folder.

`WorkerProcess` reads untrusted files in a separate process: a file that crashes or takes over the worker does not reach this process.

`python -m` and `python -c`, which `multiprocessing` and joblib use, put the current folder first on the import path, so that a `secrets.py` in a
folder of photos would be run. `-P` and the variable PYTHONSAFEPATH prevent that.
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
    """Starts a Python process that can import this package, with this environment or that of this process. Arguments are Python's, such as "-m",
    "likeness.io.decoder_worker"; options are those of `subprocess.Popen`.
    """
    given = dict(os.environ if environment is None else environment)
    search_path = os.pathsep.join(part for part in (_PACKAGES, given.get("PYTHONPATH")) if part)
    return subprocess.Popen([sys.executable, "-P", *arguments], env=given | {"PYTHONPATH": search_path, _VARIABLE: "1"}, **options)


def keep_folder_out() -> None:
    """Keeps the current folder off the import path of Python processes started later. For programs, which own their environment."""
    os.environ[_VARIABLE] = "1"


@contextmanager
def folder_kept_out() -> Iterator[None]:
    """As `keep_folder_out`, for a block in which another package starts processes; restores the variable, which is the user's in a notebook."""
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
    """Replaces this process by a command of the app (`python app COMMAND ...`), which calls `keep_folder_out` itself."""
    environment = {name: value for name, value in os.environ.items() if name != _VARIABLE}
    os.execve(sys.executable, [sys.executable, str(app_dir()), command, *arguments], environment)


class WorkerProcess:
    """A worker program, given by Python arguments; for one thread at a time. It starts when first needed and restarts after a request that ended it
    or took more than `seconds`. It does not inherit environment variables with names of secrets, except given ones, and ends with this process,
    because its input does. By default stdout carries answers and stderr is discarded.
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
        """The process, started if it is not running."""
        if self.exit_status() is not None or self._process is None:
            self.end()
            environment = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
            self._process = start_python(*self._program, environment=environment | self._environment, **self._options)
        return self._process

    def exchange(self, talk: Callable[[IO[bytes], IO[bytes]], T]) -> T:
        """Calls `talk` with the pipes for the request and the answer, and returns its result. Any error ends the process, because the rest of the
        answer would be taken for the next one.
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
        """Kills the process if a request takes too long; called from another thread."""
        process = self._process
        if process is not None and time.monotonic() >= self._deadline:
            self.late = True
            process.kill()

    def exit_status(self) -> int | None:
        """Exit status of a process that ended by itself; None while it runs or if there is none."""
        return None if self._process is None else self._process.poll()

    def end(self) -> int | None:
        """Kills the process and returns its exit status; None if there is none."""
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
