"""Search in an indexed space, exact or through the index, whichever is faster."""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.search.neighbors import Neighbors, scan
from likeness.search.notion_search import NotionSearch
from likeness.search.notion_view import Cells, Floats
from likeness.search.search_plan import Calibration, Plan, calibrate_nprobe, plan

# Cells looked through for a composed query, beside those of a single one: what fits several terms lies less close together. Among a million vectors
# of 512 dimensions these find .99 of the best ten, where the cells of a single query hold .90.
_MORE_CELLS = 120
_MEASURING = "Approximate: the nearest cells of the index are searched; recall is being measured."


class IndexedSearch:
    """Nearest neighbors in a space (n, m) of many images: exact if that is fast, else through an index of the vectors from which U (d, m) derives it.

    A background thread measures the recall of the index in this space; until then, searches use a default number of cells. Raises InputError for
    mismatched arguments.
    """

    def __init__(self, vectors: Floats, index: Cells, U: Any = None) -> None:
        if len(vectors) != len(index.rows):
            raise InputError(f"The space has {len(vectors):,} images, its index {len(index.rows):,}; build the index again.")
        self._vectors, self._search = vectors, NotionSearch(index, U)
        self._plan: Plan | None = self._planned()
        # daemon: a process that ends does not wait for the measurement
        self._calibration = threading.Thread(target=self._measure, daemon=True)
        if not self._plan.cheap_exact:
            self._plan = None
            self._calibration.start()

    @property
    def message(self) -> str:
        """One sentence for people: exact, or how much is found."""
        return _MEASURING if self._plan is None else self._plan.message()

    @property
    def exact(self) -> bool:
        """Whether every image is compared."""
        return self._plan is not None and self._plan.exact

    def wait(self) -> "IndexedSearch":
        """Waits for the calibration, and returns itself."""
        if self._calibration.ident is not None:
            self._calibration.join()
        return self

    def nearest(self, queries: Any, k: int, *, exclude: Any = None, allowed: NDArray[np.bool_] | None = None) -> Neighbors:
        """As `NotionSearch.nearest`."""
        chosen = self._plan
        if chosen is None or not chosen.exact:
            return self._search.nearest(queries, k, exclude=exclude, allowed=allowed, probes=None if chosen is None else chosen.probes)
        return scan(self._vectors, self._search.view.checked(queries, k), k, exclude=exclude, allowed=allowed)

    def around(self, near: Floats, places: Floats, least: int = 1, *, allowed: NDArray[np.bool_] | None = None) -> tuple[NDArray[np.int64], Floats]:
        """As `NotionSearch.around`, through more cells than for the nearest of one query."""
        chosen = self._plan
        probes = self._search.probes if chosen is None or chosen.exact else chosen.probes
        return self._search.around(near, places, least, allowed=allowed, probes=probes + _MORE_CELLS)

    def _measure(self) -> None:
        self._plan = self._planned(calibrate_nprobe(self._search))

    def _planned(self, calibrated: Calibration | None = None) -> Plan:
        n, m = self._vectors.shape
        return plan(n, m, self._search.index.vectors.shape[1], calibrated)
