"""Explore: one or two linked maps, search by image and by text, neighbors, selection."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from access import refusal
from components.gallery import Section, gallery
from shared import cached, map_controls, maps, neighbors, selection
from shared.sidebar import readable
from shared.view import View, current_view

_SHOWN = 600  # pictures that the browser gets at most; the rest by selecting
_LINKED = 10  # neighbors joined to the query on the maps


def main() -> None:
    """Draws the page."""
    view = current_view()
    query, choice = _search_bar(view)
    found = neighbors.find(view, query)
    maps.draw(
        view,
        view.spaces,
        choice,
        slot="explore",
        key="map",
        height=640,
        on_query=neighbors.image_was_clicked,
        neighbors=_linked(view, found),
    )
    if view.b is not None:
        _agreement(view)
    chosen = _visible(view, view.selected)
    if found:
        _neighbors(view, query, found)
    if len(chosen):
        _selected(view, chosen)
    if not found and not len(chosen):
        _all_images(view)


def _linked(view: View, found: "list[neighbors.Found]") -> "list[np.ndarray] | None":
    """The neighbors to join to the query on each map; none on the map of a space that cannot read the query."""
    rows = {each.space.key: each.rows[:_LINKED] for each in found}
    return [rows.get(space.key, np.zeros(0, np.int64)) for space in view.spaces] if found else None


def _search_bar(view: View) -> "tuple[neighbors.Query, map_controls.Choice]":
    has_text = any(space.embed_texts is not None for space in view.spaces)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text_input(
            "Search by text",
            key="text",
            bind="query-params",
            placeholder="Describe what you are looking for, for example: a red car" if has_text else "This space reads no text",
            disabled=not has_text,
            label_visibility="collapsed",
            icon=":material/search:",
            on_change=neighbors.text_was_typed,
        )
        with st.popover("Search by image", icon=":material/image_search:"):
            reason = refusal("edit")
            kinds = ["jpg", "jpeg", "png", "webp", "bmp", "gif"]
            st.file_uploader(
                "An image of your own", type=kinds, key="upload", on_change=neighbors.image_was_given, disabled=bool(reason), help=reason or None
            )
        choice = map_controls.choose("explore")
    return neighbors.current_query(view), choice


def _agreement(view: View) -> None:
    assert view.b is not None
    share, chance = cached.agreement(view.a, view.b)
    st.caption(
        f"**Agreement {share:.0%}.** Of an image's 10 nearest neighbors, the two spaces share {share:.0%} on average; "
        f"two unrelated spaces would share {chance:.1%}."
    )


def _neighbors(view: View, query: "neighbors.Query", found: "list[neighbors.Found]") -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.subheader(query.title(view.frame))
        st.button("Clear the query", icon=":material/close:", type="tertiary", on_click=neighbors.forget)
    if query.row is not None:
        st.html(f'<div class="query"><img src="{view.thumbnails.format(row=query.row)}" alt="The query"></div>')
    sections = [
        Section(
            f"Nearest in {readable(each.space.name)}",
            each.rows.tolist(),
            similarities=each.similarities.tolist(),
            same=neighbors.same_class(view, query, each.rows),
            in_both=neighbors.in_all(found, each.rows) if len(found) > 1 else None,
            captions=neighbors.captions(view, each.rows),
            ranked=True,
            note=each.note,
        )
        for each in found
    ]
    gallery(
        sections,
        thumbnails=view.thumbnails,
        key="nearest",
        query=query.row,
        layout="columns" if len(sections) > 1 else "stacked",
        on_click=neighbors.image_was_clicked,
    )


def _selected(view: View, chosen: np.ndarray) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.subheader(f"{len(chosen):,} selected")
        with st.container(horizontal=True, width="content"):
            st.download_button(
                "Download CSV", partial(_csv, view.frame, chosen), "selection.csv", "text/csv", icon=":material/download:", on_click="ignore"
            )
            st.button("Clear the selection", icon=":material/close:", type="tertiary", on_click=selection.select, args=([],))
    notes = [f"The first {_SHOWN} are shown."] if len(chosen) > _SHOWN else []
    if not selection.in_link():
        notes.append("A link to this page leaves the selection out, since it has too many images for an address.")
    section = Section("", chosen[:_SHOWN].tolist(), captions=neighbors.captions(view, chosen[:_SHOWN]), note=" ".join(notes))
    gallery([section], thumbnails=view.thumbnails, key="selected", query=view.query, on_click=neighbors.image_was_clicked)


def _csv(frame: pd.DataFrame, chosen: np.ndarray) -> bytes:
    return frame.iloc[chosen].to_csv(index_label="row").encode()


def _all_images(view: View) -> None:
    rows = _visible(view, np.arange(len(view.frame)))
    what = f"{len(rows):,} images" + (" match the filters" if view.hidden is not None else "")
    st.subheader(what)
    st.caption("Click an image for its neighbors. Draw around points on a map to select them.")
    note = f"The first {_SHOWN} are shown. Filter or select images to see others." if len(rows) > _SHOWN else ""
    section = Section("", rows[:_SHOWN].tolist(), captions=neighbors.captions(view, rows[:_SHOWN]), note=note, empty="No image matches the filters.")
    gallery([section], thumbnails=view.thumbnails, key="all", on_click=neighbors.image_was_clicked)


def _visible(view: View, rows: np.ndarray) -> np.ndarray:
    return rows if view.hidden is None else rows[~view.hidden[rows]]


main()
