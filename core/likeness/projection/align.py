"""Turning one map so that it lies on another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError


def align(new: Any, reference: Any) -> NDArray[np.float32]:
    """Moves, turns, mirrors and scales positions `new` (n, 2) so that they come closest to `reference` in squared distance (orthogonal Procrustes).

    A refitted map differs from the old one by an arbitrary turn or mirror image; after this, what still moves has really moved. With fewer than two
    distinct counterparts the map is only shifted, with none it stays. With both centred, new^T reference = U S V^T gives the turn U V^T and the scale
    sum(S) / |new|^2 (Schoenemann and Carroll 1970).

    Args:
        reference: of the same items (n, 2); a row with NaN is an item without a counterpart: it takes part in the movement, not in finding it.

    Raises:
        InputError: if the shapes differ or `new` is not finite.
    """
    moved, target = np.asarray(new, np.float64), np.asarray(reference, np.float64)
    if moved.ndim != 2 or moved.shape[1] != 2 or moved.shape != target.shape:
        raise InputError(f"The maps have shapes {moved.shape} and {target.shape}, but both must be (items, 2) over the same items.")
    if not np.isfinite(moved).all():
        raise InputError("The new map holds NaN or infinity; lay it out again.")
    known = np.isfinite(target).all(axis=1)
    if not known.any():
        return moved.astype(np.float32)
    centre, goal = moved[known].mean(axis=0), target[known].mean(axis=0)
    turn = _turn_and_scale(moved[known] - centre, target[known] - goal)
    return np.asarray((moved - centre) @ turn + goal, np.float32)


def _turn_and_scale(moved: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix (2, 2), a multiple of an orthogonal one, that takes centred `moved` closest to centred `target`."""
    left, singular, right = np.linalg.svd(moved.T @ target)
    size = (moved**2).sum()
    if size == 0 or singular.sum() <= 1e-12 * np.sqrt(size * (target**2).sum()):
        return np.eye(2)
    return np.asarray(left @ right * (singular.sum() / size))
