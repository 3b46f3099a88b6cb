"""The images as a table of attributes, beside the maps or in full width; its checkboxes select.

Streamlit's table sorts, searches, hides columns and downloads; large tables are split into pages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from parts import neighbors, selection
from parts.gallery import choose_size
from parts.neighbors import Found, Query
from parts.selection import Rows
from parts.sidebar import readable
from parts.view import View
from state import state

PICTURES, TABLE = "Pictures", "Table"
PICTURE, FILE = "picture", "file"
_ATTRIBUTE, _SIMILARITY = "attribute:", "similarity:"  # begin the names of columns
PAGE = 100_000  # rows that the browser gets at a time: 20 MB, and half a second for each tick
_FIRST = 12  # attributes that are shown at first
_ROW_HEIGHT = 46  # pixels
_HEIGHT = 760  # pixels, in full width
_GRID, _PAGE = "attribute_table", "table_page"
Layout = Literal["pictures", "table", "wide table"]  # a wide one stands in place of the maps, too
Similarities = Mapping[str, NDArray[np.float32]]  # of all images in a space, by the title of the column


def choose_layout() -> Layout:
    """Draws the choice between pictures and table, stored in the link, and the size of tiles."""
    with st.popover("View", icon=":material/grid_view:"):
        is_table = st.segmented_control("Show as", [PICTURES, TABLE], default=PICTURES, required=True, key="beside", bind="query-params") == TABLE
        if is_table:
            return "wide table" if st.toggle("Full width", key="wide", bind="query-params", persist_state="session") else "table"
        choose_size()
    return "pictures"


def draw_neighbors(view: View, query: Query, found: Sequence[Found], layout: Layout) -> None:
    """Draws the neighbors of a query, nearest in the first space first, with the similarity in each space, NaN where unknown."""
    rows = np.array(list(dict.fromkeys(row for each in found for row in each.rows.tolist())), np.int64)
    others = ~np.isin(np.arange(len(view.frame)), rows)
    # each space is asked about what any of them found
    answers = neighbors.find(replace(view, hidden=others), query, [each.space for each in found], len(rows)) if len(rows) else []
    similarities = {}
    for answer in answers:
        of_all = np.full(len(view.frame), np.nan, np.float32)
        of_all[answer.rows] = answer.similarities
        similarities[f"Similarity in {readable(answer.space.name)}"] = of_all
    draw(view, rows, layout, similarities)


def draw(view: View, rows: Rows, layout: Layout, similarities: Similarities | None = None) -> None:
    """Draws images in this order."""
    if not len(rows):
        st.caption("No image matches the filters." if view.hidden is not None else "Nothing here.")
        return
    pages = -(-len(rows) // PAGE)
    first = PAGE * (min(int(st.session_state.get(_PAGE, 1)), pages) - 1)
    _grid(view, rows[first : first + PAGE], similarities or {}, _HEIGHT if layout == "wide table" else "stretch")
    if pages > 1:
        st.pagination(pages, key=_PAGE, max_visible_pages=5)
        note = "Sorting and searching apply to these rows. Filter to see fewer."
        st.caption(f"Rows {first + 1:,} to {min(first + PAGE, len(rows)):,} of {len(rows):,}. {note}")


def _grid(view: View, rows: Rows, similarities: Similarities, height: "int | str") -> None:
    attributes = [name for name in view.frame.columns if name != "path"]
    config: dict[str, Any] = {PICTURE: st.column_config.ImageColumn("", width=52, pinned=True), FILE: st.column_config.Column("File", width="medium")}
    config |= {f"{_SIMILARITY}{title}": st.column_config.NumberColumn(title, format="%.3f") for title in similarities}
    for number, name in enumerate(attributes):
        config[f"{_ATTRIBUTE}{name}"] = st.column_config.Column(readable(name)) | ({"hidden": True} if number >= _FIRST else {})
    marked = {"selection": {"rows": np.flatnonzero(np.isin(rows, view.selected)).tolist(), "columns": [], "cells": []}}
    before = st.session_state.get(_GRID)
    if before is None or dict(before["selection"]) != marked["selection"]:
        st.session_state[_GRID] = marked
    st.dataframe(
        _cells(view, rows, similarities),
        key=_GRID,
        height=height,
        row_height=_ROW_HEIGHT,
        hide_index=True,
        column_config=config,
        placeholder="",
        selection_mode="multi-row",
        on_select=lambda: _take_ticks(rows),
        alt="Attributes of the images",
    )


def _cells(view: View, rows: Rows, similarities: Similarities) -> pd.DataFrame:
    """The data of these rows for the browser: picture addresses, similarities and values; numbers stay numbers."""
    cells: dict[str, object] = {PICTURE: [view.thumbnails.format(row=row) for row in rows.tolist()]}
    cells |= {f"{_SIMILARITY}{title}": values[rows] for title, values in similarities.items()}
    for name in view.frame.columns:
        column = view.frame[name].iloc[rows].reset_index(drop=True)
        is_plain = pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column)
        cells[FILE if name == "path" else f"{_ATTRIBUTE}{name}"] = column if is_plain else column.map(str, na_action="ignore").astype(object)
    return pd.DataFrame(cells)


def _take_ticks(rows: Rows) -> None:
    """Makes the ticked rows the selection, together with selected images of other rows."""
    chosen = st.session_state[_GRID].get("selection")
    ticked, kept = chosen.get("rows") if isinstance(chosen, Mapping) else None, state.rows
    places = [place for place in ticked if type(place) is int and 0 <= place < len(rows)] if isinstance(ticked, list) else []
    keep = selection.select if np.isin(rows, kept).all() else selection.tick  # a table of the selection stays one
    keep(np.union1d(kept[~np.isin(kept, rows)], rows[places]))
