"""Where the files that ship and the files that are computed live."""

import logging
import os
import stat
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from likeness.errors import InputError
from likeness.io.confinement import allows
from likeness.io.file_names import text_to_name

_LOG = logging.getLogger(__name__)
_PACKAGE = Path(__file__).resolve().parents[1]


def _shipped(name: str) -> Path:
    """A folder beside `core/` in a checkout, inside the package in an installed wheel."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent.parent / name


def assets_dir() -> Path:
    """The shipped model, images, notions and tables."""
    return _shipped("assets")


def app_dir() -> Path:
    """The Streamlit app."""
    return _shipped("app")


def cache_dir() -> Path:
    """The user's own folder for embeddings, maps and notions; `LIKENESS_CACHE` overrides the platform's default. Where that cannot be written, as in
    a container without a home, it is one of the user's own among the temporary files; raises InputError where those cannot either.
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
        raise InputError(f"What is computed cannot be kept in '{usual}', which cannot be written; set LIKENESS_CACHE to a folder that can.")
    _LOG.warning("What is computed is kept in '%s', as '%s' cannot be written; set LIKENESS_CACHE to keep it elsewhere.", folder, usual)
    return folder


def can_write(folder: Path) -> bool:
    """Whether files can be written into a folder, or it can be made; only of an absolute path: "~" stays as it is where there is no home."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_absolute() and folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def runs_dir() -> Path:
    """Where training runs lie unless a command says otherwise: `runs` in the current folder; `LIKENESS_RUNS` overrides it."""
    return Path(os.environ.get("LIKENESS_RUNS") or "runs").expanduser()


def make_folder(folder: Path) -> None:
    """Makes a folder, and those above it, where they are missing; the cache and the folder of runs so that only their owner looks into them."""
    if folder.is_dir():
        return
    with suppress(OSError, InputError, RuntimeError):  # there is no cache, no home, or no current folder: then nothing is made in them
        for private in sorted((cache_dir().absolute(), runs_dir().absolute()), key=lambda place: len(place.parts)):
            if folder.absolute().is_relative_to(private) and not private.exists():
                private.parent.mkdir(parents=True, exist_ok=True)
                private.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)


def as_path(given: str | Path) -> Path:
    """The path that a person, a config or a table names, "~" expanded; nothing is looked up there. A name that is not UTF-8 is taken as it is
    shown (`likeness.io.file_names`).

    Raises:
        InputError: it cannot be a path, or it lies outside of what may be read (`likeness.io.confinement`), whether or not there is something.
    """
    text = text_to_name(str(given))
    if not can_be_a_path(text):
        raise InputError(f"'{text[:60]}' is no path: it is too long or has signs that no file name has; give the path of a file or folder.")
    path = Path(text).expanduser()
    if not allows(path):
        raise InputError(f"'{text}' cannot be reached here: it lies outside of the folders that may be read; give a path inside them.")
    return path


def can_be_a_path(text: str) -> bool:
    """Whether a file could have this path."""
    try:
        coded = os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return b"\0" not in coded and len(coded) < 4096 and max(map(len, coded.split(b"/"))) <= 255
