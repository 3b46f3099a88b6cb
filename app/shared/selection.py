"""What a person has pointed at: the selected images and the query. Kept by the session and in the URL, so that a link reopens it."""

import base64
import binascii
import zlib
from collections.abc import Iterable

import numpy as np
import streamlit as st
from numpy.typing import NDArray

Rows = NDArray[np.int64]
_DIGITS = 15
_URL_LIMIT = 1500  # characters; longer selections stay in the session only
_ROWS_LIMIT = 50_000  # rows that are still worth a try to write so short


def rows() -> Rows:
    """Numbers of the selected images, ascending."""
    if "rows" not in st.session_state:
        st.session_state["rows"] = decode(st.query_params.get("rows", ""))
    chosen: Rows = st.session_state["rows"]
    return chosen


def select(chosen: Iterable[int] | Rows) -> None:
    """Replaces the selection; an empty one clears it."""
    new = np.asarray(chosen if isinstance(chosen, np.ndarray) else list(chosen), dtype=np.int64)
    # NumPy hashes what it makes unique: two seconds for a million rows, which mostly come in order
    st.session_state["rows"] = new if (np.diff(new) > 0).all() else np.unique(new)
    _write_link()


def in_link() -> bool:
    """Whether a link to what is seen holds the selection; a long one stays with the session."""
    return not len(rows()) or "rows" in st.query_params


def _write_link() -> None:
    text = encode(rows()) if len(rows()) <= _ROWS_LIMIT else ""
    if 0 < len(text) <= _URL_LIMIT:
        st.query_params["rows"] = text
    else:
        st.query_params.pop("rows", None)


def query() -> int | None:
    """Number of the image whose neighbors are shown, or None."""
    if "query" not in st.session_state:
        text = st.query_params.get("query", "")
        st.session_state["query"] = int(text) if text.isdecimal() and len(text) <= _DIGITS else None
    row: int | None = st.session_state["query"]
    return row


def ask(row: int | None) -> None:
    """Makes image `row` the query; None takes the query back."""
    st.session_state["query"] = row
    if row is None:
        st.query_params.pop("query", None)
    else:
        st.query_params["query"] = str(row)


def keep_in_url() -> None:
    """Writes both into the URL again: Streamlit drops them when the page changes."""
    _write_link()
    ask(query())


def belong_to(dataset_id: str) -> None:
    """Row numbers mean nothing in another dataset: both are cleared when it changes."""
    if st.session_state.setdefault("selection_of", dataset_id) != dataset_id:
        st.session_state["selection_of"] = dataset_id
        select([])
        ask(None)


def encode(chosen: Rows) -> str:
    """Row numbers as a short URL-safe text: the gaps between them, deflated."""
    if not len(chosen):
        return ""
    gaps = np.diff(chosen, prepend=0).astype("<u4").tobytes()
    return base64.urlsafe_b64encode(zlib.compress(gaps, 9)).decode().rstrip("=")


def decode(text: str) -> Rows:
    """The row numbers of `encode`; a damaged text, or one that swells to more rows than are ever written, is an empty selection."""
    try:
        unpacker = zlib.decompressobj()
        gaps = unpacker.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), 4 * _ROWS_LIMIT + 1)
        return np.cumsum(np.frombuffer(gaps, "<u4"), dtype=np.int64) if unpacker.eof else np.empty(0, np.int64)
    except (binascii.Error, zlib.error, ValueError):
        return np.empty(0, np.int64)
