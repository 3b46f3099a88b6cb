"""Maps of more items than a method can lay out in minutes: a sample is laid out, and the others are placed near their neighbors in it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, unit_rows
from likeness.projection.pca_map import pca_map
from likeness.projection.start import checked_start
from likeness.search import Neighbors, nearest

# up to twice the sample, all items are laid out
SAMPLE = 50_000
NEIGHBORS = 8
# a neighbor this many times the usual distance from the nearest one was torn away from it by the map
TORN = 4.0
# cells searched for the neighbors of the items in one cell, itself included
LOOKED_INTO = 8
_BLOCK = 131_072
_STRIPES = 100

Rows = NDArray[np.float32]
Function = Callable[..., NDArray[np.float32]]


def is_sampled(count: int, sample: int = SAMPLE) -> bool:
    """Whether a map of so many items is laid out from a sample."""
    return count > 2 * sample


def sampled_map(vectors: Any, function: Function, *, init: Any = None, sample: int = SAMPLE, **parameters: Any) -> NDArray[np.float32]:
    """The map (n, 2) of `function`, laid out on a sample if there are more than twice as many items; `placed` adds the others.

    InputError: a vector that is not finite or all zeros, or `init` that does not fit.

    Args:
        vectors: (n, d), possibly memory-mapped.
        function: (vectors, *, init, **parameters) -> positions, as in `METHODS`.
        init: initial positions (n, 2), or None.
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
    """`count` row numbers, ascending, spread over a map (n, 2) like its items: every (n / count)-th on a path through the map.

    The path goes up and down stripes of equally many items, so each region and each compact group has its share.
    """
    stripe = np.empty(len(flat), np.int64)
    stripe[np.argsort(flat[:, 0], kind="stable")] = np.arange(len(flat)) * _STRIPES // len(flat)
    path = np.lexsort((np.where(stripe % 2, -flat[:, 1], flat[:, 1]), stripe))
    return np.sort(path[np.arange(count) * len(flat) // count])


def placed(vectors: Any, known: Rows, positions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Places items (n, d) on a map of other items, unit rows `known` (m, d) at `positions` (m, 2).

    Positions (n, 2) are weighted means over the nearest items of the map (cosine similarity). The weight is 1 - d / D, with d the distance of each
    and D that of the first item beyond them, so weights are continuous where neighbors change. Neighbors that the map has torn away from the nearest
    one are ignored, since the mean would lie in empty space.

    In large maps, neighbors are searched in the cells around an item's own (k-means on the map's items), with one matrix product for all items of a
    cell. With the inverted file of faiss, which handles items one by one, a million items were not placed after three minutes.
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
    # chords of unit vectors, whose squares rounding can make negative
    distances = np.sqrt(np.maximum(2 - 2 * similarities, 0))
    beyond = distances[:, -1:]
    weights = np.where(kept & (beyond > 0), 1 - distances / np.where(beyond > 0, beyond, 1), 0)
    weights[weights.sum(axis=1) <= 0, 0] = 1  # all at the same distance: the nearest by number
    return np.asarray((places * weights[:, :, None]).sum(axis=1) / weights.sum(axis=1, keepdims=True), np.float32)


class _Cells:
    """Known items in cells of about 250, each searched together with the nearest cells; few items are one cell."""

    def __init__(self, known: Rows) -> None:
        self.known = known
        count = len(known) // 250
        self.centers = _centers(known, count) if count > LOOKED_INTO else known[:1]
        of = nearest(known, self.centers, 1).rows[:, 0]
        around = nearest(self.centers, self.centers, LOOKED_INTO).rows
        self.candidates = [np.flatnonzero(np.isin(of, cells)) for cells in around]

    def nearest(self, rows: Rows, count: int) -> Neighbors:
        """The `count` known items nearest to each row; if the cells around it have fewer, the last one is repeated."""
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
