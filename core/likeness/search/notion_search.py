"""The nearest images of any notion, from the one index of the encoder's vectors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.search.neighbours import Neighbours
from likeness.search.raw_index import Floats, RawIndex
from likeness.search.vectors import as_numpy, checked_rows, unit_rows

# Cells looked through where nothing is known of the notion yet: with 16 dimensions or more they hold over .95 of the nearest on the vectors
# that it was measured on.
PROBES = 64


class NotionSearch:
    """Finds the nearest of a notion's space among indexed vectors, without transforming them all.

    For a notion x -> U'x / |U'x| (InDiReCT, Kobs et al., WACV 2023, Eq. 5 and 6), cos(U'q, U'x) = (UU'q . x) / (|U'q| |U'x|): images are
    compared in the notion's space through one product with the vectors as they are stored. The centers of the index's cells are read through
    the notion as well, so the cells most like the query come first whatever the notion is; the images in them are compared exactly. (Taking
    candidates by UU'q . x alone, as an index of inner products does, prefers images of which much lies in the notion's space to those that
    are like the query.) |U'x| is kept for each cell that was ever looked through; `survey` fills it for all.

    Args:
        index: of the encoder's vectors.
        U: (d, m), the notion's linear map; None for the encoder's own space.
        probes: cells to look through for each query.

    Raises:
        InputError: U does not fit the index, or no number of cells.
    """

    def __init__(self, index: RawIndex, U: Any = None, probes: int = PROBES) -> None:
        self.index = index
        self._U = None if U is None else checked_rows(U, "U")
        if self._U is not None and len(self._U) != index.vectors.shape[1]:
            raise InputError(
                f"The notion was fitted in {len(self._U)} dimensions, the index has {index.vectors.shape[1]}; use the same encoder for both."
            )
        if probes < 1:
            raise InputError(f"{probes} cells to look through; ask for at least 1.")
        self.probes = min(probes, len(index.centers))
        self._centers = self._codes(index.centers)[0]
        self._lengths = np.full(len(index.rows), np.nan, np.float32)

    def nearest(self, queries: Any, k: int, *, exclude: Any = None, allowed: Any = None, probes: int | None = None) -> Neighbours:
        """The k most similar images of each query among those in the cells that are looked through.

        Args:
            queries: (q, m), images or texts in the notion's space, as its `transform` gives them.
            k: how many; where fewer than k are found, more cells are looked through.
            exclude: for each query (q,) a row that is left out, -1 for none.
            allowed: mask (n,) of the rows that may be found; all without it.
            probes: in place of the search's own.

        Returns:
            Rows (q, k) and cosines in the notion's space (q, k), nearest first, equal ones by row.

        Raises:
            InputError: queries that do not fit, k below 1, or fewer than k rows to find.
        """
        asked = self._checked(queries, k)
        left_out = np.full(len(asked), -1) if exclude is None else np.atleast_1d(as_numpy(exclude)).astype(np.int64)
        mask = None if allowed is None else as_numpy(allowed)
        available = (len(self.index.rows) if mask is None else int(mask.sum())) - (exclude is not None)
        count = min(k, available)
        if count < 1 or left_out.shape != (len(asked),) or (mask is not None and mask.shape != self.index.rows.shape):
            raise InputError(
                f"exclude must hold a row for each of the {len(asked)} queries and allowed leave at least one of {len(self.index.rows)} rows."
            )
        found = Neighbours(np.empty((len(asked), count), np.int64), np.empty((len(asked), count), np.float32))
        for number, code in enumerate(asked):
            found.rows[number], found.similarities[number] = self._nearest_of(code, count, int(left_out[number]), mask, probes or self.probes)
        return found

    def order(self, codes: Floats) -> NDArray[np.int64]:
        """Cells (q, cells) in the order in which they are looked through for queries in the notion's space (q, m)."""
        return np.argsort(-(codes @ self._centers.T), axis=1, kind="stable")

    def _checked(self, queries: Any, k: int) -> Floats:
        asked = checked_rows(queries, "The queries")
        if asked.shape[1] != self._centers.shape[1]:
            raise InputError(f"The queries have {asked.shape[1]} dimensions, the space {self._centers.shape[1]}; transform them by the same notion.")
        if k < 1:
            raise InputError(f"k is {k}, but at least 1 neighbour must be asked for.")
        return unit_rows(asked, "The queries")

    def _codes(self, rows: Floats) -> tuple[Floats, Floats]:
        """Unit rows (r, m) of the notion's space, and the lengths (r,) that they had; a row at a right angle to all of U is zero,
        its length infinite."""
        codes: Floats = rows if self._U is None else rows @ self._U
        lengths: Floats = np.sqrt(np.einsum("ij,ij->i", codes, codes))
        lengths[lengths <= np.finfo(np.float32).eps * (1 if self._U is None else np.linalg.norm(self._U))] = np.inf
        return codes / lengths[:, None], lengths

    def _nearest_of(self, code: Floats, k: int, left_out: int, mask: NDArray[np.bool_] | None, probes: int) -> tuple[NDArray[np.int64], Floats]:
        toward = code if self._U is None else self._U @ code
        rows, values, found = [], [], 0
        for rank, cell in enumerate(self.order(code[None])[0]):
            if rank >= probes and found >= k:
                break
            part = self.index.cell(int(cell))
            these = self.index.rows[part]
            near = (self.index.vectors[part] @ toward) / self._lengths_of(part)
            keep = these != left_out if mask is None else mask[these] & (these != left_out)
            rows.append(these[keep])
            values.append(near[keep])
            found += int(keep.sum())
        return _best(np.concatenate(rows), np.concatenate(values), k)

    def _lengths_of(self, part: slice) -> Floats:
        lengths: Floats = self._lengths[part]
        if len(lengths) and np.isnan(lengths).any():
            self._lengths[part] = lengths = self._codes(self.index.vectors[part])[1]
        return lengths


def _best(rows: NDArray[np.int64], values: Floats, k: int) -> tuple[NDArray[np.int64], Floats]:
    """The k largest values with their rows, equal ones by row."""
    if len(values) > k:
        reached = np.flatnonzero(values >= np.partition(values, len(values) - k)[len(values) - k])
        rows, values = rows[reached], values[reached]
    order = np.lexsort((rows, -values))[:k]
    return rows[order], values[order]


@dataclass(frozen=True)
class Survey:
    """How many cells a notion needs.

    Attributes:
        recall: of the k nearest, the share found in the first c cells, c = 1, 2 ... (cells,), mean over the queries asked.
        share: of all images, the share that lies in the first c cells (cells,).
        queries, k: how many were asked, for how many neighbors.
    """

    recall: NDArray[np.float64]
    share: NDArray[np.float64]
    queries: int
    k: int

    def probes(self, recall: float) -> int:
        """The fewest cells with at least this recall."""
        return int(np.argmax(self.recall >= recall)) + 1


def survey(search: NotionSearch, queries: int = 100, k: int = 10, seed: int = 0, progress: Callable[[int, int], None] | None = None) -> Survey:
    """Reads every vector once and answers some queries exactly: what share of the nearest lies in how many cells.

    Queries are images of the index; each is left out of its own neighbors. On the way |U'x| is kept for all images.

    Args:
        search: of the notion; its `probes` are not changed.
        queries: how many images ask.
        k: neighbors of each.
        seed: of the choice of queries.
        progress: called with (images read, n).
    """
    index = search.index
    chosen = np.sort(np.random.default_rng(seed).choice(len(index.rows), min(queries, len(index.rows)), replace=False))
    codes, _ = search._codes(np.ascontiguousarray(index.vectors[chosen]))
    toward = codes if search._U is None else codes @ search._U.T
    count = min(k, len(index.rows) - 1)
    values, places = np.full((len(chosen), 0), 0, np.float32), np.zeros((len(chosen), 0), np.int64)
    for begin in range(0, len(index.rows), _SURVEYED):
        part = slice(begin, min(begin + _SURVEYED, len(index.rows)))
        near = toward @ index.vectors[part].T / search._lengths_of(part)
        inside = (chosen >= part.start) & (chosen < part.stop)
        near[inside, chosen[inside] - part.start] = -np.inf
        values = np.hstack([values, near])
        places = np.hstack([places, np.broadcast_to(np.arange(part.start, part.stop), near.shape)])
        best = np.argpartition(-values, min(count, values.shape[1]) - 1, axis=1)[:, :count]
        values, places = np.take_along_axis(values, best, 1), np.take_along_axis(places, best, 1)
        if progress:
            progress(part.stop, len(index.rows))
    return _curve(search, codes, places)


_SURVEYED = 50_000


def _curve(search: NotionSearch, codes: Floats, places: NDArray[np.int64]) -> Survey:
    starts = search.index.starts
    order = search.order(codes)
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), 1)
    cells = np.searchsorted(starts, places, side="right") - 1
    needed = np.take_along_axis(rank, cells, 1)
    recall = np.cumsum(np.bincount(needed.ravel(), minlength=order.shape[1])) / needed.size
    share = np.cumsum(np.diff(starts)[order], axis=1).mean(axis=0) / starts[-1]
    return Survey(recall, share, *places.shape)
