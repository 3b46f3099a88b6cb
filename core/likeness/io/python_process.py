"""Python processes that are started from here. None of them takes a file of the folder that a person is in for a module.

`python -m` and `python -c`, which `multiprocessing` and joblib use, put the current folder before everything else, so that a folder of photos
that holds a `secrets.py` would run it. `-P` and its variable PYTHONSAFEPATH keep the folder out.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from likeness.io.paths import app_dir

_VARIABLE = "PYTHONSAFEPATH"
_PACKAGES = str(Path(__file__).resolve().parents[2])
_lock = threading.Lock()
_holders: list[str | None] = []  # for each block that is open, what the variable was before the first one


def start_python(*arguments: str, environment: Mapping[str, str] | None = None, **options: Any) -> "subprocess.Popen[Any]":
    """Starts a Python process, which finds this package as this process does.

    Args:
        arguments: of Python, such as "-m", "likeness.io.decoder_worker".
        environment: its variables; None: this process's.
        options: of `subprocess.Popen`.
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


def become_app(script: str, *arguments: str) -> NoReturn:
    """This process becomes a script of the app, which finds its modules beside itself and keeps the current folder out of what it starts."""
    environment = {name: value for name, value in os.environ.items() if name != _VARIABLE}
    os.execve(sys.executable, [sys.executable, str(app_dir() / script), *arguments], environment)
