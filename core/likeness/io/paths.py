"""Folders of shipped and computed files."""

import logging
import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from likeness.errors import InputError
from likeness.io.confinement import allows
from likeness.io.file_names import text_to_name

_LOG = logging.getLogger(__name__)
_PACKAGE = Path(__file__).resolve().parents[1]


def _shipped(name: str) -> Path:
    """A shipped folder: beside `core/` in a checkout, inside the package in an installed wheel."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent.parent / name


def assets_dir() -> Path:
    """The shipped model, images, notions and tables."""
    return _shipped("assets")


def app_dir() -> Path:
    """The Streamlit app."""
    return _shipped("app")


def cache_dir() -> Path:
    """The user's folder for embeddings, maps and notions; `LIKENESS_CACHE` overrides the platform's default. If that is not writable, as in a
    container without a home, a private temporary folder is used; raises InputError if that fails, too.
    """
    chosen = os.environ.get("LIKENESS_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_dir

    return _writable_cache(user_cache_dir("likeness", appauthor=False))


@lru_cache
def _writable_cache(usual: str) -> Path:
    if can_write(Path(usual)):
        with suppress(OSError):  # of another user; and earlier versions left it open to all
            Path(usual).chmod(0o700)
        return Path(usual)
    try:
        folder = Path(tempfile.gettempdir()) / f"likeness-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        # its name is known to all: another user could have made it
        private = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    except OSError:  # there is no folder for temporary files, or it cannot be written either
        private = False
    if not private:
        raise InputError(f"The cache folder '{usual}' is not writable; set LIKENESS_CACHE to a writable folder.")
    _LOG.warning("Using the cache folder '%s', because '%s' is not writable; set LIKENESS_CACHE to choose another one.", folder, usual)
    return folder


def can_write(folder: Path) -> bool:
    """True if files can be written into a folder or it can be created; only for absolute paths, because "~" is not expanded without a home."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_absolute() and folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def runs_dir() -> Path:
    """The default folder of training runs: `runs` in the current folder; `LIKENESS_RUNS` overrides it."""
    return Path(os.environ.get("LIKENESS_RUNS") or "runs").expanduser()


def make_folder(folder: Path) -> None:
    """Creates a folder and its parents if missing; the cache and the folder of runs are private to their owner."""
    if folder.is_dir():
        return
    with suppress(OSError, InputError, RuntimeError):  # there is no cache, no home, or no current folder: then nothing is made in them
        for private in sorted((cache_dir().absolute(), runs_dir().absolute()), key=lambda place: len(place.parts)):
            if folder.absolute().is_relative_to(private) and not private.exists():
                private.parent.mkdir(parents=True, exist_ok=True)
                private.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)


def as_path(given: str | Path) -> Path:
    """The path named by a user, config or table, with "~" expanded; the file system is not accessed. Names that are not UTF-8 are given as shown
    (`likeness.io.file_names`).

    Raises:
        InputError: it cannot be a path, or is outside the readable folders (`likeness.io.confinement`), whether or not it exists.
    """
    text = text_to_name(str(given))
    if not can_be_a_path(text):
        raise InputError(f"Invalid path '{text[:60]}': it is too long or has invalid characters; pass the path of a file or folder.")
    # checked as text before: pathlib and the system raise different errors for NUL bytes and overlong names
    path = Path(text).expanduser()
    if not allows(path):
        raise InputError(f"'{text}' is outside the folders that may be read here; pass a path inside them.")
    return path


def can_be_a_path(text: str) -> bool:
    """True if this can be the path of a file."""
    try:
        coded = os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return b"\0" not in coded and len(coded) < 4096 and max(map(len, coded.split(b"/"))) <= 255


def column_texts(table: str, columns: Iterable[str]) -> tuple[str, ...]:
    """The distinct values of columns of a shipped table, joined by spaces."""
    import csv

    with (assets_dir() / table).open(encoding="utf-8", newline="") as file:
        return tuple(dict.fromkeys(" ".join(row[column] for column in columns) for row in csv.DictReader(file)))
