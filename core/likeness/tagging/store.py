"""`TagStore`: manual tags, values and notes of a dataset's images."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from sqlite3 import Connection
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import plain_name
from likeness.tagging import columns, edits
from likeness.tagging.edits import YES, Change, Edit
from likeness.tagging.names import LONGEST_VALUE, NOTE, Kind, check_name, check_note, check_paths, check_value, check_who
from likeness.tagging.tag_file import copy_file, reading, writing

P = ParamSpec("P")
T = TypeVar("T")
WAIT_SECONDS = 10.0  # for others that write
MOST_LOGGED = 1_000_000  # edits shown


@dataclass(frozen=True)
class NewColumn:
    """New values of one column for `TagStore.set_columns`: a text per image ("yes" for a tag), "" to remove the value, or None to keep it. Notes have
    the name `likeness.tagging.NOTE`.
    """

    name: str
    kind: Kind
    values: Sequence[str | None]


class TagStore:
    """Tags (yes or no, several for an image), attributes (one value for an image) and notes of a dataset's images, in an SQLite file.

    Images are identified by path in the table, so that labels survive when images are added. Each writing call is one edit, with author and time:
    atomic, and on disk when the call returns. Several people, threads and processes may read and write at once. The caller checks permissions.
    InputError: by every call, for invalid names and values (`likeness.tagging.names`), and for a file that cannot be read or written, is damaged or
    belongs to another program. Nothing is changed then.

    Args:
        path: of the file; the first edit creates it (`likeness.tagging.tags_file`).
        reserved: names of the dataset's columns, which no tag or attribute may have.
        wait_seconds: how long an edit waits for others.

    Example:
        >>> import tempfile
        >>> store = TagStore(Path(tempfile.mkdtemp()) / "photos.sqlite")
        >>> store.add_tag(["a.jpg", "b.jpg"], "good", who="ada").images
        2
        >>> store.set_value(["a.jpg"], "breed", "beagle", who="ada").images
        1
        >>> store.columns(["a.jpg", "b.jpg", "c.jpg"])["good"].tolist()
        [True, True, False]
        >>> store.undo("ada").name, store.undo("ada").name, store.columns(["a.jpg"]).shape
        ('breed', 'good', (1, 0))
    """

    def __init__(self, path: Path, reserved: Collection[str] = (), wait_seconds: float = WAIT_SECONDS) -> None:
        self.path = path
        self.reserved = tuple(map(str, reserved))
        self.wait_seconds = wait_seconds

    def add_tag(self, paths: Iterable[str], name: str, who: str) -> Edit:
        """Adds a tag to images."""
        return self._edit("add", paths, name, "tag", YES, who)

    def remove_tag(self, paths: Iterable[str], name: str, who: str) -> Edit:
        """Removes a tag from images that have it."""
        return self._edit("remove", paths, name, "tag", None, who)

    def set_value(self, paths: Iterable[str], name: str, value: str, who: str) -> Edit:
        """Sets a value of an attribute on images, replacing existing values."""
        return self._edit("set", paths, name, "attribute", check_value(value), who)

    def clear_value(self, paths: Iterable[str], name: str, who: str) -> Edit:
        """Removes the value of an attribute from images."""
        return self._edit("clear", paths, name, "attribute", None, who)

    def set_note(self, paths: Iterable[str], text: str, who: str) -> Edit:
        """Sets the note of images, replacing existing ones; an empty text removes it."""
        return self._edit("note", paths, NOTE, "note", check_note(text) or None, who)

    def set_columns(self, paths: Sequence[str], new: Sequence[NewColumn], who: str, action: str = "import") -> Edit:
        """Sets individual values of n distinct images in several columns of n values, as one edit."""
        who, kept = check_who(who), check_paths(paths)
        if len(kept) != len(paths) or any(len(column.values) != len(kept) for column in new):
            raise InputError(f"{len(paths)} paths, of which {len(kept)} differ, do not fit the columns; pass each image once, and a value for each.")
        checked = self.check_columns(new)
        with writing(self.path, self.wait_seconds) as connection:
            changes: list[Change] = []
            for column in checked:
                if not any(column.values) and edits.known_attribute(connection, column.name) is None:
                    continue  # nothing is given, so the name stays free
                attribute = edits.attribute_id(connection, column.name, column.kind)
                ids = edits.value_ids(connection, attribute, (text for text in column.values if text), column.kind)
                changes += [
                    (path, attribute, ids[text] if text else None) for path, text in zip(kept, column.values, strict=True) if text is not None
                ]
            return edits.write_edit(connection, who, action, changes, ", ".join(column.name for column in checked)[:200])

    def rename(self, name: str, new: str, who: str) -> Edit:
        """Renames a tag or an attribute on all images, as one edit; the log has both names.

        InputError: the name is unused, or the new name is a column of the dataset or in use.
        """
        who, name, new = check_who(who), check_name(name), check_name(new, self.reserved)
        with writing(self.path, self.wait_seconds) as connection:
            return edits.rename_attribute(connection, who, name, new)

    def check_columns(self, new: Sequence[NewColumn]) -> list[NewColumn]:
        """The columns with normalized names and values; raises InputError as `set_columns` would."""
        return [self._checked_column(column) for column in new]

    def undo(self, who: str) -> Edit:
        """Undoes a person's newest edit that is not undone; raises InputError if there is none. Images that somebody has changed since are skipped:
        see `Edit.skipped`.
        """
        return self._turn("undo", who)

    def redo(self, who: str) -> Edit:
        """Redoes a person's last undone edit, unless the person has edited since; raises InputError if there is none. Skips images as `undo`."""
        return self._turn("redo", who)

    def can_undo(self, who: str) -> tuple[bool, bool]:
        """Whether the person can undo, and redo."""
        who = check_who(who)
        with reading(self.path, self.wait_seconds) as connection:
            return edits.invertible(connection, who, "undo") is not None, edits.invertible(connection, who, "redo") is not None

    def version(self) -> int:
        """The number of the newest edit, including undos and redos; 0 if there is none. Takes a fraction of a millisecond, so pages may poll it."""
        if not self.path.exists():
            return 0
        with reading(self.path, self.wait_seconds) as connection:
            return int(connection.execute("SELECT COALESCE(MAX(id), 0) FROM edits").fetchone()[0])

    def counts(self) -> pd.DataFrame:
        """A row per tag and value in use: name, kind, value (empty for tags and notes), images."""
        return self._read(columns.read_counts)

    def given_order(self) -> list[tuple[str, str]]:
        """Name and value (empty for tags) of every tag and value ever set by a person, oldest first; excludes those only propagated by the app."""
        return self._read(columns.read_given_order)

    def columns(self, paths: Iterable[str]) -> pd.DataFrame:
        """The values of n images, in the same order: a column per tag (bool), attribute (category, with missing values) and the notes (text). Columns
        without any value in the file are omitted.
        """
        return self._read(columns.read_columns, list(paths))

    def given_together(self, paths: Sequence[str], name: str) -> NDArray[np.int64]:
        """Group numbers (n,), equal for images that got their value of an attribute in one edit, such as from a selection on a map. Values from a
        file or another column, and images without a value, get a unique number each.
        """
        return self._read(columns.read_given_together, check_name(name), paths)

    def labeled_paths(self) -> list[str]:
        """Paths of all images with a tag, value or note, in natural order, including those no longer in the dataset."""
        return self._read(columns.read_labeled_paths)

    def kind_of(self, name: str) -> tuple[str, Kind] | None:
        """Name and kind of a known tag or attribute, ignoring case; None for others."""
        found = self._read(edits.known_attribute, check_name(name))
        return None if found is None else found[1:]

    def log(self, count: int = 100, who: str | None = None, path: str | None = None) -> pd.DataFrame:
        """At most `count` (up to a million) edits, newest first: edit, time (UTC), who, action, name, value, images, skipped, undone; optionally of
        one person or one image.
        """
        who, path = who and check_who(who), path and check_paths([path])[0]
        return self._read(columns.read_log, min(count, MOST_LOGGED), who, path)

    def copy_to(self, file: Path) -> None:
        """Writes a consistent copy of the file for backups, while others may write. `file` must not exist."""
        copy_file(self.path, file)

    def _read(self, what: Callable[Concatenate[Connection, P], T], *given: P.args, **options: P.kwargs) -> T:
        with reading(self.path, self.wait_seconds) as connection:
            return what(connection, *given, **options)

    def _turn(self, action: edits.Turn, who: str) -> Edit:
        """Undoes or redoes; without a file, an empty database raises the error that there is nothing to do."""
        who = check_who(who)
        with writing(self.path, self.wait_seconds) if self.path.exists() else reading(self.path, self.wait_seconds) as connection:
            return edits.invert_edit(connection, who, action)

    def _edit(self, action: str, paths: Iterable[str], name: str, kind: Kind, value: str | None, who: str) -> Edit:
        who, kept = check_who(who), check_paths(paths)
        name = NOTE if kind == "note" else self._name(name, kind, is_new=value is not None)
        with writing(self.path, self.wait_seconds) as connection:
            attribute = edits.attribute_id(connection, name, kind)
            number = None if value is None else edits.value_ids(connection, attribute, [value], kind)[value]
            changes = ((path, attribute, number) for path in kept)
            shown = "" if value is None or kind == "tag" else value.partition("\n")[0][:LONGEST_VALUE]
            return edits.write_edit(connection, who, action, changes, name, shown)

    def _name(self, name: str, kind: Kind, is_new: bool = True) -> str:
        """The existing spelling of a name, or the normalized new name if one may be created; reserved columns only restrict new names."""
        known = self.kind_of(name)
        if known is not None:
            edits.check_kind(known, kind)
            return known[0]
        if is_new:
            return check_name(name, self.reserved)
        there = ", ".join(f"'{each}'" for each in self.counts()["name"].unique()[:20]) or "none"
        raise InputError(f"There is no {kind} '{plain_name(name)}' here; there are: {there}.")

    def _checked_column(self, column: NewColumn) -> NewColumn:
        check = {"tag": _check_yes, "attribute": check_value, "note": check_note}[column.kind]
        distinct = {text: check(text) for text in set(column.values) if text}
        name = NOTE if column.kind == "note" else self._name(column.name, column.kind)
        return replace(column, name=name, values=[distinct.get(text, text) if text else text for text in column.values])


def _check_yes(text: str) -> str:
    if text != YES:
        raise InputError(f"A tag must be '{YES}' or empty, not '{plain_name(text)}'; use an attribute for other values.")
    return text
