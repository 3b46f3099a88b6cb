"""Locate the files that a table lists, and find rows of the same file."""

import os
import unicodedata
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data.readers.remote import is_url
from likeness.io import allows, name_finder, name_to_text, split_part, text_to_name

Files = NDArray[np.uint64]  # (n, 3): device, number and count of hard links of each file, zeros where there is none
_ABSENT = (0, 0, 0)
_FOLDERS = 1024  # listed at once


def find_files(paths: Sequence[str], root: Path) -> tuple[list[str], Files]:
    """The paths, each in the Unicode form of its file on disk, and the files; missing ones are unchanged. Only folders of files that are not found
    directly are listed, each once.
    """
    finder, locate, names, found = lru_cache(_FOLDERS)(_finder), file_locator(root), list(paths), list[tuple[int, int, int]]()
    for row, path in enumerate(paths):
        file = _file(locate(path))
        if file is _ABSENT and not is_url(path) and (other := _in_other_form(path, root, finder)) != path:
            names[row], file = other, _file(locate(other))
        found.append(file)
    return names, np.array(found, dtype=np.uint64).reshape(-1, 3)


def file_locator(root: Path) -> Callable[[str], str]:
    """Returns a function from a path in a table to its file below `root`, or at an absolute path. Three times as fast as `Path.joinpath`, because
    there may be a million paths.
    """
    prefix = os.path.join(root, "")

    def locate(path: str) -> str:
        name = text_to_name(split_part(path)[0])
        return name if name.startswith("/") else prefix + name

    return locate


def first_rows(paths: Sequence[str], root: Path, files: Files) -> NDArray[np.int64]:
    """For each row the number (n,) of the first row with the same file, from the result of `find_files`: "./a.png" and links to it are "a.png".
    Seconds and pages of a file are separate images, and so are copies of a file, which `likeness.duplicates` finds.
    """
    several = pd.DataFrame(files[:, :2]).duplicated(keep=False).to_numpy()  # all that are not there as well
    first, key_of, locate = np.arange(len(paths)), dict[str, Hashable](), file_locator(root)
    real = lru_cache(_FOLDERS)(lambda path: unicodedata.normalize("NFC", os.path.realpath(locate(path))).casefold())
    rows: dict[Hashable, int] = {}
    for row in np.flatnonzero(several | (files[:, 1] == 0)).tolist():
        path = paths[row]
        if path not in key_of:
            key_of[path] = _key(path, files[row].tolist(), real)
        first[row] = rows.setdefault(key_of[path], row)
    return first


def _file(path: str) -> tuple[int, int, int]:
    """Device, inode and number of hard links."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return _ABSENT
    return found.st_dev, found.st_ino, found.st_nlink or 1


def _key(path: str, file: Sequence[int], real: Callable[[str], str]) -> Hashable:
    """Key that is equal for paths of the same image."""
    name, part = split_part(path)
    if not file[2]:
        return name if is_url(name) else os.path.normpath(name), part
    # Some file systems give one number to several files, others do not tell letters' case apart: links and real names decide.
    return (*file[:2], "" if file[2] > 1 else real(name), part)


def _finder(folder: str) -> Callable[[str], str | None]:
    try:
        return name_finder(map(name_to_text, os.listdir(folder)) if allows(Path(folder)) else ())
    except OSError:
        return name_finder(())


def _in_other_form(path: str, root: Path, finder: Callable[[str], Callable[[str], str | None]]) -> str:
    """The path with each component in its Unicode form on disk."""
    name = split_part(path)[0]
    place, steps = "/" if name.startswith("/") else str(root), name.split("/")
    for number, step in enumerate(steps):
        if step not in ("", ".", "..") and not os.path.lexists(os.path.join(place, text_to_name(step))):
            found = finder(place)(step)
            if found is None:
                return path
            steps[number] = found
        place = os.path.join(place, text_to_name(steps[number]))
    return "/".join(steps) + path[len(name) :]
