"""Edits of the tag file; nothing else writes to it. Each edit records values before and after (`changes`), from which the state follows.

Only its author can undo an edit, and only on images that still have the value the edit left. Somebody else who sets the same value again owns it
then: it stays when the first edit is undone.
"""

import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from likeness.errors import InputError
from likeness.tagging.names import MOST_NAMES, MOST_VALUES, Kind, name_key

YES = "yes"  # the one value of a tag

Change = tuple[str, int, int | None]  # path, attribute, value; None removes it
Turn = Literal["undo", "redo"]


@dataclass(frozen=True)
class Edit:
    """The result of an edit.

    Attributes:
        id: its number in the log, from 1; 0 if there was nothing to do, which is not logged.
        skipped: number of images that an undo or redo skipped, because somebody has changed them since.
        action: "add", "remove", "set", "clear", "note", "import", "rename", "undo" or "redo".
        name, value: what was set or removed; empty if several. Of "rename" the name is "OLD → NEW".
    """

    id: int
    images: int
    skipped: int = 0
    action: str = ""
    name: str = ""
    value: str = ""


def attribute_id(connection: sqlite3.Connection, name: str, kind: Kind) -> int:
    """The id of a tag, an attribute or the notes, created if needed; raises InputError if the name has another kind, or there are too many names."""
    known = known_attribute(connection, name)
    if known is None:
        if connection.execute("SELECT COUNT(*) FROM attributes").fetchone()[0] >= MOST_NAMES:
            raise InputError(f"There are {MOST_NAMES:,} tags and attributes, which is the limit; use one of them instead of '{name}'.")
        return _inserted(connection, "INSERT INTO attributes (name, key, kind) VALUES (?, ?, ?)", (name, name_key(name), kind))
    check_kind(known[1:], kind)
    return known[0]


def check_kind(known: tuple[str, Kind], kind: Kind) -> None:
    """Raises InputError unless the existing kind of this name is the wanted one."""
    name, there = known
    if there != kind:
        was = "is a tag here, which has no values" if there == "tag" else "is an attribute with values here, not a tag"
        raise InputError(f"'{name}' {was}; use it as such, or choose another name.")


def known_attribute(connection: sqlite3.Connection, name: str) -> tuple[int, str, Kind] | None:
    """Id, name and kind of a tag or attribute, ignoring case; None if there is none."""
    found = connection.execute("SELECT id, name, kind FROM attributes WHERE key = ?", (name_key(name),)).fetchone()
    return None if found is None else (int(found[0]), str(found[1]), found[2])


def value_ids(connection: sqlite3.Connection, attribute: int, texts: Iterable[str], kind: Kind = "attribute") -> dict[str, int]:
    """The id of each text as a value of an attribute; raises InputError for too many distinct values."""
    wanted = sorted(set(texts))
    connection.executemany("INSERT OR IGNORE INTO attribute_values (attribute, text) VALUES (?, ?)", [(attribute, text) for text in wanted])
    one = " AND text = ?" if len(wanted) == 1 else ""  # the others' texts may be many
    given = (attribute, *wanted) if one else (attribute,)
    rows = connection.execute(f"SELECT text, id FROM attribute_values WHERE attribute = ?{one}", given).fetchall()
    count = connection.execute("SELECT COUNT(*) FROM attribute_values WHERE attribute = ?", (attribute,)).fetchone()[0]
    if kind != "note" and count > MOST_VALUES:
        raise InputError(f"An attribute has at most {MOST_VALUES:,} different values; write what differs for each image into its note.")
    return dict(rows)


def write_edit(connection: sqlite3.Connection, who: str, action: str, changes: Iterable[Change], name: str = "", value: str = "") -> Edit:
    """Writes an edit and updates the state. Images that have the value already from the same person, or have nothing to remove, are skipped."""
    connection.execute("CREATE TEMP TABLE given (path TEXT, attribute INTEGER, value INTEGER)")
    connection.executemany("INSERT INTO given VALUES (?, ?, ?)", changes)
    connection.execute("INSERT OR IGNORE INTO images (path) SELECT path FROM given WHERE value IS NOT NULL")
    edit = _logged(connection, who, action, name, value)
    connection.execute(
        "INSERT INTO changes SELECT ?1, g.attribute, i.id, s.value, s.edit, g.value, ?1 FROM given g JOIN images i ON i.path = g.path"
        " LEFT JOIN state s ON s.attribute = g.attribute AND s.image = i.id"
        " WHERE NOT (s.value IS g.value AND (s.edit IS NULL OR (SELECT e.who FROM edits e WHERE e.id = s.edit) = ?2))",
        (edit, who),
    )
    connection.execute("DROP TABLE given")
    images = _apply(connection, edit)
    if not images:
        connection.execute("DELETE FROM edits WHERE id = ?", (edit,))
        connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'edits'", (edit - 1,))
        return Edit(0, 0, 0, action, name, value)
    connection.execute("UPDATE edits SET images = ? WHERE id = ?", (images, edit))
    return Edit(edit, images, 0, action, name, value)


