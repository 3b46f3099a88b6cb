"""Search in any notion's space through the index of the encoder's vectors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import products_with_few
from likeness.search.neighbors import Neighbors, reach
from likeness.search.notion_view import PROBES, Cells, Floats, NotionView, best


class NotionSearch:
    """Searches a notion's space among indexed vectors, without transforming all of them.

    The cells nearest to a query in the notion's space are searched exactly (see `NotionView`). |U'x| is cached for each searched cell;
    `calibrate_nprobe` fills it for all.
    """

    def __init__(self, index: Cells, U: Any = None) -> None:
        self.index, self.view = index, NotionView(index.centers, U)
        self.probes = min(PROBES, len(index.centers))
        self._lengths = np.full(len(index.rows), np.nan, np.float32)
        # slices of a memory-mapped array's plain view are made in a third of the time
        self._rows, self._vectors = np.asarray(index.rows), np.asarray(index.vectors)

    def nearest(self, queries: Any, k: int, *, exclude: Any = None, allowed: Any = None, probes: int | None = None) -> Neighbors:
        """The k most similar images of each query among the searched cells.

        Args:
            queries: (q, m), images or texts in the notion's space, as its `transform` gives them.
            k: number of results; more cells are searched if needed. Fewer for all queries if one has fewer.
            exclude, allowed: for each query (q,) a row that is left out, -1 for none, and a mask (n,) of the rows that may be found.
            probes: number of cells to search, instead of the default.

        Returns:
            Rows (q, k) and cosines in the notion's space (q, k), nearest first, equal ones by row.

        Raises:
            InputError: queries, `exclude` or `allowed` that do not fit, k below 1, or no row to find.
        """
        codes = self.view.checked(queries, k)
        within = reach(len(self.index.rows), len(codes), exclude, allowed)
        count = within.count(k)
        found = Neighbors(np.empty((len(codes), count), np.int64), np.empty((len(codes), count), np.float32))
        for number, code in enumerate(codes):
            found.rows[number], found.similarities[number] = self._nearest_of(
                code, count, int(within.excluded[number]), within.allowed, probes or self.probes
            )
        return found

    def lengths(self, part: slice) -> Floats:
        """|U'x| of the vectors at these places of the index."""
        lengths: Floats = self._lengths[part]
        if len(lengths) and np.isnan(lengths).any():
            self._lengths[part] = lengths = self.view.codes(self.index.vectors[part])[1]
        return lengths

    def around(
        self, near: Floats, places: Floats, least: int = 1, *, allowed: NDArray[np.bool_] | None = None, probes: int | None = None
    ) -> tuple[NDArray[np.int64], Floats]:
        """All images in the cells nearest to any of `near` (v, m): rows (r,) in the order of the cells, and their cosines (t, r) to each of `places`
        (t, m).

        More cells are searched until there are `least` images; `allowed` and `probes` as in `nearest`.
        """
        rows, values = self._look_through(self.view.order_by_any(near), self.view.toward(places), least, allowed, probes or self.probes)
        return rows, np.ascontiguousarray(values.T)

    def _nearest_of(self, code: Floats, k: int, left_out: int, mask: NDArray[np.bool_] | None, probes: int) -> tuple[NDArray[np.int64], Floats]:
        rows, values = self._look_through(self.view.order_by_any(code[None]), self.view.toward(code[None]), k + (left_out >= 0), mask, probes)
        kept = rows != left_out
        return best(rows[kept], values[kept, 0], k)

    def _look_through(
        self, order: NDArray[np.int64], toward: Floats, least: int, mask: NDArray[np.bool_] | None, probes: int
    ) -> tuple[NDArray[np.int64], Floats]:
        """Rows (r,) of the allowed images in the first cells, and their cosines (r, t)."""
        rows, values, found = [], [], 0
        for rank, cell in enumerate(order.tolist()):
            if rank >= probes and found >= least:
                break
            part = self.index.cell(cell)
            these, vectors, lengths = self._rows[part], self._vectors[part], self.lengths(part)
            if mask is not None:
                kept = np.flatnonzero(mask[these])
                these, vectors, lengths = these[kept], vectors[kept], lengths[kept]
            rows.append(these)
            values.append(products_with_few(vectors, toward) / lengths[:, None])
            found += len(these)
        return np.concatenate(rows), np.concatenate(values)
