"""A query with its label, and what spaces retrieve for it, each picture with its label and label distance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.evaluation import retrieve
from likeness.labels import ImageLabels
from likeness.plots import captions_of, distance_text, label_text
from likeness.space import Space
from pages.continuous import labels as continuous_labels
from parts.gallery import Section, gallery
from parts.sidebar import readable
from parts.view import View

COUNT = 8  # retrieved by each space
_SPREAD = 12  # suggested queries
_QUERY_WIDTH, _TILE, _SMALL = 176, 100, 76
ORACLE = "Oracle: nearest by label"


@dataclass(frozen=True)
class Retrieved:
    """Images, nearest first: rows of the dataset and their label distances to the query."""

    rows: NDArray[np.int64]
    distances: NDArray[np.float32]


def show(view: View, spaces: Sequence[Space], labels: ImageLabels, rows: NDArray[np.int64], drawn: bool) -> None:
    """Draws the query and a row of pictures for each space, then other queries; call it in a fragment, so that a click redraws nothing else.

    Args:
        spaces: to retrieve.
        labels: of the images.
        rows: images that are looked among, all of which have a label.
        drawn: whether labels are drawn on the pictures.
    """
    key = (*continuous_labels.key_of(view, labels.config), hash(rows.tobytes()))
    suggested = _spread(key, labels, rows)
    query = continuous_labels.query_of(view, labels, suggested[0])
    urls = continuous_labels.pictures(view, labels.config) if drawn else view.thumbnails
    left, right = st.columns([2, 9], gap="medium")  # below each other on a phone
    with left:
        _query(view, labels, query, urls, drawn)
        st.button("Another query", icon=":material/shuffle:", on_click=_query_another, args=(rows, query), width="stretch")
        st.caption(continuous_labels.drawing_help(labels.config) if drawn else "")
    with right:
        found = {readable(space.name): _retrieved(space.key, key, query, space, labels, rows) for space in spaces}
        found[ORACLE] = _by_label(key, query, labels, rows)
        sections = [_section(view, labels, name, each, drawn) for name, each in found.items()]
        gallery(sections, thumbnails=urls, key="continuous_retrieved", query=query, tile=_TILE, on_click=continuous_labels.ask)
    note = "Images with widely different labels. Click any picture on this page to make it the query."
    gallery(
        [Section("Other queries", suggested, note=note)],
        thumbnails=urls, key="continuous_suggested", query=query, tile=_SMALL, on_click=continuous_labels.ask,
    )  # fmt: skip


def _query_another(rows: NDArray[np.int64], query: int) -> None:
    others = rows[rows != query]
    if len(others):
        continuous_labels.ask(int(np.random.default_rng().choice(others)))


def _query(view: View, labels: ImageLabels, query: int, urls: str, drawn: bool) -> None:
    text = label_text(view.base.table, labels.config, query)
    st.markdown("**Query**")
    section = Section("", [query], texts=[f"{text[:1].upper()}{text[1:]}"] if text and drawn else None)
    gallery([section], thumbnails=urls, key="continuous_query", query=query, tile=_QUERY_WIDTH - 10)


def _section(view: View, labels: ImageLabels, name: str, found: Retrieved, drawn: bool) -> Section:
    unit = labels.distances.unit
    return Section(
        name,
        found.rows.tolist(),
        captions=[distance_text(float(each), unit) for each in found.distances],
        texts=_texts(view, labels, found.rows.tolist()) if drawn else None,
        ranked=True,
        note=f"{distance_text(float(found.distances.mean()), unit)} from the query on average" if len(found.rows) else "",
        empty="No other image matches the filters.",
    )


def _texts(view: View, labels: ImageLabels, rows: Sequence[int]) -> list[str] | None:
    return [captions_of(view.base.table, row)[0] for row in rows] if labels.config.kind == "captions" else None


@st.cache_resource(max_entries=512, show_spinner=False)
def _retrieved(space_key: str, key: object, query: int, _space: Space, _labels: ImageLabels, _rows: NDArray[np.int64]) -> Retrieved:
    """The images nearest to `query` in a space."""
    others = _rows[_rows != query]
    nearest = retrieve(_space.vectors[[query]], _space.vectors[others], min(COUNT, len(others)))[0] if len(others) else np.zeros(0, np.int64)
    return Retrieved(others[nearest], _labels.distances_to(query, others[nearest]))


@st.cache_resource(max_entries=512, show_spinner=False)
def _by_label(key: object, query: int, _labels: ImageLabels, _rows: NDArray[np.int64]) -> Retrieved:
    """The images whose labels are nearest to that of `query`."""
    return Retrieved(*_labels.nearest(query, _rows, COUNT))


@st.cache_resource(max_entries=64, show_spinner=False)
def _spread(key: object, _labels: ImageLabels, _rows: NDArray[np.int64]) -> list[int]:
    """Images evenly spread over the labels."""
    return _labels.spread(_rows, _SPREAD)
