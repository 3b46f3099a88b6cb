"""What may be read: a file and no pipe or device, which would keep its reader for ever; and for programs that open what others name, a process and
those that it starts are confined to some folders, and to this machine.

Core checks every path that it is given (`likeness.io.paths.as_path`) and every file that a table lists (`check_readable`). Nothing is
confined until `confine` is called.
"""

import errno
import json
import os
import stat
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from likeness.errors import InputError

VARIABLE = "LIKENESS_CONFINED"


class _Limits(NamedTuple):
    folders: tuple[str, ...]
    entries_of: tuple[str, ...]


def confine(folders: Iterable[Path], entries_of: Iterable[Path] = ()) -> None:
    """From now on, only what lies in these folders is opened, by this process and by those that it starts. Links in them that lead out of all of them
    are not followed. Of folders `entries_of`, what lies in one of their entries is read, by whoever knows its name; they themselves are not listed.
    No address such as "s3://bucket/photos" is read.
    """
    real = os.path.realpath
    limits = _Limits(tuple(map(real, folders)), tuple(map(real, entries_of)))
    os.environ[VARIABLE] = json.dumps(limits._asdict())


def is_confined() -> bool:
    """Whether `confine` was called, here or in the process that started this one."""
    return bool(os.environ.get(VARIABLE))


def allows(path: Path) -> bool:
    """Whether a path may be read, links followed; always true where nothing is confined."""
    if not is_confined():
        return True
    limits = _limits(os.environ[VARIABLE])
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):
        return False
    return any(is_inside(real, folder) for folder in limits.folders) or any(
        is_inside(real, folder) and real != folder for folder in limits.entries_of
    )


def regular_file(path: Path) -> Path:
    """The path of a file with content, as it is; every reader of a file that a person, a config or a table names asks for it.

    Raises:
        OSError: there is nothing, it cannot be looked at, or it is a folder, a pipe, a device or a socket.
    """
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe, a device or a socket and no file", str(path))
    return path


def check_readable(path: Path) -> Path:
    """The path of an image or another file that a table lists, as it is.

    Raises:
        PermissionError: it lies outside of the folders that may be read.
        OSError: as `regular_file`.
    """
    if not allows(path):
        raise PermissionError(1, "the file lies outside of the folders that may be read here", path.name)
    return regular_file(path)


def check_url(url: str) -> None:
    """Raises InputError where what may be read is confined: whoever may name addresses reads what the machine reaches."""
    if is_confined():
        raise InputError(f"'{url}' cannot be reached here: addresses are not read; copy the images, or upload them instead.")


def is_inside(real: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it; both without links."""
    return real == folder or real.startswith(folder.rstrip("/") + os.sep)


@lru_cache(maxsize=8)
def _limits(text: str) -> _Limits:
    return _Limits(**{name: tuple(listed) for name, listed in json.loads(text).items()})
