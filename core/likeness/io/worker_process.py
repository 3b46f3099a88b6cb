"""A Python program that reads what others made, in a process of its own: what brings it down, or takes it over, does not reach this one."""

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from likeness.io.python_process import start_python

T = TypeVar("T")
_SECRET = re.compile(r"TOKEN|SECRET|PASSW|KEY|CREDENTIAL", re.IGNORECASE)  # in the names of variables, which no worker needs


class WorkerProcess:
    """The process; for one thread at a time. It is begun when it is first needed, and again when a request ended it. It inherits no variable whose
    name speaks of a secret, and ends with this process, since its input does.

    Args:
        program: arguments of Python.
        seconds: on the clock, that it may take for one request.
        environment: further variables.
        options: of `subprocess.Popen`; by default answers are read from its output, and its errors go nowhere.
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

    def exchange(self, talk: Callable[["subprocess.Popen[bytes]"], T]) -> T:
        """What `talk` reads of the process's answer to a request that it writes. Whatever it raises ends the process: the rest of an answer would be
        taken for that to the next request.
        """
        process = self.start()
        self.late, self._deadline = False, time.monotonic() + self._seconds
        try:
            return talk(process)
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
