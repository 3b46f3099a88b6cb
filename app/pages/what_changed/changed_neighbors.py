"""The neighbors of an image in both spaces, and links to the map."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.space import Space
from parts import selection
from parts.errors import show_errors
from parts.gallery import Section, gallery
from parts.neighbors import Query, captions, same
from parts.sidebar import readable
from parts.view import View

K, TILE = 10, 84  # neighbors that count; width of a picture
_QUERY_TILE = 134


def show_neighbors(view: View, b: Space, rows: NDArray[np.int64], attribute: str | None) -> None:
    """Draws the neighbors of the clicked image, or of the first of `rows`, in both spaces, and links to the map.

    Marks those that both spaces share, and those with the query's value of an attribute.
    """
    query = int(rows[0]) if view.query is None else view.query
    with show_errors():
        hits = [space.nearest(query, K).rows for space in (view.a, b)]
        sections = [
            Section(
                f"Neighbors in {readable(space.name)}", own.tolist(), same=same(view, Query(row=query), own, attribute),
                same_by=readable(attribute) if attribute else "class", in_both=np.isin(own, other).tolist(), ranked=True,
            )
            for space, own, other in zip((view.a, b), hits, hits[::-1], strict=True)
        ]  # fmt: skip
        left, right = st.columns([2, 9], gap="medium")  # below each other on a phone
        with left:
            section = Section("Image", [query], captions=captions(view, np.array([query]), attribute))
            gallery([section], thumbnails=view.thumbnails, key="changes_query", query=query, tile=_QUERY_TILE)
        with right:
            gallery(
                sections, thumbnails=view.thumbnails, key="changes_neighbors", query=query, layout="columns", tile=TILE, on_click=selection.ask
            )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(f"Select these {len(rows)}", icon=":material/select_all:", key="changes_select", on_click=selection.select, args=(rows,))
        st.page_link("pages/explore/page.py", label="See them on the map", icon=":material/scatter_plot:")
