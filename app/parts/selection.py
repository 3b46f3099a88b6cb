"""The selected images and the query.

A query is an image of the dataset, an uploaded picture or a text, or several of these as terms with sign and weight. Both are stored in the session
and the URL, so that a link restores them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

import numpy as np
import streamlit as st

from parts import link
from state import Rows, State, state

MOST_KEPT = 20_000_000  # rows of a selection that a saved view keeps
WEIGHTS = (0.5, 1.0, 2.0)
MOST_TERMS, LONGEST = 8, 300  # terms, and letters of a text
_DIGITS = 15
Kind = Literal["row", "text", "picture"]


@dataclass(frozen=True)
class Term:
    """One term of a query: a row number, a text or a picture's token; a negative weight excludes it."""

    kind: Kind
    value: int | str
    weight: float = 1.0

    @property
    def turned(self) -> "Term":
        """With the other sign."""
        return replace(self, weight=-self.weight)

    @property
    def weighed(self) -> "Term":
        """With the next weight, of the same sign."""
        place = WEIGHTS.index(abs(self.weight)) if abs(self.weight) in WEIGHTS else 0
        return replace(self, weight=WEIGHTS[(place + 1) % len(WEIGHTS)] * (1 if self.weight > 0 else -1))


def select(chosen: Iterable[int] | Rows) -> None:
    """Replaces the selection; an empty one clears it."""
    new = np.asarray(chosen if isinstance(chosen, np.ndarray) else list(chosen), dtype=np.int64)
    # NumPy hashes what it makes unique: two seconds for a million rows, which mostly come in order
    state.rows = new if (np.diff(new) > 0).all() else np.unique(new)
    state.ticking = False
    link.write_item(State.rows)


def tick(chosen: Rows) -> None:
    """Replaces the selection by the ticked pictures, without scrolling them away."""
    select(chosen)
    state.ticking = True


def in_link() -> bool:
    """Whether the address holds the selection; a long one stays in the session only."""
    return not len(state.rows) or "rows" in st.query_params


def ask(row: int | None = None, picture: str = "", text: str = "") -> None:
    """Makes image `row`, the picture of this token or this text the only query; without arguments, clears the query."""
    state.query, state.picture, state.text = row, picture, text
    link.write_item(State.query)
    link.write_item(State.picture)
    set_terms(())


def set_terms(new: Sequence[Term]) -> None:
    """Sets the terms, without repeated values and up to the limit; clears them if the query is a single image, picture or text."""
    first = {(term.kind, term.value): term for term in reversed(new)}
    state.terms = tuple(term for term in new if first[term.kind, term.value] is term)[:MOST_TERMS]
    link.write_item(State.terms)


def keep_in_url() -> None:
    """Reads the terms of a newly opened address, and writes them back: Streamlit drops them when the page changes."""
    for item in (State.rows, State.query, State.picture):
        link.read_item(item)
    if (asked := link.read("term")) is not None:
        found = [_term(text) for text in asked[:MOST_TERMS]]
        state.terms = tuple(term for term in found if term is not None)
        if None in found or len(asked) > MOST_TERMS:
            bad = next((text for text, term in zip(asked, found, strict=False) if term is None), asked[-1])
            link.report_missing("the search term", bad, "It is ignored. Add it to the query again.")
    for item in (State.rows, State.query, State.picture, State.terms):
        link.write_item(item)


def _term(text: str) -> Term | None:
    weight, _, named = text.partition(" ")
    kind, _, value = named.partition(":")
    weights = {f"{sign * each:g}": sign * each for each in WEIGHTS for sign in (1, -1)}
    if weight not in weights or kind not in get_args(Kind) or not 0 < len(value) <= LONGEST:
        return None
    if kind == "row":
        return Term("row", int(value), weights[weight]) if value.isdecimal() and len(value) <= _DIGITS else None
    return Term(cast(Kind, kind), value, weights[weight])


def fit(count: int) -> None:
    """Removes rows of a link that `count` images do not have, and reports it."""
    chosen = state.rows
    if len(chosen) and chosen[-1] >= count:
        kept = chosen[chosen < count]
        others = "The others are selected." if len(kept) else "No image is selected."
        link.report(f"This link selects images that are not here ({len(chosen) - len(kept):,}). {others}")
        select(kept)
    if state.query is not None and state.query >= count:
        link.report_missing("image", f"{state.query:,}", "Click an image to see its neighbors.")
        state.query = None
        link.write_item(State.query)
    terms = [term for term in state.terms if term.kind != "row" or int(term.value) < count]
    if len(terms) < len(state.terms):
        link.report("This link searches with images that are not here. They are ignored. Add others to the query.")
        set_terms(terms)


def move(rows_now: Rows) -> None:
    """Maps selection and query to their images' new rows: `rows_now` (n,) is the new row of each image, -1 if it is gone."""

    def now(row: int) -> int:
        return int(rows_now[row]) if row < len(rows_now) else -1

    moved = [replace(term, value=now(int(term.value))) if term.kind == "row" else term for term in state.terms]
    if len(state.rows):
        found = rows_now[state.rows[state.rows < len(rows_now)]]
        select(np.sort(found[found >= 0]))
    if state.query is not None:
        row = now(state.query)
        state.query = row if row >= 0 else None
        link.write_item(State.query)
    set_terms([term for term in moved if term.value != -1])


def clear() -> None:
    """Clears the selection and the query, also a text: they have no meaning for other images."""
    select([])
    ask()
