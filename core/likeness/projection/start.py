"""What a map begins with: unit rows and their nearest, and where the points stand."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, unit_rows
from likeness.errors import InputError
from likeness.projection.pca_map import pca_map
from likeness.search import nearest


def rows_and_starts(vectors: Any, init: Any) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32] | None]:
    """Vectors (n, d) at unit length, their PCA map, and the given start, if there is one.

    Raises:
        InputError: a vector that is not finite or all zeros, or a start that does not fit.
    """
    given = checked_rows(vectors, "The vectors")
    rows = unit_rows(given, "The vectors")
    return rows, pca_map(given), None if init is None else checked_start(init, len(rows))


def checked_start(init: Any, count: int) -> NDArray[np.float32]:
    """Given positions as (count, 2) float32.

    Raises:
        InputError: if they have another shape or are not finite.
    """
    positions = np.asarray(init, np.float32)
    if positions.shape != (count, 2) or not np.isfinite(positions).all():
        raise InputError(f"init has shape {positions.shape}, but finite positions of shape ({count}, 2) are needed, one per vector.")
    return positions


def resized(positions: NDArray[np.float32], size: float) -> NDArray[np.float32]:
    """Scales positions so that the longer side of their box is `size`; equal positions stay."""
    side = float(np.ptp(positions, axis=0).max())
    return positions * np.float32(size / side) if side > 0 else positions


def jittered(positions: NDArray[np.float32], seed: int, size: float) -> NDArray[np.float32]:
    """Shifts positions by a ten-thousandth of the map (of `size`, where all are equal), since items on exactly the same point have no direction to
    move apart in."""
    side = float(np.ptp(positions, axis=0).max()) or size
    return (positions + np.random.default_rng(seed).normal(scale=1e-4 * side, size=positions.shape)).astype(np.float32)


def chords(rows: NDArray[np.float32], count: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Row numbers and distances of the `count` nearest others, both (n, count), nearest first; exact.

    The distance of two unit vectors of cosine s is the chord sqrt(2 - 2 s): it orders items as the cosine does, and is what methods that are defined
    on Euclidean distances expect.
    """
    found = nearest(rows, rows, count, exclude=np.arange(len(rows)))
    return found.rows.astype(np.int32), np.sqrt(np.maximum(2 - 2 * found.similarities, 0)).astype(np.float32)
