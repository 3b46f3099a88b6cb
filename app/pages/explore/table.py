"""The table of images: attributes of the neighbors, of the selection or of all images, beside the map or in full width; its checkboxes select.

Streamlit's own table sorts, searches, hides columns and downloads what it has, which is page by page only where images are very many.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from pages.explore import exporting
from parts import neighbors, selection
from parts.gallery import choose_size
from parts.neighbors import Found, Query
from parts.selection import Rows
from parts.sidebar import readable
from parts.view import View
from state import Item

PICTURES, TABLE = "Pictures", "Table"
NEIGHBORS, SELECTED, ALL = "Neighbors", "Selected", "All"
PICTURE, FILE = "picture", "file"
_ATTRIBUTE, _SIMILARITY = "attribute:", "similarity:"  # begin the names of columns
PAGE = 100_000  # rows that the browser gets at a time: 20 MB, and half a second for each tick
_FIRST = 12  # attributes that are shown at first
_ROW_HEIGHT = 46  # pixels
_HEIGHT = 760  # pixels, in full width
_GRID = "attribute_table"


class _Table:
    """What the table keeps for its next run.

    Attributes:
        scope: which rows it shows.
        pointed: the query, and the selection as bytes, of the last run.
        drawn: the rows that the browser has.
    """

    prefix = "table_"
    scope = Item(ALL)
    pointed = Item[tuple[Query, bytes]]((Query(), b""))
    drawn = Item[Rows](make=lambda: np.empty(0, np.int64))


_table = _Table()


class _Link:
    """What a link holds."""

    beside = Item("")
    wide = Item(False)


def is_wide() -> bool:
    """Whether the table takes the place of the map, too; of a link before the choices have been drawn."""
    chosen = [item.get() if item.is_set() else st.query_params.get(item.key) for item in (_Link.beside, _Link.wide)]
    return chosen[0] == TABLE and chosen[1] in (True, "true")


def draw(view: View, query: Query, found: Sequence[Found], selected: Rows, problem: str = "") -> bool:
    """Draws the choice between pictures and table, which a link holds, the size of tiles, the export, and where that is chosen, the table.

    Args:
        view: what the page shows.
        query: what is searched with, perhaps nothing.
        found: its neighbors in each space.
        selected: the selected images that the filters leave.
        problem: why nothing was found.

    Returns:
        Whether it is the table.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        shown = st.segmented_control(
            "Show as", [PICTURES, TABLE], default=PICTURES, required=True, key=_Link.beside.key, bind="query-params", label_visibility="collapsed"
        )
        if shown == TABLE:
            scope = _scope(view, query, found, selected)
            is_full_width = st.toggle("Full width", key=_Link.wide.key, bind="query-params", persist_state="session")
        else:
            choose_size()
        exporting.button()
    exporting.form(view, selected)
    if shown != TABLE:
        return False
    if problem:
        st.info(problem, icon=":material/info:")
    rows, similarities = _rows(view, query, found, selected, scope)
    if not len(rows):
        st.caption("No image matches the filters." if view.hidden is not None else "Nothing here.")
        return True
    first = PAGE * (min(int(st.session_state.get(_page_key(scope), 1)), _pages(len(rows))) - 1)
    _grid(view, rows[first : first + PAGE], similarities, _HEIGHT if is_full_width else "stretch")
    _foot(query, scope, found, selected, len(rows), first)
    return True


def _scope(view: View, query: Query, found: Sequence[Found], selected: Rows) -> str:
    """What the table is of: what was pointed at last, until something else is chosen."""
    counts = {ALL: len(view.frame) if view.hidden is None else int((~view.hidden).sum())}
    if len(selected):
        counts = {SELECTED: len(selected)} | counts
    if found:
        counts = {NEIGHBORS: len({row for each in found for row in each.rows.tolist()})} | counts
    (query_before, selected_before), _table.pointed = _table.pointed, (query, view.selected.tobytes())
    scope = _table.scope
    if query != query_before and NEIGHBORS in counts:
        scope = NEIGHBORS
    elif view.selected.tobytes() != selected_before and SELECTED in counts:
        scope = SELECTED
    _table.scope = scope if scope in counts else next(iter(counts))
    chosen: str = st.segmented_control(
        "Rows of the table",
        list(counts),
        required=True,
        format_func=lambda each: f"{each} {counts[each]:,}",
        key=_Table.scope.key,
        label_visibility="collapsed",
    )
    return chosen


