"""A query with its label, and the images that each space retrieves, with their labels and label distances."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.evaluation import retrieve
from likeness.labels import ImageLabels
from likeness.plots import captions_of, distance_text, label_text
from likeness.space import Space
from pages.continuous import labels as continuous_labels
from parts import selection
from parts.gallery import Section, gallery
from parts.sidebar import readable
from parts.view import View

COUNT = 8  # retrieved by each space
_SPREAD = 12  # suggested queries
_QUERY_TILE, _TILE, _SMALL = 166, 100, 76
Retrieved = tuple[NDArray[np.int64], NDArray[np.float32]]  # images, nearest first: rows and their label distances to the query


def show(view: View, spaces: Sequence[Space], labels: ImageLabels, rows: NDArray[np.int64], drawn: bool) -> None:
    """Draws the query, a row of pictures for each space, and other queries; in a fragment, so that a click redraws nothing else.

    Args:
        rows: the searched images, all with a label.
        drawn: whether labels are drawn on the pictures.
    """
    key, unit, config = (*continuous_labels.key_of(view, labels.config), hash(rows.tobytes())), labels.distances.unit, labels.config
    suggested = _spread(key, labels, rows)
    wanted = [view.query, *view.selected[:1].tolist()]  # or else the first selected image, if it has a label
    query = next((row for row in wanted if row is not None and labels.place(row) is not None), suggested[0])
    urls = continuous_labels.pictures(view, config) if drawn else view.thumbnails
    left, right = st.columns([2, 9], gap="medium")  # below each other on a phone
    with left:
        st.markdown("**Query**")
        text = label_text(view.base.table, config, query) if drawn else ""
        section = Section("", [query], texts=[f"{text[:1].upper()}{text[1:]}"] if text else None)
        gallery([section], thumbnails=urls, key="continuous_query", query=query, tile=_QUERY_TILE)
        st.button("Another query", icon=":material/shuffle:", on_click=_query_another, args=(rows, query), width="stretch")
        st.caption(continuous_labels.drawing_help(config) if drawn else "")
    with right:
        found = {readable(space.name): _retrieved(space.key, key, query, space, labels, rows) for space in spaces}
        found["Oracle: nearest by label"] = _by_label(key, query, labels, rows)
        sections = [
            Section(
                name, near.tolist(), captions=[distance_text(float(each), unit) for each in distances], ranked=True,
                texts=[captions_of(view.base.table, row)[0] for row in near.tolist()] if drawn and config.kind == "captions" else None,
                note=f"{distance_text(float(distances.mean()), unit)} from the query on average" if len(near) else "",
                empty="No other image matches the filters.",
            )
            for name, (near, distances) in found.items()
        ]  # fmt: skip
        gallery(sections, thumbnails=urls, key="continuous_retrieved", query=query, tile=_TILE, on_click=selection.ask)
    others = Section("Other queries", suggested, note="Images with very different labels. Click any picture on this page to make it the query.")
    gallery([others], thumbnails=urls, key="continuous_suggested", query=query, tile=_SMALL, on_click=selection.ask)


def _query_another(rows: NDArray[np.int64], query: int) -> None:
    others = rows[rows != query]
    if len(others):
        selection.ask(int(np.random.default_rng().choice(others)))


@st.cache_resource(max_entries=512, show_spinner=False)
def _retrieved(space_key: str, key: object, query: int, _space: Space, _labels: ImageLabels, _rows: NDArray[np.int64]) -> Retrieved:
    """The images nearest to `query` in a space."""
    others = _rows[_rows != query]
    nearest = retrieve(_space.vectors[[query]], _space.vectors[others], min(COUNT, len(others)))[0] if len(others) else np.zeros(0, np.int64)
    return others[nearest], _labels.distances_to(query, others[nearest])


@st.cache_resource(max_entries=512, show_spinner=False)
def _by_label(key: object, query: int, _labels: ImageLabels, _rows: NDArray[np.int64]) -> Retrieved:
    """The images with the labels nearest to that of `query`."""
    return _labels.nearest(query, _rows, COUNT)


@st.cache_resource(max_entries=64, show_spinner=False)
def _spread(key: object, _labels: ImageLabels, _rows: NDArray[np.int64]) -> list[int]:
    """Images spread evenly over the labels."""
    return _labels.spread(_rows, _SPREAD)
