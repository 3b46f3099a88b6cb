"""Where the points of a map stand before they are laid out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError


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
    """Shifts positions by a ten-thousandth of the map, since items on exactly the same point have no direction to move apart in.

    `size` is taken for the map's where all positions are equal.
    """
    side = float(np.ptp(positions, axis=0).max()) or size
    return (positions + np.random.default_rng(seed).normal(scale=1e-4 * side, size=positions.shape)).astype(np.float32)
