"""One checksum per edit in the tag file, so that a bit flip on disk is detected instead of read as another label.

The checksum of an edit covers its log row, its changes, and the image, attribute and value names that it added. The current values (`state`) belong
to no single edit; they are compared with the sum of all changes. Files of older versions get checksums with their next edit.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable

_TABLE = """CREATE TABLE IF NOT EXISTS checksums (edit INTEGER PRIMARY KEY, images INTEGER NOT NULL, attributes INTEGER NOT NULL,
    attribute_values INTEGER NOT NULL, changes TEXT NOT NULL, names TEXT NOT NULL) STRICT
"""
_NAMES = ("images", "attributes", "attribute_values")  # tables whose rows come with an edit and stay; the highest number of each stands beside
# One number for a row, and prime; a changed field or a lost row changes the sum.
_ROW = "(attribute * 1000003 + image * 998244 + IFNULL({0}value, 0) * 786433 + {0}edit * 611953) % 2147483647"
_BYTES = 16
# Of an edit that is left out, what an undo has brought back becomes what was there before it.
_BEFORE = """UPDATE changes SET (after_value, after_edit) = (SELECT p.after_value, p.after_edit FROM changes p
    WHERE p.attribute = changes.attribute AND p.image = changes.image AND p.edit < ?1 ORDER BY p.edit DESC LIMIT 1)
    WHERE after_edit = ?1 AND edit <> ?1
