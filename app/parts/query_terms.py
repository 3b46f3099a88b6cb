"""The terms of a query that is composed of several: images, pictures from outside and texts, each with a sign and a weight; in the link, too."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parts import link
from state import state

WEIGHTS = (0.5, 1.0, 2.0)
MOST, LONGEST = 8, 300  # terms, and letters of a text
_KINDS = ("row", "text", "picture")
_DIGITS = 15
Kind = Literal["row", "text", "picture"]


@dataclass(frozen=True)
class Term:
    """One of what is searched for: the number of a row, a text or the token of a kept picture; a weight below 0 takes it away."""

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


def terms() -> tuple[Term, ...]:
    """Those of a composed query; none where the query is one image, picture or text."""
    return state.terms


def set_terms(new: Sequence[Term]) -> None:
    """Replaces them, the first of each value and as many as are allowed."""
    first = {(term.kind, term.value): term for term in reversed(new)}
    state.terms = tuple(term for term in new if first[term.kind, term.value] is term)[:MOST]
    write_link()


def write_link() -> None:
    """Writes them into the address."""
    link.write({"term": [f"{term.weight:g} {term.kind}:{term.value}" for term in terms()]})


def read_link() -> None:
    """Takes them from an address that a person has just come by."""
    asked = link.read("term")
    if asked is None:
        return
    found = [_term(text) for text in asked[:MOST]]
    state.terms = tuple(term for term in found if term is not None)
    if None in found or len(asked) > MOST:
        bad = next((text for text, term in zip(asked, found, strict=False) if term is None), asked[-1])
        link.report(f"This link searches for “{link.shortened(bad)}”, which can't be read; it is left out. Add it to the query again.")


def _term(text: str) -> Term | None:
    weight, _, named = text.partition(" ")
    kind, _, value = named.partition(":")
    weights = {f"{sign * each:g}": sign * each for each in WEIGHTS for sign in (1, -1)}
    if weight not in weights or kind not in _KINDS or not 0 < len(value) <= LONGEST:
        return None
    if kind == "row":
        return Term("row", int(value), weights[weight]) if value.isdecimal() and len(value) <= _DIGITS else None
    return Term("text" if kind == "text" else "picture", value, weights[weight])


def fit(count: int) -> None:
    """Leaves out rows that a link names and `count` images do not have, and says so."""
    kept = [term for term in terms() if term.kind != "row" or int(term.value) < count]
    if len(kept) < len(terms()):
        link.report(f"This link searches with images that are not among these {count:,}; they are left out. Add others to the query.")
        set_terms(kept)


def move(rows_now: NDArray[np.int64]) -> None:
    """Lets rows follow their images, as `selection.move`."""
    if not terms():
        return
    moved = []
    for term in terms():
        row = int(term.value) if term.kind == "row" else -1
        now = int(rows_now[row]) if 0 <= row < len(rows_now) else -1
        if term.kind != "row" or now >= 0:
            moved.append(replace(term, value=now) if term.kind == "row" else term)
    set_terms(moved)
