"""The columns of the attribute table: what each shows of a row, and how rows are sorted by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.plots.linked_map import cache_by_identity
from shared import neighbors
from shared.neighbors import Found, Query
from shared.sidebar import readable
from shared.view import View

PICTURE, FILE = "picture", "file"
_ATTRIBUTE, _SIMILARITY = "attribute:", "similarity:"  # begin the keys of columns
_LONGEST = 160  # letters of a text in a cell

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Similarities:
    """Of one space: cosine similarities (k,) with the query, of the table's rows (k,) in ascending order; NaN where the space did not say."""

    title: str
    rows: Rows
    values: NDArray[np.float32]


def of_found(view: View, query: Query, found: Sequence[Found]) -> tuple[Rows, list[Similarities]]:
    """All rows that any space found, in the order of the first one, and their similarities in every space.

    What one space found, another one is asked about, too.
    """
    rows = np.array(list(dict.fromkeys(row for each in found for row in each.rows.tolist())), np.int64)
    ascending = np.sort(rows)
    among = ~np.isin(np.arange(len(view.frame)), rows)
    asked = neighbors.find(replace(view, hidden=among), query, [each.space for each in found], len(rows)) if len(rows) else []
    return rows, [_similarities(each, ascending) for each in asked]


def _similarities(found: Found, ascending: Rows) -> Similarities:
    values = np.full(len(ascending), np.nan, np.float32)
    values[np.searchsorted(ascending, found.rows)] = found.similarities
    return Similarities(f"Similarity in {readable(found.space.name)}", ascending, values)


def titles(view: View, similarities: Sequence[Similarities]) -> dict[str, str]:
    """Key -> title of every column that can be shown and sorted by; the picture is none of them."""
    attributes = [name for name in view.frame.columns if name != "path"]
    return (
        {f"{_SIMILARITY}{place}": each.title for place, each in enumerate(similarities)}
        | ({FILE: "File"} if "path" in view.frame else {})
        | {f"{_ATTRIBUTE}{name}": readable(name) for name in attributes}
    )


def values(view: View, similarities: Sequence[Similarities], key: str, rows: Rows) -> "pd.Series[Any]":
    """What a column holds, whole: numbers as numbers."""
    if key.startswith(_SIMILARITY):
        known = similarities[int(key.removeprefix(_SIMILARITY))]
        return pd.Series(known.values[np.searchsorted(known.rows, rows)])
    name = "path" if key == FILE else key.removeprefix(_ATTRIBUTE)
    return view.frame[name].iloc[rows].reset_index(drop=True)


def is_similarity(key: str) -> bool:
    """Whether a column holds similarities, the greatest of which come first."""
    return key.startswith(_SIMILARITY)


def in_order(view: View, similarities: Sequence[Similarities], key: str, rows: Rows, descending: bool) -> Rows:
    """The rows sorted by a column; equal ones in the order given, those without a value last."""
    if is_similarity(key):
        ranks = values(view, similarities, key, rows).to_numpy(np.float64)
    else:
        ranks = _ranks(view.frame, "path" if key == FILE else key.removeprefix(_ATTRIBUTE))[rows]
    return rows[np.argsort(-ranks if descending else ranks, kind="stable")]  # NaN comes last


@cache_by_identity
def _ranks(frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """(n,) where the value of each row stands among those of a column, texts without regard to capitals; NaN for none."""
    column = frame[name]
    if not _is_plain(column):
        column = column.map(lambda value: str(value).casefold(), na_action="ignore").astype(object)
    ranks: NDArray[np.float64] = column.rank(method="dense").to_numpy(np.float64)
    return ranks


def page(view: View, similarities: Sequence[Similarities], keys: Sequence[str], rows: Rows) -> pd.DataFrame:
    """What the browser gets of these rows: the address of each picture, and the columns; files by their names, long texts cut."""
    shown: dict[str, object] = {PICTURE: [view.thumbnails.format(row=row) for row in rows.tolist()]}
    for key in keys:
        column = values(view, similarities, key, rows)
        if key == FILE:
            shown[key] = [str(path).rsplit("/", 1)[-1] for path in column]
        else:
            shown[key] = column if _is_plain(column) else column.map(_cut, na_action="ignore").astype(object)
    return pd.DataFrame(shown)


def csv(view: View, similarities: Sequence[Similarities], chosen: Mapping[str, str], rows: Rows) -> bytes:
    """The chosen columns of all rows, whole texts and paths, in the order of the table; `chosen`: key -> title.

    Attributes keep their names of the dataset.
    """
    columns = {_csv_name(key, title): values(view, similarities, key, rows).to_numpy() for key, title in chosen.items()}
    return pd.DataFrame({"row": rows} | columns).to_csv(index=False).encode()


def _csv_name(key: str, title: str) -> str:
    if key.startswith(_ATTRIBUTE):
        return key.removeprefix(_ATTRIBUTE)
    return "path" if key == FILE else title.lower().replace(" ", "_")


def _is_plain(column: "pd.Series[Any]") -> bool:
    """Whether its values go to the browser, and are sorted, as they are: numbers, yes and no, days."""
    return pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column)


def _cut(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
