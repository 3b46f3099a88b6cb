"""Tags, values and notes that people give to images in the app (`likeness.tagging`): where they lie, who may give them, and in whose name."""

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
    """What people have said of the images of a dataset, whatever their encoder."""
    return TagStore(file_of(entry), table.frame.columns)


def file_of(entry: DatasetEntry) -> Path:
    """Where it lies: of uploads to a shared server with all else that is their owner's, of others where the command line finds it.
    Raises InputError: the images may not be read."""
    file = tags_file(resolve_entry(entry))
    return visitors_dir() / entry.owner / TAGS / file.name if server().shared and entry.owner else file


def remove(entry: DatasetEntry) -> None:
    """Removes what people have said of the images of a dataset that is gone. Raises InputError: it cannot be removed."""
    file = file_of(entry)
    try:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{file}{suffix}").unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"The labels of '{entry.name}' cannot be removed ({error.strerror or error}); allow it, and remove it again.") from error


def who() -> str:
    """In whose name the visitor labels: the account's, the browser's; where the server is not shared, a program's token's or the machine's user."""
    if server().shared:
        return account() or f"visitor {hashlib.sha256((visitor() or '').encode()).hexdigest()[:8]}"  # not the folder's name, from which ids follow
    scope = request_scope()
    if scope is not None:
        return str(scope.get(PROGRAM, "program"))
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return "me"


def refusal_to_tag(entry: DatasetEntry, table: ImageTable) -> str:
    """Why the visitor may not label the images of a dataset, in a sentence; empty if allowed.

    Visitors may label their own images; those that everyone sees only where people sign in, so that each label has a name.
    """
    if not table.has_images:
        return "Labels belong to images by their paths, and these rows have none."
    if server().shared and entry.owner and entry.owner != visitor():
        return "These images are someone else's; upload them as your own to label them."
    if server().shared and not entry.owner and not server().has_accounts:
        return "Everyone on this server sees these images, and nobody signs in; upload them as your own to label them."
    return refusal("edit")


def edit_labels(entry: DatasetEntry, table: ImageTable, work: Callable[[TagStore, str], Edit]) -> Edit:
    """What `work` does with the labels of a dataset in the visitor's name; all that pages write goes through here.
    Raises InputError: the visitor may not, or what the store refuses."""
    raise_reason(refusal_to_tag(entry, table))
    return work(store_of(entry, table), who())


def reset_label_versions() -> None:
    """Called at the beginning of a page's run, all of which then sees the labels of one moment, and asks their file once."""
    _versions.set({})


def version(entry: DatasetEntry) -> int:
    """The number of the newest edit of a dataset's labels, 0 where there is none; it grows with each, whoever makes it."""
    return _state(entry).version


def newest_version(entry: DatasetEntry) -> int:
    """As `version`, of now and not of when this run of a page began."""
    return _read_version(file_of(entry)).version


def problem(entry: DatasetEntry) -> str:
    """Why the labels of a dataset cannot be read; empty where they can."""
    try:
        counts(entry)
    except InputError as error:
        return redact(error)
    return ""


def counts(entry: DatasetEntry) -> pd.DataFrame:
    """As `TagStore.counts`, read again only after an edit. Raises InputError: the file cannot be read."""
    return _read_store("counts", *_state(entry))  # type: ignore[no-any-return]


def given_order(entry: DatasetEntry) -> list[tuple[str, str]]:
    """As `TagStore.given_order`, read again only after an edit. Raises InputError: the file cannot be read."""
    return _read_store("given_order", *_state(entry))  # type: ignore[no-any-return]


def can_undo(entry: DatasetEntry) -> tuple[bool, bool]:
    """Whether the visitor has an edit of these labels to undo, and one to redo."""
    return TagStore(file_of(entry)).can_undo(who()) if version(entry) > 0 else (False, False)


def frozen(entry: DatasetEntry, frame: pd.DataFrame, name: str) -> Path | None:
    """A file of what images have of a tag or attribute now, for a run that learns from it while people go on labeling; None where none has.
    Raises InputError: the labels cannot be read or written, or a name that no file can have."""
    known = counts(entry)
    kinds = dict(zip(known["name"], known["kind"], strict=True))
    held = column_of(frame, name)
    if name not in kinds or held is None:
        return None
    column = frame[held]
    labels = column.map({True: "yes", False: "no"}) if kinds[name] == "tag" else column
    if Path(name).name != name or name.startswith(".") or len(name.encode()) > 200:
        raise InputError(f"No file can be called '{name}', so no run learns from it; give the images an attribute of another name.")
    content = csv_bytes(pd.DataFrame({"path": frame["path"], "label": labels})[labels.notna().to_numpy()])
    place = cache_dir() / "generated" / LABELS / entry.id if server().shared and not entry.owner else added_labels.folder_of(entry)
    file = place / _BY_HAND / hashlib.sha256(content).hexdigest()[:16] / f"{name}.csv"
    if not file.exists():
        write_atomic(file, content)
    return file


def column_of(frame: pd.DataFrame, name: str) -> str | None:
    """The column that holds a tag or an attribute that people gave, which has another name where the dataset has such a column; None for none."""
    columns: dict[str, str] = frame.attrs.get("tag_columns", {})
    return columns.get(name)


def labels_of(frame: pd.DataFrame, row: int) -> list[tuple[str, str]]:
    """Names and values (empty for tags) of the labels that people gave one image."""
    held = {name: frame[column].iloc[row] for name, column in frame.attrs.get("tag_columns", {}).items() if name != NOTE}
    given = {name: value for name, value in held.items() if not pd.isna(value) and value}
    return [(name, "" if isinstance(value, bool | np.bool_) else str(value)) for name, value in given.items()]


def tagged(entry: DatasetEntry, space: Space) -> Space:
    """A space with what people have said of its images as attributes, the same object as long as nobody says more."""
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
    """Which file, and its newest edit; one that took the place of another has another number."""

    file: Path
    inode: int
    version: int


_versions = Item[dict[Path, LabelVersion] | None](key="label_versions")  # by file, within one run of a page


def _state(entry: DatasetEntry) -> LabelVersion:
    """Within a page's run as it was when this was first asked."""
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
