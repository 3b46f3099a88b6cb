"""What a person has pointed at: the selected images, and the query, which is an image of the dataset or a picture from outside.

Kept by the session and in the URL, so that a link reopens it.
"""

import base64
import binascii
import zlib
from collections.abc import Iterable

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from shared import link, query_terms

Rows = NDArray[np.int64]
_DIGITS = 15
_URL_LIMIT = 1500  # characters; longer selections stay in the session only
_ROWS_LIMIT = 50_000  # rows that are still worth a try to write so short
MOST_KEPT = 20_000_000  # rows of a selection that a saved view keeps


def rows() -> Rows:
    """Numbers of the selected images, ascending."""
    chosen: Rows = st.session_state.setdefault("rows", np.empty(0, np.int64))
    return chosen


def select(chosen: Iterable[int] | Rows) -> None:
    """Replaces the selection; an empty one clears it."""
    new = np.asarray(chosen if isinstance(chosen, np.ndarray) else list(chosen), dtype=np.int64)
    # NumPy hashes what it makes unique: two seconds for a million rows, which mostly come in order
    st.session_state["rows"] = new if (np.diff(new) > 0).all() else np.unique(new)
    st.session_state["ticking"] = False
    _write_link()


def tick(chosen: Rows) -> None:
    """Replaces the selection by what is ticked among pictures, which stay in sight."""
    select(chosen)
    st.session_state["ticking"] = True


def by_ticks() -> bool:
    """Whether the selection was last changed by ticks."""
    return bool(st.session_state.get("ticking"))


def in_link() -> bool:
    """Whether a link to what is seen holds the selection; a long one stays with the session."""
    return not len(rows()) or "rows" in st.query_params


def _write_link() -> None:
    text = encode(rows()) if len(rows()) <= _ROWS_LIMIT else ""
    link.write({"rows": [text] if 0 < len(text) <= _URL_LIMIT else []})


def query() -> int | None:
    """Number of the image whose neighbors are shown, or None."""
    row: int | None = st.session_state.setdefault("query", None)
    return row


def picture() -> str:
    """Token of the picture from outside whose neighbors are shown; empty without one."""
    token: str = st.session_state.setdefault("picture", "")
    return token


def ask(row: int | None, picture: str = "") -> None:
    """Makes image `row`, or the picture of this token, the only query; with neither, the query is taken back."""
    st.session_state["query"], st.session_state["picture"] = row, picture
    _write_query()
    query_terms.set_terms(())


def _write_query() -> None:
    row = query()
    link.write({"query": [] if row is None else [str(row)], "picture": [picture()] if picture() else []})


def keep_in_url() -> None:
    """Takes them from an address that a person has just come by, and writes them into it again: Streamlit drops them when the page changes."""
    _read_link()
    _write_link()
    _write_query()
    query_terms.write_link()


def _read_link() -> None:
    asked = {name: link.read(name) for name in ("rows", "query", "picture")}
    text, row, picture = ("" if not values else values[-1] for values in asked.values())
    if asked["rows"] is not None:
        st.session_state["rows"] = decode(text)
        if text and not len(rows()):
            link.report("The selection in this link is damaged, so no image is selected. Ask for the link again, or select images on the map.")
    if asked["query"] is not None:
        st.session_state["query"] = int(row) if row.isdecimal() and len(row) <= _DIGITS else None
        if row and query() is None:
            link.report(f"This link asks for the neighbors of image “{link.shortened(row)}”, which is no number. Click an image for its neighbors.")
    if asked["picture"] is not None:
        st.session_state["picture"] = picture
    query_terms.read_link()


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
    st.session_state["text"] = ""


def encode(chosen: Rows) -> str:
    """Row numbers as a short URL-safe text: the gaps between them, deflated."""
    if not len(chosen):
        return ""
    gaps = np.diff(chosen, prepend=0).astype("<u4").tobytes()
    return base64.urlsafe_b64encode(zlib.compress(gaps, 9)).decode().rstrip("=")


def decode(text: str, most: int = _ROWS_LIMIT) -> Rows:
    """The row numbers of `encode`; a damaged text, or one that swells to more than `most` rows, is an empty selection."""
    try:
        unpacker = zlib.decompressobj()
        gaps = unpacker.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), 4 * most + 1)
        return np.cumsum(np.frombuffer(gaps, "<u4"), dtype=np.int64) if unpacker.eof else np.empty(0, np.int64)
    except (binascii.Error, zlib.error, ValueError):
        return np.empty(0, np.int64)
