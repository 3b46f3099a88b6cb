"""Answers on whether images match a query: of each dataset, query and space their own, kept while the session lasts, also on other pages."""

from collections import OrderedDict

import pandas as pd
import streamlit as st

from likeness.space import Space
from shared.neighbors import Query
from shared.view import View

_KEPT = 100  # queries of one session
_ALL = "match_answers"


class Answers:
    """What was said of the images of one query, the last at the end.

    An image is its row, and its path, by which it is found again where a dataset has grown and its rows have other numbers.
    """

    def __init__(self) -> None:
        self._said: list[tuple[int, str, bool]] = []

    def __len__(self) -> int:
        return len(self._said)

    def add(self, row: int, path: str, match: bool) -> None:
        """One more answer; a later one on the same image takes the place of the first."""
        self._said = [*(each for each in self._said if each[1] != path), (row, path, match)]

    def undo(self) -> None:
        """Takes the last answer back."""
        self._said = self._said[:-1]

    def clear(self) -> None:
        """Takes all answers back."""
        self._said = []

    def by_row(self, paths: "pd.Series[str]") -> dict[int, bool]:
        """Row -> whether the image matches, in the order of the answers; images that are not there any more are left out."""
        moved = [path for row, path, _ in self._said if not (row < len(paths) and str(paths.iloc[row]) == path)]
        there = {str(path): int(row) for row, path in paths[paths.isin(moved)].items()} if moved else {}
        found: dict[int, bool] = {}
        for row, path, match in self._said:
            now = there.get(path) if path in moved else row
            if now is not None:
                found[now] = match
        return found


def key(view: View, query: Query, space: Space) -> str:
    """Equal for the same query of the same images in the same space."""
    paths = view.frame["path"]
    terms = [(term.kind, str(paths.iloc[int(term.value)]) if term.kind == "row" else term.value, term.weight) for term in query.all_terms]
    return repr((view.dataset, space.key if view.dataset == view.entry.id else space.name, terms))


def of(view: View, query: Query, space: Space) -> Answers:
    """The answers so far, to be added to."""
    kept: OrderedDict[str, Answers] = st.session_state.setdefault(_ALL, OrderedDict())
    name = key(view, query, space)
    answers = kept.setdefault(name, Answers())
    kept.move_to_end(name)
    while len(kept) > _KEPT:
        kept.popitem(last=False)
    return answers
