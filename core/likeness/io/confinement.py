"""Restrict which files may be read: regular files only, because a pipe or device can block its reader forever; and, for programs that open paths of
other users, only files in certain folders of this machine.

The package checks every path it is given (`likeness.io.paths.as_path`) and every file listed in a table (`check_readable`). Nothing is restricted
before `confine` is called.
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
    """Restricts this process and its children to files in these folders. Links that lead out of all of them are not followed. Folders `entries_of`
    are readable inside their entries, for callers that know a name, but cannot be listed. URLs such as "s3://bucket/photos" are refused.
    """
    real = os.path.realpath
    limits = _Limits(tuple(map(real, folders)), tuple(map(real, entries_of)))
    os.environ[VARIABLE] = json.dumps(limits._asdict())


def is_confined() -> bool:
    """True if `confine` was called in this process or its parent."""
    return bool(os.environ.get(VARIABLE))


def allows(path: Path) -> bool:
    """True if a path may be read, after resolving links; always true without `confine`."""
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
    """The same path, after checking that it is a regular file. Every reader of a file named by a user, config or table calls it.

    Raises:
        OSError: there is nothing, it cannot be looked at, or it is a folder, a pipe, a device or a socket.
    """
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe, a device or a socket, not a file", str(path))
    return path


def check_readable(path: Path) -> Path:
    """The same path, after checking that a file listed in a table may be read.

    Raises:
        PermissionError: it is outside the readable folders.
        OSError: as `regular_file`.
    """
    if not allows(path):
        raise PermissionError(1, "the file is outside the folders that may be read here", path.name)
    return regular_file(path)


def check_url(url: str) -> None:
    """Raises InputError under `confine`: URLs would let a user read anything this machine can reach."""
    if is_confined():
        raise InputError(f"'{url}' cannot be read here: URLs are disabled; copy or upload the images instead.")


def is_inside(real: str, folder: str) -> bool:
    """True if a path is a folder or inside it; both without links."""
    return real == folder or real.startswith(folder.rstrip("/") + os.sep)


@lru_cache(maxsize=8)
def _limits(text: str) -> _Limits:
    return _Limits(**{name: tuple(listed) for name, listed in json.loads(text).items()})
