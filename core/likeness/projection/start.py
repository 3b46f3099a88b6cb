"""Initial state of a map: unit rows, their nearest neighbors, and initial positions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, unit_rows
from likeness.errors import InputError
from likeness.projection.pca_map import pca_map
from likeness.search import nearest


def rows_and_starts(vectors: Any, init: Any) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32] | None]:
    """Vectors (n, d) at unit length, their PCA map, and the given start, if any.

    InputError: a vector that is not finite or all zeros, or a start that does not fit.
    """
    given = checked_rows(vectors, "The vectors")
    rows = unit_rows(given, "The vectors")
    return rows, pca_map(given), None if init is None else checked_start(init, len(rows))


def checked_start(init: Any, count: int) -> NDArray[np.float32]:
    """Checks positions and returns them as (count, 2) float32. InputError: another shape, or not finite."""
    positions = np.asarray(init, np.float32)
    if positions.shape != (count, 2) or not np.isfinite(positions).all():
        raise InputError(f"init has shape {positions.shape}, but must be finite and of shape ({count}, 2), one position per vector.")
    return positions


def resized(positions: NDArray[np.float32], size: float) -> NDArray[np.float32]:
    """Scales positions so that the longer side of their bounding box is `size`; equal positions are unchanged."""
    side = float(np.ptp(positions, axis=0).max())
    return positions * np.float32(size / side) if side > 0 else positions


def jittered(positions: NDArray[np.float32], seed: int, size: float) -> NDArray[np.float32]:
    """Shifts positions randomly by a ten-thousandth of the map (of `size`, if all are equal), since coincident points have no direction to move
    apart.
    """
    side = float(np.ptp(positions, axis=0).max()) or size
    return (positions + np.random.default_rng(seed).normal(scale=1e-4 * side, size=positions.shape)).astype(np.float32)


def chords(rows: NDArray[np.float32], count: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Row numbers and distances of the `count` nearest neighbors, both (n, count), nearest first; exact.

    The distance of unit vectors with cosine s is the chord sqrt(2 - 2 s): the same order as by cosine, for methods that expect Euclidean distances.
    """
    found = nearest(rows, rows, count, exclude=np.arange(len(rows)))
    return found.rows.astype(np.int32), np.sqrt(np.maximum(2 - 2 * found.similarities, 0)).astype(np.float32)
