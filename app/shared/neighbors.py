"""The query, an image of the dataset, an image from outside or a text, and what lies nearest to it in each space."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.space import Space
from shared import selection
from shared.view import View

COUNT = 24
_LONGEST = 120  # letters of a text in a title


@dataclass(frozen=True)
class Query:
    """What was asked: at most one of the three is set."""

    row: int | None = None
    text: str = ""
    image: bytes | None = None
    name: str = ""

    def __bool__(self) -> bool:
        return self.row is not None or bool(self.text) or self.image is not None

    def title(self, frame: pd.DataFrame) -> str:
        """What the neighbors are neighbors of."""
        if self.row is not None:
            return f"Neighbors of {str(frame['path'].iloc[self.row]).rsplit('/', 1)[-1]}"
        text = self.text if len(self.text) <= _LONGEST else f"{self.text[:_LONGEST]} ..."
        return f"Images for “{text}”" if text else f"Neighbors of {self.name}"


@dataclass(frozen=True)
class Found:
    """The nearest images of one space: row numbers and cosine similarities, nearest first, and a sentence where they are approximate."""

    space: Space
    rows: NDArray[np.int64]
    similarities: NDArray[np.float32]
    note: str = ""


def current_query(view: View) -> Query:
    """The current query."""
    if view.query is not None:
        return Query(row=view.query)
    if st.session_state.get("text", "").strip():
        return Query(text=st.session_state["text"].strip())
    upload = st.session_state.get("upload")
    return Query(image=upload.getvalue(), name=upload.name) if upload else Query()


def image_was_clicked(row: int | None) -> None:
    """Image `row` becomes the query."""
    st.session_state["text"] = ""
    selection.ask(row)


def text_was_typed() -> None:
    """The typed text becomes the query."""
    selection.ask(None)


def image_was_given() -> None:
    """The uploaded image becomes the query."""
    st.session_state["text"] = ""
    selection.ask(None)


def forget() -> None:
    """Takes the query back, whatever it was."""
    st.session_state["text"] = ""
    st.session_state.pop("upload", None)
    selection.ask(None)


def find(view: View, query: Query, spaces: list[Space] | None = None) -> list[Found]:
    """The nearest visible images in each space that can read the query; empty without one."""
    if not query:
        return []
    allowed = None if view.hidden is None else ~view.hidden
    nothing = allowed is not None and allowed.sum() <= (query.row is not None)
    found = []
    for space in spaces or view.spaces:
        if query.text and space.embed_texts is None:
            continue
        if nothing:
            found.append(Found(space, np.zeros(0, np.int64), np.zeros(0, np.float32)))
            continue
        result = space.nearest(_vector(space, query), COUNT, exclude=None if query.row is None else [query.row], allowed=allowed)
        note = "" if space.search is None or space.search.exact else space.search.message
        found.append(Found(space, result.rows[0], result.similarities[0], note))
    return found


def same_class(view: View, query: Query, rows: NDArray[np.int64]) -> list[bool | None] | None:
    """Whether each row has the query's value of the attribute that colors the map; None where there is nothing to compare."""
    if query.row is None or view.color is None or pd.api.types.is_float_dtype(view.frame[view.color]):
        return None
    values = view.frame[view.color].to_numpy()
    return [bool(values[row] == values[query.row]) for row in rows]


def in_all(found: list[Found], rows: NDArray[np.int64]) -> list[bool]:
    """Whether each row is among the neighbors in every space."""
    common = set.intersection(*(set(each.rows.tolist()) for each in found))
    return [row in common for row in rows.tolist()]


def captions(view: View, rows: NDArray[np.int64]) -> list[str] | None:
    """The value of the coloring attribute under each picture."""
    if view.color is None:
        return None
    values = view.frame[view.color].iloc[rows]
    return [f"{value:.3g}" if isinstance(value, float) else str(value) for value in values]


def _vector(space: Space, query: Query) -> NDArray[np.float32]:
    if query.row is not None:
        return space.vectors[[query.row]]
    return space.text_query(query.text) if query.text else space.image_query(query.image or b"", query.name)
