"""Tags, values and notes that people give to images (`likeness.tagging`): their storage, permissions and authors."""

import getpass
import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from streamlit.runtime.scriptrunner import get_script_run_ctx

from likeness.data import DatasetEntry, ImageTable
from likeness.errors import InputError
from likeness.io import cache_dir, csv_bytes, write_atomic
from likeness.space import Space
from likeness.tagging import NOTE, Edit, TagStore, tags_file, with_tags
from server import added_labels
from server.access import raise_reason, redact, refusal, resolve_entry
from server.accounts import PROGRAM, account, request_scope
from server.settings import server
from server.visitors import LABELS, TAGS, visitor, visitors_dir
from state import Item

_BY_HAND = "by_hand"  # folder of files of labels as they were when a run began
_DAMAGED = -1  # in place of a version


def store_of(entry: DatasetEntry, table: ImageTable) -> TagStore:
    """Key of the labels of a dataset's images, whatever their encoder."""
    return TagStore(file_of(entry), table.frame.columns)


def file_of(entry: DatasetEntry) -> Path:
    """Path of the labels: in the owner's folder for uploads to a shared server, else where the command line finds them. Raises InputError: the images
    may not be read."""
    file = tags_file(resolve_entry(entry))
    return visitors_dir() / entry.owner / TAGS / file.name if server().shared and entry.owner else file


def remove(entry: DatasetEntry) -> None:
    """Deletes the labels of a removed dataset. Raises InputError: it cannot be removed."""
    file = file_of(entry)
    try:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{file}{suffix}").unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"The labels of '{entry.name}' could not be removed ({error.strerror or error}); fix the file permissions and try again."
        ) from error


def who() -> str:
    """The author of the visitor's labels: an account, a browser, or on a server that is not shared, a program's token or the machine's user."""
    if server().shared:
        return account() or f"visitor {hashlib.sha256((visitor() or '').encode()).hexdigest()[:8]}"  # not the folder's name, from which ids follow
    scope = request_scope()
    if scope is not None:
        return str(scope.get(PROGRAM, "program"))
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return "me"


def refusal_to_tag(entry: DatasetEntry, table: ImageTable) -> str:
    """Why the visitor may not label a dataset; "" if allowed. Visitors may label their own images, and public ones where people sign in."""
    if not table.has_images:
        return "Labels need image paths, and these rows have none."
    if server().shared and entry.owner and entry.owner != visitor():
        return "These images belong to someone else; upload your own copy to label it."
    if server().shared and not entry.owner and not server().has_accounts:
        return "These images are public, and this server has no accounts; upload your own copy to label it."
    return refusal("edit")


def edit_labels(entry: DatasetEntry, table: ImageTable, work: Callable[[TagStore, str], Edit]) -> Edit:
    """Applies `work` to the labels of a dataset in the visitor's name; pages write labels only through here. Raises InputError: the visitor may not,
    or what the store refuses."""
    raise_reason(refusal_to_tag(entry, table))
    return work(store_of(entry, table), who())


def reset_label_versions() -> None:
    """Called first in a page's run: all of the run sees the same labels, and their file is checked once."""
    _versions.set({})


def version(entry: DatasetEntry) -> int:
    """Number of the newest edit of a dataset's labels, 0 without edits; every edit increases it."""
    return _state(entry).version


def newest_version(entry: DatasetEntry) -> int:
    """Like `version`, but reads the current number even within a page's run."""
    return _read_version(file_of(entry)).version


def problem(entry: DatasetEntry) -> str:
    """Why the labels of a dataset cannot be read; "" if they can."""
    try:
        counts(entry)
    except InputError as error:
        return redact(error)
    return ""


def counts(entry: DatasetEntry) -> pd.DataFrame:
    """`TagStore.counts`, read again only after an edit. Raises InputError: the file cannot be read."""
    return _read_store("counts", *_state(entry))  # type: ignore[no-any-return]


