"""Destinations of exports: new files and folders, written atomically, and URLs, shown without passwords."""

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from likeness.errors import InputError
from likeness.io import as_path, check_output_file, check_output_folder

_SLUG = re.compile(r"[^A-Za-z0-9]+")
_LONGEST = 60


def new_file(place: str, ending: str) -> Path:
    """The path of a file to write; raises InputError if it exists, cannot be written, or has another suffix."""
    path = as_path(place)
    if path.suffix.lower() != ending:
        raise InputError(f"'{place}' does not end in {ending}; rename the file.")
    if os.path.lexists(path):
        raise InputError(f"'{place}' exists already; choose another file, or remove it.")
    check_output_file(path)
    return path


def new_folder(place: str) -> Path:
    """The path of a folder to write, new or empty; raises InputError for anything else."""
    path = as_path(place)
    if not place.strip() or (os.path.lexists(path) and not (path.is_dir() and not path.is_symlink() and not any(path.iterdir()))):
        raise InputError(f"'{place}' exists already; choose a new or empty folder.")
    check_output_folder(path)
    return path


@contextmanager
def filled_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, moved to `path` when the block succeeds; deleted on any error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.parent / f".{secrets.token_hex(8)}.partial"
    staged.mkdir()
    try:
        yield staged
        if path.exists():
            path.rmdir()  # an empty one; another that was filled meanwhile stays, and this export is the one that fails
        staged.rename(path)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise


def is_address(place: str) -> bool:
    """True if a place is a URL."""
    return "://" in place


def shown(place: str) -> str:
    """A place for display: URLs without user, password or parameters, which may contain keys.

    Example:
        >>> shown("postgresql://ada:secret@db.example.org:5432/photos?sslmode=require"), shown("folder/db")
        ('postgresql://db.example.org:5432/photos', 'folder/db')
    """
    if not is_address(place):
        return "the database" if "=" in place else place
    try:
        parts = urlsplit(place)
    except ValueError:
        return f"{place.partition('://')[0]}://…"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def without_secrets(text: str, place: str) -> str:
    """The message of a database client without user, password and parameters of its URL."""
    if not is_address(place) and "=" not in place:
        return text
    rest = place.partition("://")[2] or place
    hidden = {part for part in re.split(r"[:@/?&=\s]+", f"{rest.rpartition('@')[0]} {rest.partition('?')[2]}") if len(part) > 2}
    if "=" in place and not is_address(place):
        hidden |= {word.partition("=")[2] for word in place.split() if word.startswith("password")}
    # the longest first: a short secret may be a part of a longer one
    for part in sorted(hidden, key=len, reverse=True):
        text = text.replace(part, "…")
    return text.replace(place, "…")


def plain_slug(text: str) -> str:
    """A name that every database accepts: lower-case letters, digits and underscores.

    Example:
        >>> plain_slug("Synthetic Cars"), plain_slug("2024/Photos")
        ('synthetic_cars', 'images_2024_photos')
    """
    slug = _SLUG.sub("_", text).strip("_").lower()[:_LONGEST] or "images"
    return slug if slug[0].isalpha() else f"images_{slug}"
