"""What a person did on a map."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from likeness.plots.linked_map.bitset import decode_rows


@dataclass(frozen=True, eq=False)
class MapEvent:
    """The changes since the last run. `selected` and `query` hold what is now so in the browser, changed or not; None is none."""

    selection_changed: bool = False
    query_changed: bool = False
    selected: np.ndarray | None = None
    query: int | None = None

    def __bool__(self) -> bool:
        return self.selection_changed or self.query_changed


def decode_event(edit: Mapping[str, object], n: int) -> MapEvent:
    """The event in the browser's message; an empty one when it was sent for a map of another size, which is gone by now."""
    if edit.get("n") != n:
        return MapEvent()
    changed, bits, query = edit.get("changed"), edit.get("selected"), edit.get("query")
    kinds = changed if isinstance(changed, list) else []
    rows = decode_rows(bits, n) if isinstance(bits, str) else None
    row = query if isinstance(query, int) and 0 <= query < n else None
    return MapEvent("selection" in kinds, "query" in kinds, rows if rows is not None and len(rows) else None, row)
