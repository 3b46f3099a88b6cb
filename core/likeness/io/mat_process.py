"""MATLAB files, read in a process of their own: a damaged one can bring down SciPy's reader, and with it whoever called it."""

import atexit
import json
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

from likeness.io.array_files import read_array
from likeness.io.mat_worker import RECORDS
from likeness.io.plain_pickle import PlainUnpickler
from likeness.io.python_process import start_python
from likeness.io.regular_file import regular_file

_SECONDS = 600.0


class MatError(Exception):
    """Why a file cannot be read, in a few words."""


def mat_variable(file: Path, variable: str, *, squeeze: bool = True) -> Any:
    """A variable of a .mat file (versions up to 7.2); None where it has none of this name.

    Raises:
        MatError: a damaged or foreign file.
    """
    _check(file)
    with tempfile.TemporaryDirectory(prefix="likeness-mat-") as folder:
        out = Path(folder) / "variable.npy"
        answer = _worker.ask({"file": str(file), "variable": variable, "squeeze": squeeze, "out": str(out)})
        if answer.get("missing"):
            return None
        try:
            if answer["plain"]:
                return read_array(out)
            with out.open("rb") as content:
                return _with_records(PlainUnpickler(content).load())
        except Exception as error:  # what holds more than texts, numbers and containers of them
            raise MatError(" ".join(str(error).split())[:100]) from error


def mat_shapes(file: Path) -> dict[str, tuple[int, ...]]:
    """Shapes of all variables of a .mat file, without reading them; raises MatError as `mat_variable`."""
    _check(file)
    answer = _worker.ask({"file": str(file), "variable": None})
    return {name: tuple(shape) for name, shape in answer["shapes"].items()}


def _check(file: Path) -> None:
    try:
        regular_file(file)
    except OSError as error:
        raise MatError((error.strerror or "it cannot be opened").lower()) from error


def _with_records(value: Any) -> Any:
    """Arrays of structs, as the worker took them apart."""
    if isinstance(value, dict) and RECORDS in value:
        columns = {name: [_with_records(each) for each in values] for name, values in value["columns"].items()}
        found = np.empty(len(next(iter(columns.values()), [])), dtype=[(name, object) for name in columns])
        for name, values in columns.items():
            for place, each in enumerate(values):
                found[name][place] = each
        return found.reshape(value[RECORDS])
    if isinstance(value, np.ndarray) and value.dtype == object:
        for place, each in enumerate(value.flat):
            value.flat[place] = _with_records(each)
    return value


class _Worker:
    """The process; begun when it is first needed, and again when a file has brought it down."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._one_at_a_time = threading.Lock()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._one_at_a_time:
            process = self._running()
            watch = threading.Timer(_SECONDS, process.kill)
            watch.start()
            try:
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except (OSError, ValueError):
                line = ""
            finally:
                watch.cancel()
            if not line:
                self._end()
        if not line:
            raise MatError("it is damaged, and brought its reader down")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise MatError(answer["error"])
        return answer

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is None or self._process.poll() is not None:
            program = str(Path(__file__).with_name("mat_worker.py"))
            pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
            self._process = start_python(program, stdin=pipe, stdout=pipe, stderr=nothing, text=True, encoding="utf-8")
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:  # what was still to be written to a process that is gone
                    continue

    def close(self) -> None:
        with self._one_at_a_time:
            self._end()


_worker = _Worker()
atexit.register(_worker.close)
