"""Read queries of `TagStore`. Each attribute is fetched as two strings of numbers, because a row per image would be slower."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import natural_key
from likeness.tagging.edits import known_attribute
from likeness.tagging.names import name_key
from likeness.tagging.tag_file import DamagedError

Ids = NDArray[np.int64]

_KINDS = ("tag", "attribute", "note")


def read_columns(connection: sqlite3.Connection, paths: Sequence[str]) -> pd.DataFrame:
    number = dict(connection.execute("SELECT path, id FROM images"))
    largest = max((each for each in number.values() if isinstance(each, int)), default=0)
    rows = np.fromiter((number.get(path, 0) for path in paths), dtype=np.int64, count=len(paths))
    found: dict[str, object] = {}
    for attribute, name, kind in _attributes(connection):
        images, values = _assigned(connection, attribute)
        if len(images) and not (images.min() > 0 and images.max() <= largest):
            raise DamagedError
        if not len(images):
            continue
        by_image = np.zeros(largest + 1, dtype=np.int64)
        by_image[images] = values
        found[name] = by_image[rows] > 0 if kind == "tag" else _category(connection, attribute, by_image[rows], np.unique(values))
        if kind == "note":
            found[name] = pd.Series(found[name], dtype=object)  # nearly all differ
    return pd.DataFrame(found, index=range(len(paths)))


def _category(connection: sqlite3.Connection, attribute: int, values: Ids, used: Ids) -> "pd.Categorical[Any]":
    """A categorical column from value ids, where 0 means missing. Categories are those that any image in the file has, in natural order."""
    texts = dict(connection.execute("SELECT id, text FROM attribute_values WHERE attribute = ?", (attribute,)))
    try:
        ordered = sorted(used.tolist(), key=lambda value: natural_key(texts[value]))
        codes = np.full(int(used.max()) + 1, -1, dtype=np.int64)
        codes[ordered] = np.arange(len(ordered))
        kind = pd.CategoricalDtype([texts[value] for value in ordered])
        return pd.Categorical.from_codes(codes[values], dtype=kind)
    except (KeyError, TypeError, ValueError, IndexError, MemoryError) as error:
        raise DamagedError from error


def _attributes(connection: sqlite3.Connection) -> list[tuple[int, str, str]]:
    """Id, name and kind: tags, then attributes, then notes, each in order of creation."""
    found = connection.execute("SELECT id, name, kind, key FROM attributes ORDER BY id").fetchall()
    if any(kind not in _KINDS or not isinstance(name, str) or name_key(name) != key for _, name, kind, key in found):
        raise DamagedError
    return sorted((each[:3] for each in found), key=lambda each: _KINDS.index(each[2]))


def _assigned(connection: sqlite3.Connection, attribute: int) -> tuple[Ids, Ids]:
    """Ids of the images (m,) that have a value, and ids of their values (m,)."""
    select = "SELECT group_concat(image), group_concat(value), COUNT(*) FROM state WHERE attribute = ? AND value IS NOT NULL"
    images, values, count = connection.execute(select, (attribute,)).fetchone()
    try:
        found = [np.array(json.loads(f"[{text or ''}]"), dtype=np.int64) for text in (images, values)]
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise DamagedError from error
    if not len(found[0]) == len(found[1]) == count or (count and found[1].min() < 1):
        raise DamagedError
    return found[0], found[1]


def read_counts(connection: sqlite3.Connection) -> pd.DataFrame:
    rows = []
    for attribute, name, kind in _attributes(connection):
        values, counts = np.unique(_assigned(connection, attribute)[1], return_counts=True)
        if kind == "attribute":
            texts = dict(connection.execute("SELECT id, text FROM attribute_values WHERE attribute = ?", (attribute,)))
            if not set(values.tolist()) <= texts.keys():
                raise DamagedError
            counted = [(texts[value], count) for value, count in zip(values.tolist(), counts.tolist(), strict=True)]
            rows += [(name, kind, *each) for each in sorted(counted, key=lambda each: (-each[1], each[0]))]
        elif len(values):
            rows.append((name, kind, "", int(counts.sum())))
    return pd.DataFrame(rows, columns=["name", "kind", "value", "images"])


def read_given_together(connection: sqlite3.Connection, name: str, paths: Sequence[str]) -> Ids:
    known = known_attribute(connection, name)
    select = (
        "SELECT i.path, s.edit FROM state s JOIN images i ON i.id = s.image JOIN edits e ON e.id = s.edit"
        " WHERE s.attribute = ? AND s.value IS NOT NULL AND e.action = 'set'"
    )
    edits = dict(connection.execute(select, (known[0] if known else -1,)))
    return np.array([edits.get(path, -1 - row) for row, path in enumerate(paths)], np.int64)


def read_given_order(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    kinds = {attribute: (name, kind) for attribute, name, kind in _attributes(connection) if kind != "note"}
    by_hand = (
        "SELECT DISTINCT c.attribute, c.after_value FROM changes c JOIN edits e ON e.id = c.edit"
        " WHERE c.after_value IS NOT NULL AND e.action NOT IN ('spread', 'copies')"
    )
    select = (
        f"SELECT v.attribute, v.text FROM attribute_values v JOIN ({by_hand}) h ON h.attribute = v.attribute AND h.after_value = v.id ORDER BY v.id"
    )
    found = connection.execute(select).fetchall()
    if not all(isinstance(text, str) for _, text in found):
        raise DamagedError
    return [(kinds[each][0], text if kinds[each][1] == "attribute" else "") for each, text in found if each in kinds]


def read_labeled_paths(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute("SELECT path FROM images WHERE id IN (SELECT image FROM state WHERE value IS NOT NULL)").fetchall()
    if not all(isinstance(path, str) for (path,) in found):
        raise DamagedError
    return sorted((path for (path,) in found), key=natural_key)


def read_log(connection: sqlite3.Connection, count: int, who: str | None, path: str | None) -> pd.DataFrame:
    shown = ("edit", "time", "who", "action", "name", "value", "images", "skipped", "undone")
    undone = "COALESCE((SELECT u.action FROM edits u WHERE u.target = e.id ORDER BY u.id DESC LIMIT 1), '') = 'undo'"
    only = "e.id IN (SELECT c.edit FROM changes c JOIN images i ON i.id = c.image WHERE i.path = :path)"
    rows = connection.execute(
        f"SELECT id, time, who, action, name, value, images, skipped, {undone} FROM edits e"
        f" WHERE (:who IS NULL OR who = :who) AND (:path IS NULL OR {only}) ORDER BY id DESC LIMIT :count",
        {"who": who, "path": path, "count": count},
    ).fetchall()
    frame = pd.DataFrame(rows, columns=list(shown))
    try:
        times = pd.to_datetime(frame["time"].astype(float), unit="s", utc=True)
        return frame.assign(time=times.dt.floor("s"), undone=frame["undone"].astype(bool))
    except (ValueError, TypeError, OverflowError) as error:
        raise DamagedError from error
