"""Where exports are written: files and folders that are not there yet, filled whole or not at all, and addresses shown without passwords."""

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
    """The path of a file to write; InputError: something is there, it cannot be written, or its name has not this ending."""
    path = as_path(place)
    if path.suffix.lower() != ending:
        raise InputError(f"'{place}' does not end in {ending}; name the file so.")
    if os.path.lexists(path):
        raise InputError(f"There is something at '{place}' already; name another file, or remove it.")
    check_output_file(path)
    return path


def new_folder(place: str) -> Path:
    """The path of a folder to write, where there is nothing yet, or an empty folder; InputError for anything else."""
    path = as_path(place)
    if not place.strip() or (os.path.lexists(path) and not (path.is_dir() and not path.is_symlink() and not any(path.iterdir()))):
        raise InputError(f"There is something at '{place}' already; name a folder that is not there yet, or an empty one.")
    check_output_folder(path)
    return path


@contextmanager
def filled_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which takes its place at `path` when the block ends well; on any error it is gone."""
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
    """Whether a place is a URL and no path."""
    return "://" in place


def shown(place: str) -> str:
    """A place as it may be printed: of a URL no user, password or parameters, which may hold keys.

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
    """A sentence of a database's client without what its address says of user, password and parameters."""
    if not is_address(place) and "=" not in place:
        return text
    rest = place.partition("://")[2] or place
    hidden = {part for part in re.split(r"[:@/?&=\s]+", f"{rest.rpartition('@')[0]} {rest.partition('?')[2]}") if len(part) > 2}
    if "=" in place and not is_address(place):
        hidden |= {word.partition("=")[2] for word in place.split() if word.startswith("password")}
    for part in sorted(hidden, key=len, reverse=True):
        text = text.replace(part, "…")
    return text.replace(place, "…")


def plain_slug(text: str) -> str:
    """A name as every database takes it: small letters, digits and underscores.

    Example:
        >>> plain_slug("Synthetic Cars"), plain_slug("2024/Photos")
        ('synthetic_cars', 'images_2024_photos')
    """
    slug = _SLUG.sub("_", text).strip("_").lower()[:_LONGEST] or "images"
    return slug if slug[0].isalpha() else f"images_{slug}"
