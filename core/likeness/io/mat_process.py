"""Read MATLAB files in a separate process, because a damaged file can crash SciPy's reader."""

import atexit
import json
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

from likeness.io.array_files import read_array
from likeness.io.confinement import regular_file
from likeness.io.python_process import WorkerProcess

_SECONDS = 600.0


class MatError(Exception):
    """A .mat file cannot be read; the message is a short reason."""


def mat_variable(file: Path, variable: str, *, squeeze: bool = True) -> Any:
    """A variable of a .mat file (versions up to 7.2), or None: an array of numbers or texts, else nested lists; structs are a dict of a list each
    field.

    Raises:
        MatError: a damaged or foreign file.
    """
    _check(file)
    with tempfile.TemporaryDirectory(prefix="likeness-mat-") as folder:
        out = Path(folder) / "variable.npy"
        answer = _ask({"file": str(file), "variable": variable, "squeeze": squeeze, "out": str(out)})
        return read_array(out) if out.exists() else answer["content"]


def mat_shapes(file: Path) -> dict[str, tuple[int, ...]]:
    """Shapes of all variables of a .mat file, without reading them; raises MatError as `mat_variable`."""
    _check(file)
    answer = _ask({"file": str(file), "variable": None})
    return {name: tuple(shape) for name, shape in answer["shapes"].items()}


def _check(file: Path) -> None:
    try:
        regular_file(file)
    except OSError as error:
        raise MatError((error.strerror or "it cannot be opened").lower()) from error


def _ask(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request; one thread at a time."""

    def talk(asks: IO[bytes], answers: IO[bytes]) -> dict[str, Any]:
        watch = threading.Timer(_SECONDS, _worker.end_if_late)
        watch.start()
        try:
            asks.write(json.dumps(request).encode() + b"\n")
            asks.flush()
            answer: dict[str, Any] = json.loads(answers.readline())
            return answer
        finally:
            watch.cancel()

    try:
        with _one_at_a_time:
            answer = _worker.exchange(talk)
    except (OSError, ValueError) as error:
        raise MatError("it is damaged and crashed its reader") from error
    if "error" in answer:
        raise MatError(answer["error"])
    return answer


_one_at_a_time = threading.Lock()
_worker = WorkerProcess((str(Path(__file__).with_name("mat_worker.py")),), _SECONDS)
atexit.register(_worker.end)
