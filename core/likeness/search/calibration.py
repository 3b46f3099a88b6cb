"""How many cells of an index a notion needs, measured by answering some queries exactly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likeness.progress import Progress
from likeness.search.notion_search import NotionSearch

# Vectors read at a time.
_PART = 50_000


@dataclass(frozen=True)
class Calibration:
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
        return int(np.argmax(self.recall >= min(recall, self.recall[-1]))) + 1


def calibrate_nprobe(search: NotionSearch, queries: int = 100, k: int = 10, seed: int = 0, progress: Progress | None = None) -> Calibration:
    """Reads every vector once and answers some queries exactly: what share of the nearest lies in how many cells.

    Queries are images of the index; each is left out of its own neighbors. On the way |U'x| is kept for all images, so that searches after it
    are faster.

    Args:
        search: of the notion; its `probes` are not changed.
        queries: how many images ask.
        k: neighbors of each.
        seed: of the choice of queries.
        progress: called with (images read, n).
    """
    index, view = search.index, search.view
    n = len(index.rows)
    chosen = np.sort(np.random.default_rng(seed).choice(n, min(queries, n), replace=False))
    codes = view.codes(np.ascontiguousarray(index.vectors[chosen]))[0]
    toward, count = view.toward(codes), max(1, min(k, n - 1))
    values, places = np.zeros((len(chosen), 0), np.float32), np.zeros((len(chosen), 0), np.int64)
    for begin in range(0, n, _PART):
        part = slice(begin, min(begin + _PART, n))
        near = toward @ index.vectors[part].T / search.lengths(part)
        inside = (chosen >= part.start) & (chosen < part.stop)
        near[inside, chosen[inside] - part.start] = -np.inf
        values, places = np.hstack([values, near]), np.hstack([places, np.broadcast_to(np.arange(part.start, part.stop), near.shape)])
        best = np.argpartition(-values, min(count, values.shape[1]) - 1, axis=1)[:, :count]
        values, places = np.take_along_axis(values, best, 1), np.take_along_axis(places, best, 1)
        if progress:
            progress(part.stop, n)
    return _curve(view.order(codes), index.starts, places)


def _curve(order: NDArray[np.int64], starts: NDArray[np.int64], places: NDArray[np.int64]) -> Calibration:
    """From each query's cells in order (q, cells) and the places of its nearest in the index (q, k)."""
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), 1)
    needed = np.take_along_axis(rank, np.searchsorted(starts, places, side="right") - 1, 1)
    recall = np.cumsum(np.bincount(needed.ravel(), minlength=order.shape[1])) / needed.size
    share = np.cumsum(np.diff(starts)[order], axis=1).mean(axis=0) / starts[-1]
    return Calibration(recall, share, *places.shape)
