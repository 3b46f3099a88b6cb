"""Maps of more items than a method can lay out in minutes: a sample is laid out, the others stand beside their neighbors in it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, unit_rows
from likeness.projection.pca_map import pca_map
from likeness.projection.start import checked_start
from likeness.search import Neighbors, nearest

# Up to twice as many items as the sample all are laid out.
SAMPLE = 50_000
NEIGHBORS = 8
# A neighbor that stands this many times as far from the nearest one as is usual has been torn away from it by the map.
TORN = 4.0
# Cells of the map's items that are searched for the neighbors of what lies in one of them, itself included.
LOOKED_INTO = 8
_BLOCK = 131_072
_STRIPES = 100

Rows = NDArray[np.float32]
Function = Callable[..., NDArray[np.float32]]


def is_sampled(count: int, sample: int = SAMPLE) -> bool:
    """Whether a map of so many items is laid out from a sample."""
    return count > 2 * sample


def sampled_map(vectors: Any, function: Function, *, init: Any = None, sample: int = SAMPLE, **parameters: Any) -> NDArray[np.float32]:
    """The map (n, 2) of `function`, laid out on a sample where there are more than twice as many items; the others stand where `placed` puts them.

    Args:
        vectors: (n, d), perhaps in a memory-mapped file.
        function: (vectors, *, init, **parameters) -> positions, as in `METHODS`.
        init: positions to start from (n, 2), or None.

    Raises:
        InputError: if a vector is not finite or all zeros, or `init` does not fit.
    """
    rows = checked_rows(vectors, "The vectors")
    if not is_sampled(len(rows), sample):
        return function(vectors, init=init, **parameters)
    start = None if init is None else checked_start(init, len(rows))
    chosen = stratified(pca_map(rows), sample)
    known = unit_rows(rows[chosen], "The vectors")
    laid_out = function(known, init=None if start is None else start[chosen], **parameters)
    positions = placed(rows, known, laid_out)
    positions[chosen] = laid_out
    return positions


def stratified(flat: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """`count` row numbers, ascending, spread over a map (n, 2) as its items are: every (n / count)-th along a path through all of it.

    The map is cut into stripes of equally many items, and the path goes up one and down the next; so each region, and each group that
    keeps to one, has its share.
    """
    stripe = np.empty(len(flat), np.int64)
    stripe[np.argsort(flat[:, 0], kind="stable")] = np.arange(len(flat)) * _STRIPES // len(flat)
    path = np.lexsort((np.where(stripe % 2, -flat[:, 1], flat[:, 1]), stripe))
    return np.sort(path[np.arange(count) * len(flat) // count])


def placed(vectors: Any, known: Rows, positions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Where items (n, d) stand on a map that others, unit rows `known` (m, d), have been laid out on at `positions` (m, 2).

    Positions (n, 2) are the mean of those of the nearest items of the map (cosine similarity), weighted by 1 - d / D with d the distance of each and
    D that of the first one beyond them, so that no weight jumps where neighbors change. Neighbors that the map has torn away from the nearest are
    left out: the mean would stand where nothing is.

    Where the map has many items, an item's neighbors are looked for in the cells around its own (k-means on the map's items), a matrix product for
    all items of a cell at once. Through the inverted file of faiss, which takes one item after the other, a million items were not placed after three
    minutes.
    """
    cells = _Cells(known)
    count = min(NEIGHBORS + 1, len(known))
    out = np.empty((len(vectors), 2), np.float32)
    usual = None
    for begin in range(0, len(vectors), _BLOCK):
        found = cells.nearest(np.asarray(vectors[begin : begin + _BLOCK], np.float32), count)
        places = positions[found.rows]
        distances = np.linalg.norm(places - places[:, :1], axis=2)
        if usual is None:
            usual = float(np.median(distances[:, 1:])) if count > 1 else 0.0
        out[begin : begin + _BLOCK] = _mean(places, found.similarities, distances <= TORN * usual)
    return out


def _mean(places: NDArray[np.float32], similarities: NDArray[np.float32], kept: NDArray[np.bool_]) -> NDArray[np.float32]:
    distances = np.sqrt(np.maximum(2 - 2 * similarities, 0))
    beyond = distances[:, -1:]
    weights = np.where(kept & (beyond > 0), 1 - distances / np.where(beyond > 0, beyond, 1), 0)
    weights[weights.sum(axis=1) <= 0, 0] = 1  # all equally far: the nearest by number
    return np.asarray((places * weights[:, :, None]).sum(axis=1) / weights.sum(axis=1, keepdims=True), np.float32)


class _Cells:
    """Known items in cells of some 250, each searched together with the cells nearest to it; few items are one cell."""

    def __init__(self, known: Rows) -> None:
        self.known = known
        count = len(known) // 250
        self.centers = _centers(known, count) if count > LOOKED_INTO else known[:1]
        of = nearest(known, self.centers, 1).rows[:, 0]
        around = nearest(self.centers, self.centers, LOOKED_INTO).rows
        self.candidates = [np.flatnonzero(np.isin(of, cells)) for cells in around]

    def nearest(self, rows: Rows, count: int) -> Neighbors:
        """The `count` known items nearest to each row, or as many as there are in the cells around it, the last one repeated."""
        of = nearest(rows, self.centers, 1).rows[:, 0]
        found = Neighbors(np.empty((len(rows), count), np.int64), np.empty((len(rows), count), np.float32))
        for cell in np.flatnonzero(np.bincount(of)):
            members, candidates = np.flatnonzero(of == cell), self.candidates[cell]
            near = nearest(rows[members], self.known[candidates], count)
            filled = np.minimum(np.arange(count), near.rows.shape[1] - 1)
            found.rows[members] = candidates[near.rows[:, filled]]
            found.similarities[members] = near.similarities[:, filled]
        return found


def _centers(known: Rows, count: int) -> Rows:
    import faiss

    model = faiss.Kmeans(known.shape[1], count, niter=10, seed=0, spherical=True, min_points_per_centroid=1)
    model.train(known)
    return np.asarray(model.centroids, np.float32)