def rename_attribute(connection: sqlite3.Connection, who: str, name: str, new: str) -> Edit:
    """Moves the values of images to a new name. Raises InputError if the name is unknown or unused, or images have values under the new one."""
    known = known_attribute(connection, name)
    if known is None:
        raise InputError(f"There is no tag or attribute '{name}' here.")
    source, name, kind = known
    target = attribute_id(connection, new, kind)
    if target == source:
        raise InputError(f"'{name}' and '{new}' are the same name; choose another.")
    if _held(connection, target):
        raise InputError(f"Images have '{new}' already; choose another name, or add '{new}' to the other images and remove '{name}'.")
    held = _held(connection, source)
    if not held:
        raise InputError(f"No image has '{name}', so there is nothing to rename.")
    ids = value_ids(connection, target, {text for _, text in held}, kind)
    changes: list[Change] = [(path, source, None) for path, _ in held]
    return write_edit(connection, who, "rename", changes + [(path, target, ids[text]) for path, text in held], f"{name} → {new}")


def _held(connection: sqlite3.Connection, attribute: int) -> list[tuple[str, str]]:
    """Path and value of all images with a value of an attribute."""
    select = "SELECT i.path, v.text FROM state s JOIN images i ON i.id = s.image JOIN attribute_values v ON v.id = s.value WHERE s.attribute = ?"
    return connection.execute(select, (attribute,)).fetchall()


_INVERTIBLE = {
    "undo": "SELECT id, id FROM edits e WHERE who = ? AND target IS NULL AND"
    " COALESCE((SELECT u.action FROM edits u WHERE u.target = e.id ORDER BY u.id DESC LIMIT 1), '') <> 'undo' ORDER BY id DESC LIMIT 1",
    "redo": "SELECT id, target FROM edits u WHERE who = ?1 AND action = 'undo'"
    " AND id > (SELECT MAX(id) FROM edits WHERE who = ?1 AND target IS NULL)"
    " AND NOT EXISTS (SELECT 1 FROM edits r WHERE r.target = u.target AND r.id > u.id) ORDER BY id DESC LIMIT 1",
}


def invertible(connection: sqlite3.Connection, who: str, action: Turn) -> tuple[int, int] | None:
    """Ids of the edit whose values `invert_edit` would take back, and of the edit that is undone or redone by that."""
    found = connection.execute(_INVERTIBLE[action], (who,)).fetchone()
    return None if found is None else (int(found[0]), int(found[1]))


def invert_edit(connection: sqlite3.Connection, who: str, action: Turn) -> Edit:
    """Undoes a person's newest edit that is not undone; or redoes the last undone one, unless the person has edited since. It restores the values
    before that edit on images that still have its values. Raises InputError if there is none.
    """
    found = invertible(connection, who, action)
    if found is None:
        raise InputError(f"There is no {'edit' if action == 'undo' else 'undone edit'} of '{who}' to {action}.")
    source, target = found
    name, value = connection.execute("SELECT name, value FROM edits WHERE id = ?", (target,)).fetchone()
    edit = _logged(connection, who, action, name, value, target)
    connection.execute(
        "INSERT INTO changes SELECT ?1, c.attribute, c.image, s.value, s.edit, c.before_value, c.before_edit FROM changes c"
        " LEFT JOIN state s ON s.attribute = c.attribute AND s.image = c.image WHERE c.edit = ?2 AND s.edit IS c.after_edit",
        (edit, source),
    )
    images = _apply(connection, edit)
    touched = connection.execute("SELECT COUNT(DISTINCT image) FROM changes WHERE edit = ?", (source,)).fetchone()[0]
    connection.execute("UPDATE edits SET images = ?, skipped = ? WHERE id = ?", (images, touched - images, edit))
    return Edit(edit, images, touched - images, action, name, value)


def _apply(connection: sqlite3.Connection, edit: int) -> int:
    """Updates the state to the values of an edit; returns its number of images."""
    gone = "SELECT attribute, image FROM changes WHERE edit = ? AND after_edit IS NULL"
    connection.execute(f"DELETE FROM state WHERE (attribute, image) IN ({gone})", (edit,))
    new = "SELECT attribute, image, after_value, after_edit FROM changes WHERE edit = ? AND after_edit IS NOT NULL"
    connection.execute(f"INSERT OR REPLACE INTO state {new}", (edit,))
    return int(connection.execute("SELECT COUNT(DISTINCT image) FROM changes WHERE edit = ?", (edit,)).fetchone()[0])


def _logged(connection: sqlite3.Connection, who: str, action: str, name: str, value: str, target: int | None = None) -> int:
    columns = "time, who, action, name, value, target, images, skipped"
    return _inserted(connection, f"INSERT INTO edits ({columns}) VALUES (?, ?, ?, ?, ?, ?, 0, 0)", (time.time(), who, action, name, value, target))


def _inserted(connection: sqlite3.Connection, statement: str, values: tuple[object, ...]) -> int:
    return int(connection.execute(statement, values).lastrowid or 0)
