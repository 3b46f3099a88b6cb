"""Actions of a person on a map, from messages of the browser; invalid messages count as no action."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from likeness.errors import InputError
from likeness.plots.linked_map.parts import decode_rows

_LONGEST_ID = 100


@dataclass(frozen=True, eq=False)
class MapEvent:
    """The changes since the last run. `selected` and `query` hold the browser's current state, changed or not; None is none."""

    selection_changed: bool = False
    query_changed: bool = False
    selected: np.ndarray | None = None
    query: int | None = None
    id: str = ""

    def __bool__(self) -> bool:
        return self.selection_changed or self.query_changed


def decode_event(edit: object, n: int) -> MapEvent:
    """Decodes a browser's message, which may be anything; empty for a map of another size, which is outdated, or for invalid rows."""
    if not isinstance(edit, Mapping):
        return MapEvent()
    changed, bits, name = edit.get("changed"), edit.get("selected"), edit.get("id")
    name = name if isinstance(name, str) and len(name) <= _LONGEST_ID else ""
    if row_of(edit.get("n"), n + 1) != n:
        return MapEvent(id=name)
    kinds = changed if isinstance(changed, list) else []
    try:
        rows = decode_rows(bits, n) if isinstance(bits, str) else None
    except InputError:
        return MapEvent(id=name)
    chosen = rows if rows is not None and len(rows) else None
    return MapEvent("selection" in kinds, "query" in kinds, chosen, row_of(edit.get("query"), n), name)


def row_of(value: object, n: int) -> int | None:
    """A row number below n that a browser sent; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n else None