"""
# What each change found, and what images have now, by the changes that are left.
_FOLLOW = (
    "UPDATE changes SET (before_value, before_edit) = (SELECT p.after_value, p.after_edit FROM changes p"
    " WHERE p.attribute = changes.attribute AND p.image = changes.image AND p.edit < changes.edit ORDER BY p.edit DESC LIMIT 1)",
    "DELETE FROM state",
    "INSERT INTO state SELECT attribute, image, after_value, after_edit FROM (SELECT *, MAX(edit) FROM changes GROUP BY attribute, image)"
    " WHERE after_edit IS NOT NULL",
)


class DamagedError(Exception):
    """A tag file was corrupted; the message says where, such as " in edit 7", if known."""


def seal(connection: sqlite3.Connection) -> None:
    """Writes missing checksums: of a new edit, and in a file of an older version of all edits before it."""
    connection.execute(_TABLE)
    newest, *before = connection.execute(f"SELECT edit, {', '.join(_NAMES)} FROM checksums ORDER BY edit DESC LIMIT 1").fetchone() or (0, 0, 0, 0)
    new = [edit for (edit,) in connection.execute("SELECT id FROM edits WHERE id > ? ORDER BY id", (newest,))]
    now = [connection.execute(f"SELECT IFNULL(MAX(id), 0) FROM {table}").fetchone()[0] for table in _NAMES]
    for edit in new:
        row = (edit, *now, _changes_digest(connection, edit), _names_digest(connection, before, now))
        connection.execute("INSERT INTO checksums VALUES (?, ?, ?, ?, ?, ?)", row)
        before = now


def verify(connection: sqlite3.Connection) -> None:
    """Raises DamagedError if the content does not match the checksums, or sqlite3.Error if SQLite cannot read the file."""
    if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        raise DamagedError
    damaged = _damaged(connection)
    if damaged:
        raise DamagedError(f" in edit {next(iter(damaged))}")
    (held,) = connection.execute(f"SELECT IFNULL(SUM({_ROW.format('')}), 0) FROM state").fetchone()
    given = f"SUM(CASE WHEN after_edit IS NULL THEN 0 ELSE {_ROW.format('after_')} END)"
    taken = f"SUM(CASE WHEN before_edit IS NULL THEN 0 ELSE {_ROW.format('before_')} END)"
    if connection.execute(f"SELECT IFNULL({given} - {taken}, 0) FROM changes").fetchone() != (held,):
        raise DamagedError(" in the current values")


def is_sound(connection: sqlite3.Connection) -> bool:
    """True if `verify` finds no damage."""
    try:
        verify(connection)
    except (DamagedError, sqlite3.Error):
        return False
    return True


def repair(connection: sqlite3.Connection) -> list[int]:
    """Drops edits with wrong checksums, their undos and redos, and changes of names that came with them and are damaged, too. The current values are
    recomputed from the other edits. Returns the numbers of the dropped edits. Raises DamagedError if the file has no checksums or other damage.
    """
    # damage may be in an index only, which is rebuilt from its table
    connection.execute("REINDEX")
    if not _has_any(connection) or connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        raise DamagedError
    damaged = _damaged(connection)
    left_out = list(damaged)
    for edit in left_out:
        left_out += [each for (each,) in connection.execute("SELECT id FROM edits WHERE target = ?", (edit,)) if each not in left_out]
    connection.execute("CREATE INDEX repairing ON changes (attribute, image, edit)")
    for limits in damaged.values():
        for table, column, between in zip(_NAMES, ("image", "attribute", "after_value"), limits, strict=False):
            connection.execute(f"DELETE FROM changes WHERE {column} > ? AND {column} <= ?", between)
            connection.execute(f"DELETE FROM {table} WHERE id > ? AND id <= ?", between)
    # newest first: what an undo restored from an older dropped edit is replaced when that one follows
    for edit in sorted(left_out, reverse=True):
        connection.execute(_BEFORE, (edit,))
        connection.execute("DELETE FROM changes WHERE edit = ?", (edit,))
        connection.execute("DELETE FROM edits WHERE id = ?", (edit,))
        connection.execute("DELETE FROM checksums WHERE edit = ?", (edit,))
    for statement in _FOLLOW:
        connection.execute(statement)
    connection.execute("DROP INDEX repairing")
    for table in _NAMES:  # numbers that have become free are those of names to come
        connection.execute(f"UPDATE checksums SET {table} = MIN({table}, (SELECT IFNULL(MAX(id), 0) FROM {table}))")
    before = [0, 0, 0]
    for edit, *now, _, _ in connection.execute("SELECT * FROM checksums ORDER BY edit").fetchall():
        digests = (_changes_digest(connection, edit), _names_digest(connection, before, now))
        connection.execute("UPDATE checksums SET changes = ?, names = ? WHERE edit = ?", (*digests, edit))
        before = now
    return sorted(left_out)


def _has_any(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'checksums'").fetchone() is not None


def _damaged(connection: sqlite3.Connection) -> dict[int, list[tuple[int, int]]]:
    """The edits with wrong checksums; if the names that an edit added are damaged, with their range of ids."""
    found: dict[int, list[tuple[int, int]]] = {}
    before = [0, 0, 0]
    for edit, *now, changes, names in connection.execute("SELECT * FROM checksums ORDER BY edit").fetchall() if _has_any(connection) else ():
        if _names_digest(connection, before, now) != names:
            found[edit] = list(zip(before, now, strict=True))
        elif _changes_digest(connection, edit) != changes:
            found[edit] = []
        before = now
    return found


def _changes_digest(connection: sqlite3.Connection, edit: int) -> str:
    """Digest of an edit's log row and changes, concatenated in SQL, because fetching a row per image would be slower."""
    changed = (
        "SELECT group_concat(attribute || ' ' || image || ' ' || IFNULL(before_value, '') || ' ' || IFNULL(before_edit, '') || ' ' ||"
        " IFNULL(after_value, '') || ' ' || IFNULL(after_edit, '')) FROM (SELECT * FROM changes WHERE edit = ? ORDER BY attribute, image)"
    )
    return _digest(connection.execute(each, (edit,)).fetchall() for each in ("SELECT * FROM edits WHERE id = ?", changed))


def _names_digest(connection: sqlite3.Connection, before: list[int], now: list[int]) -> str:
    """Digest of the names in these ranges of ids."""
    selected = zip(_NAMES, before, now, strict=True)
    return _digest(
        connection.execute(f"SELECT * FROM {table} WHERE id > ? AND id <= ? ORDER BY id", limits).fetchall() for table, *limits in selected
    )


def _digest(content: Iterable[object]) -> str:
    return hashlib.blake2b(json.dumps(list(content), default=repr).encode(), digest_size=_BYTES).hexdigest()
