"""Where the files that ship and the files that are computed live."""

import os
from pathlib import Path

from likeness.errors import InputError
from likeness.io.confinement import allows
from likeness.io.file_names import text_to_name

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
    """The user's own folder for embeddings, maps and notions; `LIKENESS_CACHE` overrides the platform's default."""
    chosen = os.environ.get("LIKENESS_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("likeness", appauthor=False))


def runs_dir() -> Path:
    """Where training runs lie unless a command says otherwise: `runs` in the current folder; `LIKENESS_RUNS` overrides it."""
    return Path(os.environ.get("LIKENESS_RUNS") or "runs").expanduser()


def as_path(given: str | Path) -> Path:
    """The path that a person, a config or a table names, "~" expanded; nothing is looked up there. A name
    that is not UTF-8 is taken as it is shown (`likeness.io.file_names`).

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
