"""Whether a search compares every image or looks through the nearest cells of an index, and what that costs in recall, measured by exact answers."""

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
    """How many cells a notion needs.

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
    """Reads every vector once and answers some queries exactly: what share of the k nearest lies in how many cells.

    Queries are images of the index; each is left out of its own neighbors. On the way |U'x| is kept for all images, so that searches after it are
    faster; the search's `probes` are not changed.
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
    return _curve(view.order(codes), index.starts, places)


def _curve(order: NDArray[np.int64], starts: NDArray[np.int64], places: NDArray[np.int64]) -> Calibration:
    """From each query's cells in order (q, cells) and the places of its nearest in the index (q, k)."""
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), 1)
    needed = np.take_along_axis(rank, np.searchsorted(starts, places, side="right") - 1, 1)
    recall = np.cumsum(np.bincount(needed.ravel(), minlength=order.shape[1])) / needed.size
    share = np.cumsum(np.diff(starts)[order], axis=1).mean(axis=0) / starts[-1]
    return Calibration(recall, share)


@dataclass(frozen=True)
class Plan:
    """How a space of n images and m dimensions is searched: by comparing every image, or through so many cells (`probes`), with the share of the
    nearest that is found, as measured; `cheap_exact`, where comparing every image takes so little that nothing else is worth a look.
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
    """Exact where comparing all n codes of m dimensions reads no more than is cheap_exact, or than the cells of vectors of d dimensions would, or
    where there is no index, and so no calibration. `recall` must be found.

    A notion of few dimensions spreads its nearest over most cells, which are cut by what the encoder sees; but its codes are short, so that comparing
    them all is fast. With many dimensions it is the other way round.
    """
    everything = n * m * _BYTES
    exact = Plan(True, 0, 1.0, everything <= _CHEAP_BYTES)
    if calibration is None or exact.cheap_exact:
        return exact
    probes = calibration.probes(recall)
    share = float(calibration.share[probes - 1])
    through_cells = int(share * n * d + len(calibration.share) * m) * _BYTES
    return exact if everything <= through_cells else Plan(False, probes, float(calibration.recall[probes - 1]))
