"""The neighbors of an image on both maps side by side, and the way to the map."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.space import Space
from parts import selection
from parts.gallery import Section, gallery
from parts.neighbors import Query, captions, same
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server.access import redact

Rows = NDArray[np.int64]
K, TILE = 10, 84  # neighbors that count; width of a picture
_QUERY_WIDTH = 164


def neighbors_of(view: View, b: Space, first: int, attribute: str | None) -> None:
    """The neighbors of the image that was clicked, or of `first`, in both spaces side by side; those that both have, and those of the same value
    of an attribute, are marked."""
    query = first if view.query is None else view.query
    try:
        hits = [space.nearest(query, K).rows for space in (view.a, b)]
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")
        return
    sections = [
        Section(
            f"Neighbors in {readable(space.name)}",
            rows.tolist(),
            same=same(view, Query(row=query), rows, attribute),
            same_by=readable(attribute) if attribute else "class",
            in_both=np.isin(rows, hits[0]).tolist() if number else np.isin(rows, hits[1]).tolist(),
            ranked=True,
        )
        for number, (space, rows) in enumerate(zip((view.a, b), hits, strict=True))
    ]
    left, right = st.columns([2, 9], gap="medium")  # below each other on a phone
    with left:
        gallery(
            [Section("Image", [query], captions=captions(view, np.array([query]), attribute))],
            thumbnails=view.thumbnails, key="changes_query", query=query, tile=_QUERY_WIDTH - 30,
        )  # fmt: skip
    with right:
        gallery(
            sections, thumbnails=view.thumbnails, key="changes_neighbors", query=query, layout="columns", tile=TILE,
            on_click=selection.ask,
        )  # fmt: skip


def to_explore(rows: Rows) -> None:
    """Ways to the map: these images selected, or the image that was clicked."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(f"Select these {len(rows)}", icon=":material/select_all:", key="changes_select", on_click=selection.select, args=(rows,))
        st.page_link("pages/explore/page.py", label="See them on the map", icon=":material/scatter_plot:")