def given_order(entry: DatasetEntry) -> list[tuple[str, str]]:
    """`TagStore.given_order`, read again only after an edit. Raises InputError: the file cannot be read."""
    return _read_store("given_order", *_state(entry))  # type: ignore[no-any-return]


def can_undo(entry: DatasetEntry) -> tuple[bool, bool]:
    """Whether the visitor can undo and redo an edit of these labels."""
    return TagStore(file_of(entry)).can_undo(who()) if version(entry) > 0 else (False, False)


def frozen(entry: DatasetEntry, frame: pd.DataFrame, name: str) -> Path | None:
    """A file of the current values of a tag or attribute, so that a run can learn from it while labeling continues; None if no image has one. Raises
    InputError: the labels cannot be read or written, or the name cannot be a file's."""
    known = counts(entry)
    kinds = dict(zip(known["name"], known["kind"], strict=True))
    held = column_of(frame, name)
    if name not in kinds or held is None:
        return None
    column = frame[held]
    labels = column.map({True: "yes", False: "no"}) if kinds[name] == "tag" else column
    if Path(name).name != name or name.startswith(".") or len(name.encode()) > 200:
        raise InputError(f"A run cannot learn from '{name}', since a file cannot have this name; use an attribute with another name.")
    content = csv_bytes(pd.DataFrame({"path": frame["path"], "label": labels})[labels.notna().to_numpy()])
    place = cache_dir() / "generated" / LABELS / entry.id if server().shared and not entry.owner else added_labels.folder_of(entry)
    file = place / _BY_HAND / hashlib.sha256(content).hexdigest()[:16] / f"{name}.csv"
    if not file.exists():
        write_atomic(file, content)
    return file


def column_of(frame: pd.DataFrame, name: str) -> str | None:
    """Column of a tag or attribute given in the app, renamed if the dataset has such a column already; None if there is none."""
    columns: dict[str, str] = frame.attrs.get("tag_columns", {})
    return columns.get(name)


def labels_of(frame: pd.DataFrame, row: int) -> list[tuple[str, str]]:
    """Names and values (empty for tags) of one image's labels."""
    held = {name: frame[column].iloc[row] for name, column in frame.attrs.get("tag_columns", {}).items() if name != NOTE}
    given = {name: value for name, value in held.items() if not pd.isna(value) and value}
    return [(name, "" if isinstance(value, bool | np.bool_) else str(value)) for name, value in given.items()]


def tagged(entry: DatasetEntry, space: Space) -> Space:
    """The space with the labels as attributes; the same object until the labels change."""
    now = _state(entry)
    if not space.table.has_images or now.version <= 0:
        return space
    before, found = _tagged.get(space, (None, space))
    if before != now:
        try:
            found = space.with_table(with_tags(space.table, store_of(entry, space.table)))
        except InputError:  # `problem` says why
            return space
        _tagged[space] = now, found
    return found


class LabelVersion(NamedTuple):
    """Identifies the file and its newest edit; a replaced file has another id."""

    file: Path
    inode: int
    version: int


_versions = Item[dict[Path, LabelVersion] | None](key="label_versions")  # by file, within one run of a page


def _state(entry: DatasetEntry) -> LabelVersion:
    """The version at its first use in this page's run."""
    file = file_of(entry)
    known = None if get_script_run_ctx(suppress_warning=True) is None else _versions.get()
    if known is None:
        return _read_version(file)
    if file not in known:
        known[file] = _read_version(file)
    return known[file]


def _read_version(file: Path) -> LabelVersion:
    try:
        return LabelVersion(file, file.stat().st_ino, TagStore(file).version())
    except OSError:
        return LabelVersion(file, 0, 0)
    except InputError:
        return LabelVersion(file, 0, _DAMAGED)


@lru_cache(maxsize=128)
def _read_store(what: str, file: Path, inode: int, version: int) -> Any:
    return getattr(TagStore(file), what)()


_tagged: "WeakKeyDictionary[Space, tuple[LabelVersion | None, Space]]" = WeakKeyDictionary()
