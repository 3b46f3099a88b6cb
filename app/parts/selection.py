"""What a person has pointed at: the selected images, and the query, which is an image of the dataset or a picture from outside.

Kept by the session and in the URL, so that a link reopens it.
"""

from collections.abc import Iterable

import numpy as np
import streamlit as st

from parts import link, query_terms
from state import Rows, State, state

MOST_KEPT = 20_000_000  # rows of a selection that a saved view keeps


def rows() -> Rows:
    """Numbers of the selected images, ascending."""
    return state.rows


def select(chosen: Iterable[int] | Rows) -> None:
    """Replaces the selection; an empty one clears it."""
    new = np.asarray(chosen if isinstance(chosen, np.ndarray) else list(chosen), dtype=np.int64)
    # NumPy hashes what it makes unique: two seconds for a million rows, which mostly come in order
    state.rows = new if (np.diff(new) > 0).all() else np.unique(new)
    state.ticking = False
    link.write_item(State.rows)


def tick(chosen: Rows) -> None:
    """Replaces the selection by what is ticked among pictures, which stay in sight."""
    select(chosen)
    state.ticking = True


def by_ticks() -> bool:
    """Whether the selection was last changed by ticks."""
    return state.ticking


def in_link() -> bool:
    """Whether a link to what is seen holds the selection; a long one stays with the session."""
    return not len(rows()) or "rows" in st.query_params


def query() -> int | None:
    """Number of the image whose neighbors are shown, or None."""
    return state.query


def picture() -> str:
    """Token of the picture from outside whose neighbors are shown; empty without one."""
    return state.picture


def ask(row: int | None, picture: str = "") -> None:
    """Makes image `row`, or the picture of this token, the only query; with neither, the query is taken back."""
    state.query, state.picture = row, picture
    _write_query()
    query_terms.set_terms(())


def _write_query() -> None:
    link.write_item(State.query)
    link.write_item(State.picture)


def keep_in_url() -> None:
    """Takes them from an address that a person has just come by, and writes them into it again: Streamlit drops them when the page changes."""
    for item in (State.rows, State.query, State.picture):
        link.read_item(item)
    query_terms.read_link()
    link.write_item(State.rows)
    _write_query()
    query_terms.write_link()


def fit(count: int) -> None:
    """Leaves out rows that a link names and `count` images do not have, and says so."""
    chosen = rows()
    if len(chosen) and chosen[-1] >= count:
        kept = chosen[chosen < count]
        some = f"the other {len(kept):,} are selected" if len(kept) else "none is selected"
        link.report(f"This link selects {len(chosen) - len(kept):,} images that are not among these {count:,}; {some}. Select images on the map.")
        select(kept)
    row = query()
    if row is not None and row >= count:
        link.report(f"This link asks for the neighbors of image {row:,}, but there are {count:,} images. Click an image for its neighbors.")
        ask(None, picture())
    query_terms.fit(count)


def move(rows_now: Rows) -> None:
    """Lets selection and query follow their images to other rows: `rows_now` (n,) says where each of the n images stands, -1 where it is gone."""
    chosen, row = rows(), query()
    if len(chosen):
        moved = rows_now[chosen[chosen < len(rows_now)]]
        select(np.sort(moved[moved >= 0]))
    if row is not None:
        ask(int(rows_now[row]) if row < len(rows_now) and rows_now[row] >= 0 else None, picture())
    query_terms.move(rows_now)


def clear() -> None:
    """Takes the selection and the query back, also a text: they mean nothing among other images."""
    select([])
    ask(None)
    state.text = ""
