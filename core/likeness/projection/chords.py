"""The nearest items of each item with their Euclidean distances on the unit sphere."""

import numpy as np
from numpy.typing import NDArray

from likeness.search import nearest


def chords(rows: NDArray[np.float32], count: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Row numbers and distances of the `count` nearest others, both (n, count), nearest first.

    The distance of two unit vectors of cosine s is the chord sqrt(2 - 2 s): it orders items as the cosine does, and is what methods
    that are defined on Euclidean distances expect. Neighbors are exact.
    """
    found = nearest(rows, rows, count, exclude=np.arange(len(rows)))
    return found.rows.astype(np.int32), np.sqrt(np.maximum(2 - 2 * found.similarities, 0)).astype(np.float32)