def _rows(view: View, query: Query, found: Sequence[Found], selected: Rows, scope: str) -> tuple[Rows, dict[str, NDArray[np.float32]]]:
    """The rows of the table, and for neighbors the title of each space with the similarities (n,) in it, NaN where it was not asked."""
    if scope == SELECTED:
        return selected, {}
    if scope == ALL:
        return view.visible(np.arange(len(view.frame))), {}
    rows = np.array(list(dict.fromkeys(row for each in found for row in each.rows.tolist())), np.int64)
    others = ~np.isin(np.arange(len(view.frame)), rows)
    # each space is asked about what any of them found
    answers = neighbors.find(replace(view, hidden=others), query, [each.space for each in found], len(rows)) if len(rows) else []
    similarities = {}
    for answer in answers:
        of_all = np.full(len(view.frame), np.nan, np.float32)
        of_all[answer.rows] = answer.similarities
        similarities[f"Similarity in {readable(answer.space.name)}"] = of_all
    return rows, similarities


def _grid(view: View, rows: Rows, similarities: Mapping[str, NDArray[np.float32]], height: "int | str") -> None:
    attributes = [name for name in view.frame.columns if name != "path"]
    config: dict[str, Any] = {PICTURE: st.column_config.ImageColumn("", width=52, pinned=True), FILE: st.column_config.Column("File", width="medium")}
    config |= {f"{_SIMILARITY}{title}": st.column_config.NumberColumn(title, format="%.3f") for title in similarities}
    config |= {f"{_ATTRIBUTE}{name}": st.column_config.Column(readable(name)) for name in attributes[:_FIRST]}
    config |= {f"{_ATTRIBUTE}{name}": st.column_config.Column(readable(name)) | {"hidden": True} for name in attributes[_FIRST:]}
    marked = {"selection": {"rows": np.flatnonzero(np.isin(rows, view.selected)).tolist(), "columns": [], "cells": []}}
    state = st.session_state.get(_GRID)
    if state is None or dict(state["selection"]) != marked["selection"]:
        st.session_state[_GRID] = marked
    _table.drawn = rows
    st.dataframe(
        _cells(view, rows, similarities),
        key=_GRID,
        height=height,
        row_height=_ROW_HEIGHT,
        hide_index=True,
        column_config=config,
        placeholder="",
        selection_mode="multi-row",
        on_select=_take_ticks,
        alt="Attributes of the images",
    )


def _cells(view: View, rows: Rows, similarities: Mapping[str, NDArray[np.float32]]) -> pd.DataFrame:
    """What the browser gets of these rows: the address of each picture, similarities, and values; numbers as numbers."""
    cells: dict[str, object] = {PICTURE: [view.thumbnails.format(row=row) for row in rows.tolist()]}
    cells |= {f"{_SIMILARITY}{title}": values[rows] for title, values in similarities.items()}
    for name in view.frame.columns:
        column = view.frame[name].iloc[rows].reset_index(drop=True)
        is_plain = pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column)
        cells[FILE if name == "path" else f"{_ATTRIBUTE}{name}"] = column if is_plain else column.map(str, na_action="ignore").astype(object)
    return pd.DataFrame(cells)


def _take_ticks() -> None:
    """The boxes that are ticked become the selection, beside what is selected and not on this page."""
    chosen = st.session_state[_GRID].get("selection")
    ticked = chosen.get("rows") if isinstance(chosen, Mapping) else None
    rows, kept = _table.drawn, selection.rows()
    places = [place for place in ticked if type(place) is int and 0 <= place < len(rows)] if isinstance(ticked, list) else []
    selection.select(np.union1d(kept[~np.isin(kept, rows)], rows[places]))
    _table.pointed = (_table.pointed[0], selection.rows().tobytes())  # selecting here leaves the table where it is


def _page_key(scope: str) -> str:
    return f"table_page_{scope}"


def _pages(count: int) -> int:
    return -(-count // PAGE)


def _foot(query: Query, scope: str, found: Sequence[Found], selected: Rows, count: int, first: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        if count > PAGE:
            st.pagination(_pages(count), key=_page_key(scope), max_visible_pages=5)
            note = "Sorting and searching apply to these rows. Filter to see fewer."
            st.caption(f"Rows {first + 1:,} to {min(first + PAGE, count):,} of {count:,}. {note}", width="content")
        if scope == NEIGHBORS and any(len(each.rows) == neighbors.shown(query) for each in found):
            st.button(f"Show {neighbors.COUNT} more", icon=":material/expand_more:", on_click=neighbors.show_more)
        if len(selected) == 1:
            row = int(selected[0])
            st.button("Search with it", icon=":material/image_search:", type="tertiary", on_click=neighbors.image_was_clicked, args=(row,))
        if len(selected):
            st.button("Clear the selection", icon=":material/close:", type="tertiary", on_click=selection.select, args=([],))
