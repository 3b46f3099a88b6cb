"""Choose between exact search and the nearest cells of an index, with recall measured against exact answers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likeness.search.notion_search import NotionSearch

_PART = 50_000  # vectors read at a time by a calibration
# What a calibration must find, so that other queries than its hundred, which may do worse by .01, still find .95 of their nearest.
RECALL = 0.96
# Bytes that are read in some ten milliseconds: below, comparing every image is never felt.
_CHEAP_BYTES = 128 * 1024**2
# Single precision.
_BYTES = 4


@dataclass(frozen=True)
class Calibration:
    """Recall of a notion's search by number of cells.

    Attributes:
        recall: of the k nearest, the share found in the first c cells, c = 1, 2 ... (cells,), mean over the queries asked.
        share: of all images, the share that lies in the first c cells (cells,).
    """

    recall: NDArray[np.float64]
    share: NDArray[np.float64]

    def probes(self, recall: float) -> int:
        """The fewest cells with at least this recall."""
        return int(np.argmax(self.recall >= min(recall, self.recall[-1]))) + 1


def calibrate_nprobe(search: NotionSearch, queries: int = 100, k: int = 10, seed: int = 0) -> Calibration:
    """Measures the share of the k nearest in the first c cells, by answering some queries exactly in one pass over the vectors.

    Queries are images of the index, excluded from their own neighbors. It also caches |U'x| of all images, which speeds up later searches; the
    search's `probes` are not changed.
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
        # a query must not find itself
        near[inside, chosen[inside] - part.start] = -np.inf
        values, places = np.hstack([values, near]), np.hstack([places, np.broadcast_to(np.arange(part.start, part.stop), near.shape)])
        best = np.argpartition(-values, min(count, values.shape[1]) - 1, axis=1)[:, :count]
        values, places = np.take_along_axis(values, best, 1), np.take_along_axis(places, best, 1)
    return _curve(view.order(codes), index.starts, places)


def _curve(order: NDArray[np.int64], starts: NDArray[np.int64], places: NDArray[np.int64]) -> Calibration:
    """The calibration from each query's ordered cells (q, cells) and the positions of its nearest in the index (q, k)."""
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), 1)
    needed = np.take_along_axis(rank, np.searchsorted(starts, places, side="right") - 1, 1)
    recall = np.cumsum(np.bincount(needed.ravel(), minlength=order.shape[1])) / needed.size
    share = np.cumsum(np.diff(starts)[order], axis=1).mean(axis=0) / starts[-1]
    return Calibration(recall, share)


@dataclass(frozen=True)
class Plan:
    """How a space of n images and m dimensions is searched: exactly, or through `probes` cells with the measured recall; `cheap_exact` if exact
    search is so fast that the index is not considered.
    """

    exact: bool
    probes: int
    recall: float
    cheap_exact: bool = False

    def message(self) -> str:
        """One sentence for people."""
        if self.exact:
            return "Exact: every image is compared."
        return f"Approximate: {self.recall:.0%} of the nearest are found, measured on images of this dataset."


def plan(n: int, m: int, d: int, calibration: Calibration | None = None, recall: float = RECALL) -> Plan:
    """Exact if comparing all n codes of m dimensions reads no more than the limit of cheap_exact, or than the cells of d-dimensional vectors would,
    or without an index, and so without calibration. `recall` is the minimum.

    The nearest images of a low-dimensional notion are spread over most cells, which follow the encoder's space; but its codes are short, so that
    exact search is fast. With many dimensions it is the other way round.
    """
    everything = n * m * _BYTES
    exact = Plan(True, 0, 1.0, everything <= _CHEAP_BYTES)
    if calibration is None or exact.cheap_exact:
        return exact
    # cost of the cells: their vectors in the encoder's d dimensions, and the ranking of all centers in the notion's m
    probes = calibration.probes(recall)
    share = float(calibration.share[probes - 1])
    through_cells = int(share * n * d + len(calibration.share) * m) * _BYTES
    return exact if everything <= through_cells else Plan(False, probes, float(calibration.recall[probes - 1]))
