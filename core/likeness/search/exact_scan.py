"""Exact search among checked unit rows, which may be memory-mapped: one pass over them, and nothing else."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.errors import InputError
from likeness.search.neighbours import Neighbours
from likeness.search.notion_view import Floats, best

# Rows compared at a time.
_PART = 1 << 17


def scan(vectors: Floats, queries: Floats, k: int, *, exclude: Any = None, allowed: NDArray[np.bool_] | None = None) -> Neighbours:
    """The k most similar rows of each query, by comparing all.

    Unlike `nearest` it takes rows as they are, so that nothing is read twice; a row of zeros is like nothing, similarity 0.

    Args:
        vectors: (n, m) unit rows, as a Space has them.
        queries: (q, m) unit rows.
        k: how many.
        exclude: for each query (q,) a row that is left out, -1 for none.
        allowed: mask (n,) of the rows that may be found; all without it.

    Returns:
        Rows (q, k) and cosines (q, k), nearest first, equal ones by row.

    Raises:
        InputError: no row is left to be found.
    """
    hidden = None if allowed is None else ~to_numpy(allowed)
    available = len(vectors) - (0 if hidden is None else int(hidden.sum())) - (exclude is not None)
    if available < 1:
        raise InputError("No image is left to be found; take back a filter.")
    count = min(k, available)
    found = Neighbours(np.empty((len(queries), count), np.int64), np.empty((len(queries), count), np.float32))
    left_out = np.full(len(queries), -1) if exclude is None else np.atleast_1d(to_numpy(exclude)).astype(np.int64)
    for number, query in enumerate(queries):
        near = np.concatenate([vectors[begin : begin + _PART] @ query for begin in range(0, len(vectors), _PART)])
        if hidden is not None:
            near[hidden] = -np.inf
        if left_out[number] >= 0:
            near[left_out[number]] = -np.inf
        found.rows[number], found.similarities[number] = best(np.arange(len(near)), near, count)
    return found
