"""Search in a space that has an index behind it: exact or through the index, whichever suits, and it says which."""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.search.cell_survey import Survey, survey
from likeness.search.neighbours import Neighbours
from likeness.search.notion_search import NotionSearch
from likeness.search.notion_view import Floats, best
from likeness.search.raw_index import RawIndex
from likeness.search.search_plan import Plan, plan
from likeness.search.vectors import as_numpy

_MEASURING = "Approximate: the nearest cells of the index are looked through; how much that finds is being measured."
# Rows compared at a time where all are.
_PART = 1 << 17


class IndexedSearch:
    """Nearest neighbors in a space of many images, exact where that is never felt, else through an index.

    What recall the index gives in this space is measured first, by a survey that reads all vectors once. In the background, searches do not wait
    for it: until it is done they look through a usual number of cells.

    Args:
        vectors: (n, m) unit rows of the space.
        index: of the vectors of the space's encoder.
        U: (d, m), what makes the space from the encoder's; None for the encoder's own.
        background: survey in a thread of its own instead of now.

    Raises:
        InputError: vectors or U that do not fit the index.
    """

    def __init__(self, vectors: Floats, index: RawIndex, U: Any = None, background: bool = False) -> None:
        if len(vectors) != len(index.rows):
            raise InputError(f"The space has {len(vectors):,} images, its index {len(index.rows):,}; build the index again.")
        self._vectors, self._search = vectors, NotionSearch(index, U)
        self._plan: Plan | None = self._planned()
        if not self._plan.unfelt:
            self._plan = None
            if background:
                threading.Thread(target=self._measure, daemon=True).start()
            else:
                self._measure()

    @property
    def told(self) -> str:
        """What people are told: exact, or how much is found."""
        return _MEASURING if self._plan is None else self._plan.told()

    @property
    def exact(self) -> bool:
        """Whether every image is compared."""
        return self._plan is not None and self._plan.exact

    def nearest(self, queries: Any, k: int, *, exclude: Any = None, allowed: NDArray[np.bool_] | None = None) -> Neighbours:
        """As `NotionSearch.nearest`."""
        if self._plan is None or not self._plan.exact:
            return self._search.nearest(queries, k, exclude=exclude, allowed=allowed, probes=self._plan.probes if self._plan else None)
        return self._scan(self._search.view.checked(queries, k), k, exclude, allowed)

    def _measure(self) -> None:
        self._plan = self._planned(survey(self._search))

    def _planned(self, surveyed: Survey | None = None) -> Plan:
        n, m = self._vectors.shape
        return plan(n, m, self._search.index.vectors.shape[1], surveyed)

    def _scan(self, codes: Floats, k: int, exclude: Any, allowed: NDArray[np.bool_] | None) -> Neighbours:
        hidden = None if allowed is None else ~as_numpy(allowed)
        available = len(self._vectors) - (0 if hidden is None else int(hidden.sum())) - (exclude is not None)
        if available < 1:
            raise InputError("No image is left to be found; take back a filter.")
        count = min(k, available)
        found = Neighbours(np.empty((len(codes), count), np.int64), np.empty((len(codes), count), np.float32))
        left_out = np.full(len(codes), -1) if exclude is None else np.atleast_1d(as_numpy(exclude)).astype(np.int64)
        for number, code in enumerate(codes):
            near = np.concatenate([self._vectors[begin : begin + _PART] @ code for begin in range(0, len(self._vectors), _PART)])
            if hidden is not None:
                near[hidden] = -np.inf
            if left_out[number] >= 0:
                near[left_out[number]] = -np.inf
            found.rows[number], found.similarities[number] = best(np.arange(len(near)), near, count)
        return found
