"""The table beside the map: attributes of the neighbors, of the selection or of all images, sorted by any of them; its checkboxes select.

The browser gets one page of it at a time, so that it stays quick among many images.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from pages.explore import exporting, table_columns
from pages.explore.table_columns import FILE, PICTURE, Rows, Similarities
from shared import neighbors, selection
from shared.neighbors import Found, Query
from shared.plain import plain
from shared.view import View

PICTURES, TABLE = "Pictures", "Table"
NEIGHBORS, SELECTED, ALL = "Neighbors", "Selected", "All"
PAGE = 200  # rows that the browser gets at a time
_FIRST = 12  # columns that are shown before any are chosen
_ROW_HEIGHT = 46  # pixels
_AS_THEY_COME = ""


def shown_instead(view: View, query: Query, found: Sequence[Found], selected: Rows, problem: str = "") -> bool:
    """Draws the switch between pictures and table, which a link holds, with the export, and where that is chosen, the table; whether it was drawn.

    Args:
        view: what the page looks at.
        query: what is asked for, perhaps nothing.
        found: its neighbors in each space.
        selected: the selected images that the filters leave.
        problem: why nothing was found.
    """
    with st.container(horizontal=True, gap="small"):
        shown = st.segmented_control(
            "Show as", [PICTURES, TABLE], default=PICTURES, required=True, key="beside", bind="query-params", label_visibility="collapsed"
        )
        scope = _scope(view, query, found, selected) if shown == TABLE else ""
        exporting.button()
    exporting.form(view, selected)
    if shown != TABLE:
        return False
    if problem:
        st.info(problem, icon=":material/info:")
    _draw(view, query, found, selected, scope)
    return True


def _draw(view: View, query: Query, found: Sequence[Found], selected: Rows, scope: str) -> None:
    similarities: list[Similarities] = []
    if scope == NEIGHBORS:
        rows, similarities = table_columns.of_found(view, query, found)
    elif scope == SELECTED:
        rows = selected
    else:
        rows = view.visible(np.arange(len(view.frame)))
    titles = table_columns.titles(view, similarities)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        shown = _columns(titles)
        by, descending = _sorting(titles)
        if by != _AS_THEY_COME:
            rows = table_columns.in_order(view, similarities, by, rows, descending)
        st.download_button(
            "",
            partial(table_columns.csv, view, similarities, {key: titles[key] for key in shown}, rows),
            "attributes.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="table_csv",
            help=f"Download the {len(rows):,} rows of this table with the columns that are shown, as CSV.",
        )
    if not len(rows):
        st.caption("No image matches the filters." if view.hidden is not None else "Nothing here.")
        return
    first = _page_start((view.entry.id, scope, by, descending), len(rows))
    _grid(view, similarities, titles, shown, rows[first : first + PAGE], by, descending)
    _foot(query, scope, found, selected, len(rows), first)


def _scope(view: View, query: Query, found: Sequence[Found], selected: Rows) -> str:
    """What the table is of: what was pointed at last, until something else is chosen."""
    counts = {ALL: len(view.frame) if view.hidden is None else int((~view.hidden).sum())}
    if len(selected):
        counts = {SELECTED: len(selected)} | counts
    if found:
        counts = {NEIGHBORS: len({row for each in found for row in each.rows.tolist()})} | counts
    seen, now = st.session_state.get("table_seen", (Query(), b"")), (query, view.selected.tobytes())
    st.session_state["table_seen"] = now
    kept = st.session_state.get("table_scope", ALL)
    if query != seen[0] and NEIGHBORS in counts:
        kept = NEIGHBORS
    elif now[1] != seen[1] and SELECTED in counts:
        kept = SELECTED
    st.session_state["table_scope"] = kept if kept in counts else next(iter(counts))
    scope: str = st.segmented_control(
        "Rows of the table",
        list(counts),
        required=True,
        format_func=lambda each: f"{each} {counts[each]:,}",
        key="table_scope",
        label_visibility="collapsed",
    )
    return scope


def _columns(titles: Mapping[str, str]) -> list[str]:
    """Keys of the columns that are shown, in the order of the dataset; those that were hidden stay hidden in a table with other columns."""
    hidden: set[str] = st.session_state.setdefault("table_hidden", set())
    known: set[str] = st.session_state.setdefault("table_known", set())
    new = [key for key in titles if key not in known]
    hidden |= set(new[max(0, _FIRST - len([key for key in titles if key in known - hidden])) :])
    known |= set(new)
    with st.popover("Columns", icon=":material/view_column:"):
        with st.container(horizontal=True):
            st.button("Show all", on_click=hidden.difference_update, args=(list(titles),), type="tertiary")
            st.button("Hide all", on_click=hidden.update, args=(list(titles),), type="tertiary")
        for key, title in titles.items():
            box = f"table_column:{key}"
            st.session_state[box] = key not in hidden
            st.checkbox(plain(title), key=box, on_change=_toggle, args=(key,))
    return [key for key in titles if key not in hidden]


def _toggle(key: str) -> None:
    hidden: set[str] = st.session_state["table_hidden"]
    hidden.symmetric_difference_update({key})


def _sorting(titles: Mapping[str, str]) -> tuple[str, bool]:
    """Key of the column to sort by, "" for none, and whether the greatest comes first."""
    kept = st.session_state.get("table_sort", _AS_THEY_COME)
    st.session_state["table_sort"] = kept if kept in titles else _AS_THEY_COME
    by: str = st.selectbox(
        "Sort by",
        [_AS_THEY_COME, *titles],
        format_func=lambda key: titles.get(key, "Sort by …"),
        key="table_sort",
        label_visibility="collapsed",
        on_change=_begin_order,
    )
    descending: bool = st.session_state.setdefault("table_descending", False)
    st.button(
        "",
        icon=":material/arrow_downward:" if descending else ":material/arrow_upward:",
        help="The greatest first; click for the smallest first." if descending else "The smallest first; click for the greatest first.",
        disabled=by == _AS_THEY_COME,
        key="table_turn",
        on_click=_turn,
    )
    return by, descending


def _begin_order() -> None:
    st.session_state["table_descending"] = table_columns.is_similarity(st.session_state["table_sort"])


def _turn() -> None:
    st.session_state["table_descending"] = not st.session_state["table_descending"]


def _page_start(order: tuple[object, ...], count: int) -> int:
    """The first row that is shown: of the first page, after another order or other rows were chosen."""
    if st.session_state.get("table_order") != order:
        st.session_state["table_order"] = order
        st.session_state["table_orders"] = st.session_state.get("table_orders", 0) + 1
    page: int = st.session_state.get(_page_key(), 1)
    return (min(page, _pages(count)) - 1) * PAGE


def _page_key() -> str:
    """Another one for each order, so that its control begins anew."""
    return f"table_page_{st.session_state['table_orders']}"


def _pages(count: int) -> int:
    return -(-count // PAGE)


def _grid(
    view: View, similarities: Sequence[Similarities], titles: Mapping[str, str], shown: Sequence[str], rows: Rows, by: str, descending: bool
) -> None:
    """The rows themselves. A click on the head of a column sorts by it on the server, among all rows and not only those that are here."""
    config = {PICTURE: st.column_config.ImageColumn("", width=52, pinned=True)}
    for key in shown:
        label = f"{titles[key]} {'↓' if descending else '↑'}" if key == by else titles[key]
        if table_columns.is_similarity(key):
            config[key] = st.column_config.NumberColumn(label, format="%.3f")
        else:
            config[key] = st.column_config.Column(label, width="medium" if key == FILE else None)
    marked = np.flatnonzero(np.isin(rows, view.selected)).tolist()
    wanted = {"rows": marked, "columns": [], "cells": []}
    state = st.session_state.get(grid_key())
    if any(wanted.values()) if state is None else dict(state["selection"]) != wanted:
        st.session_state[grid_key()] = {"selection": wanted}
    st.session_state["table_drawn"] = (rows, list(shown), by)
    st.dataframe(
        table_columns.page(view, similarities, shown, rows),
        key=grid_key(),
        height="stretch",
        row_height=_ROW_HEIGHT,
        hide_index=True,
        column_config=config,
        placeholder="",
        selection_mode=["multi-row", "single-column"],
        on_select=_take_in,
        alt="Attributes of the images",
    )


def grid_key() -> str:
    """Another one after each click on a head, so that no head is marked and the same one can be clicked again."""
    return f"attribute_table_{st.session_state.get('table_grids', 0)}"


def _take_in() -> None:
    """The boxes that are ticked become the selection, beside what is selected and not on this page; the head of a column sorts by it."""
    rows, shown, by = st.session_state["table_drawn"]
    chosen = st.session_state[grid_key()].get("selection", {})
    columns = [key for key in _listed(chosen, "columns") if key in shown]
    places = [place for place in _listed(chosen, "rows") if type(place) is int and 0 <= place < len(rows)]
    if columns:
        st.session_state["table_grids"] = st.session_state.get("table_grids", 0) + 1
        if columns[0] == by:
            _turn()
        else:
            st.session_state["table_sort"] = columns[0]
            _begin_order()
        return
    kept = selection.rows()
    selection.select(np.union1d(kept[~np.isin(kept, rows)], rows[places]))
    query, _ = st.session_state["table_seen"]
    st.session_state["table_seen"] = (query, selection.rows().tobytes())  # selecting here leaves the table where it is


def _listed(chosen: object, name: str) -> list[object]:
    values = chosen.get(name) if isinstance(chosen, Mapping) else None
    return list(values) if isinstance(values, list) else []


def _foot(query: Query, scope: str, found: Sequence[Found], selected: Rows, count: int, first: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        if count > PAGE:
            st.pagination(_pages(count), key=_page_key(), max_visible_pages=5)
        st.caption(f"Rows {first + 1:,} to {min(first + PAGE, count):,} of {count:,}", width="content")
        if scope == NEIGHBORS and any(len(each.rows) == neighbors.shown(query) for each in found):
            st.button(f"Show {neighbors.COUNT} more", icon=":material/expand_more:", on_click=neighbors.show_more)
        if len(selected) == 1:
            row = int(selected[0])
            st.button("Its neighbors", icon=":material/image_search:", type="tertiary", on_click=neighbors.image_was_clicked, args=(row,))
        if len(selected):
            st.button("Clear the selection", icon=":material/close:", type="tertiary", on_click=selection.select, args=([],))
