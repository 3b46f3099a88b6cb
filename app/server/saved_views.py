"""Views that a visitor has saved under a name: what the link to a page holds, and the selection, however large. Each is a file of its own."""

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
    """A view."""

    name: str  # unique among the visitor's views, ignoring case
    page: Annotated[str, Field(pattern="^[a-z_]{0,40}$")]  # part of the address, "" for the first page
    parameters: Mapping[str, Sequence[str]]  # as the address has them
    rows: str = ""  # the selected images as `state.encode_rows` writes them; "" for none, or where the address holds them
    token: str = ""  # names the file; "" before it is kept


def save(view: SavedView) -> SavedView:
    """Keeps a view under its name and returns it with its token.
    Raises InputError: the visitor may not, the name is taken or none, there are as many as allowed, or it holds more than is kept."""
    named = replace(view, name=_free_name(view.name, ""), token=secrets.token_hex(8))
    check_count(_folder(), "saved views")
    _write(named)
    return named


def rename(token: str, name: str) -> None:
    """Gives a view another name. Raises InputError: as `save`, or it is not kept any more."""
    _write(replace(find(token), name=_free_name(name, token)))


def remove(token: str) -> None:
    """Removes a view; one that is gone already stays gone. Raises InputError: the visitor may not."""
    check_may("edit")
    if _TOKEN.fullmatch(token):
        (_folder() / f"{token}.json").unlink(missing_ok=True)


def all_views() -> list[SavedView]:
    """The visitor's views by name, without their selections; those whose files are damaged are left out."""
    kept = [view for file in _folder().glob("[!.]*.json") if (view := _named(file)) is not None]
    return sorted(kept, key=lambda view: (view.name.casefold(), view.token))


def damaged() -> int:
    """How many files of the visitor's are no views."""
    return sum(_named(file) is None for file in _folder().glob("[!.]*.json"))


def find(token: str) -> SavedView:
    """The visitor's view of this token, whole. Raises InputError: there is none, or its file is damaged."""
    file = _folder() / f"{token}.json"
    if not _TOKEN.fullmatch(token) or not file.is_file():
        raise InputError("The view of this link is not here: it was removed, or it belongs to someone else.")
    return _read(text_of(file, _MOST_BYTES), token)


def _read(text: str, token: str) -> SavedView:
    """What a file holds; raises InputError where it is damaged."""
    try:
        view = SavedView(**parse_json(text, "The saved view"), token=token)
    except (TypeError, ValidationError):
        view = None
    if view is None or not 0 < len(view.name) <= LONGEST_NAME:
        raise InputError("The saved view is damaged; remove it, and save it again.")
    return view


def _named(file: Path) -> SavedView | None:
    try:
        stat = file.stat()
    except OSError:  # removed meanwhile
        return None
    return _read_once(file, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=2000)
def _read_once(file: Path, mtime_ns: int, size: int) -> SavedView | None:
    """A view without its selection; None for a damaged one."""
    try:
        return replace(_read(text_of(file, _MOST_BYTES), file.stem), rows="") if _TOKEN.fullmatch(file.stem) else None
    except InputError:
        return None


def _free_name(given: str, token: str) -> str:
    name = " ".join(given.split())
    if not name:
        raise InputError("Give the view a name.")
    if len(name) > LONGEST_NAME:
        raise InputError(f"The name has {len(name)} characters; use at most {LONGEST_NAME}.")
    if any(view.name.casefold() == name.casefold() and view.token != token for view in all_views()):
        raise InputError(f"You already have a view “{name}”; choose another name, or remove that view.")
    return name


def _write(view: SavedView) -> None:
    check_may("edit")
    values = [value for each in view.parameters.values() for value in each]
    if len(values) > _MOST_PARAMETERS or any(len(value) > _LONGEST_VALUE for value in values):
        raise InputError("This view is too large to save; remove some filters or terms.")
    content = json.dumps({name: value for name, value in asdict(view).items() if name != "token"}).encode()
    if len(content) > _MOST_BYTES:
        raise InputError("The selection is too large to save; select fewer images.")
    write_atomic(_folder() / f"{view.token}.json", content)


def _folder() -> Path:
    return own_dir() / VIEWS
