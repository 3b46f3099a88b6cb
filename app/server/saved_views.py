"""Saved views: what a page's link holds, plus the selection, under a name; each in its own file."""

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from likeness.errors import InputError
from likeness.io import parse_json, text_of, write_atomic
from server.access import check_may
from server.quotas import check_count
from server.visitors import own_dir

VIEWS = "views"  # the folder, of the visitor or of the cache
LONGEST_NAME = 60  # letters
_MOST_PARAMETERS, _LONGEST_VALUE = 400, 4000
_MOST_BYTES = 8_000_000  # of a file, most of which are the selection
_TOKEN = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, config=ConfigDict(extra="forbid", strict=True))
class SavedView:
    name: str  # unique among the visitor's views, ignoring case
    page: Annotated[str, Field(pattern="^[a-z_]{0,40}$")]  # part of the address, "" for the first page
    parameters: Mapping[str, Sequence[str]]  # as the address has them
    rows: str = ""  # the selected images as `state.encode_rows` writes them; "" for none, or where the address holds them
    token: str = ""  # names the file; "" before it is kept


def save(view: SavedView) -> SavedView:
    """Saves a view under its name and returns it with its token. Raises InputError: the visitor may not, the name is taken or none, there are as many
    as allowed, or it holds more than is kept."""
    named = replace(view, name=_free_name(view.name, ""), token=secrets.token_hex(8))
    check_count(_folder(), "saved views")
    _write(named)
    return named


def rename(token: str, name: str) -> None:
    """Renames a view. Raises InputError: as `save`, or it no longer exists."""
    _write(replace(find(token), name=_free_name(name, token)))


def remove(token: str) -> None:
    """Deletes a view, if it exists. Raises InputError: the visitor may not."""
    check_may("edit")
    if _TOKEN.fullmatch(token):
        (_folder() / f"{token}.json").unlink(missing_ok=True)


def all_views() -> list[SavedView]:
    """The visitor's views by name, without selections or damaged files."""
    kept = [view for file in _folder().glob("[!.]*.json") if (view := _named(file)) is not None]
    return sorted(kept, key=lambda view: (view.name.casefold(), view.token))


def damaged() -> int:
    """Number of the visitor's damaged view files."""
    return sum(_named(file) is None for file in _folder().glob("[!.]*.json"))


def find(token: str) -> SavedView:
    """The visitor's view with this token, including its selection. Raises InputError: there is none, or its file is damaged."""
    file = _folder() / f"{token}.json"
    if not _TOKEN.fullmatch(token) or not file.is_file():
        raise InputError("This saved view was removed or belongs to someone else.")
    return _read(text_of(file, _MOST_BYTES), token)


def _read(text: str, token: str) -> SavedView:
    """Reads a view file; raises InputError where it is damaged."""
    try:
        view = SavedView(**parse_json(text, "The saved view"), token=token)
    except (TypeError, ValidationError):
        view = None
    if view is None or not 0 < len(view.name) <= LONGEST_NAME:
        raise InputError("The saved view is damaged. Remove it and save it again.")
    return view


def _named(file: Path) -> SavedView | None:
    try:
        stat = file.stat()
    except OSError:  # removed meanwhile
        return None
    return _read_once(file, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=2000)
def _read_once(file: Path, mtime_ns: int, size: int) -> SavedView | None:
    """A view without its selection; None if damaged."""
    try:
        return replace(_read(text_of(file, _MOST_BYTES), file.stem), rows="") if _TOKEN.fullmatch(file.stem) else None
    except InputError:
        return None


def _free_name(given: str, token: str) -> str:
    name = " ".join(given.split())
    if not name:
        raise InputError("Enter a name for the view.")
    if len(name) > LONGEST_NAME:
        raise InputError(f"The name has {len(name)} characters; use at most {LONGEST_NAME}.")
    if any(view.name.casefold() == name.casefold() and view.token != token for view in all_views()):
        raise InputError(f"You already have a view “{name}”. Choose another name or remove that view.")
    return name


def _write(view: SavedView) -> None:
    check_may("edit")
    values = [value for each in view.parameters.values() for value in each]
    if len(values) > _MOST_PARAMETERS or any(len(value) > _LONGEST_VALUE for value in values):
        raise InputError("This view is too large to save. Remove some filters or terms.")
    content = json.dumps({name: value for name, value in asdict(view).items() if name != "token"}).encode()
    if len(content) > _MOST_BYTES:
        raise InputError("The selection is too large to save. Select fewer images.")
    write_atomic(_folder() / f"{view.token}.json", content)


def _folder() -> Path:
    return own_dir() / VIEWS
