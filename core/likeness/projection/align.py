"""Alignment of one map to another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError


def align(new: Any, reference: Any) -> NDArray[np.float32]:
    """Shifts, rotates, mirrors and scales positions `new` (n, 2) to the least squared distance from `reference` (orthogonal Procrustes).

    A refitted map differs from the old one by an arbitrary rotation or reflection; after alignment, points only move if the layout changed. With
    fewer than two distinct counterparts the map is only shifted, without any it is unchanged. For centered maps, new^T reference = U S V^T gives the
    rotation U V^T and the scale sum(S) / |new|^2 (Schoenemann and Carroll 1970). InputError: different shapes, or `new` is not finite.

    Args:
        reference: of the same items (n, 2); rows with NaN are items without a counterpart: they are moved, but do not affect the alignment.
    """
    moved, target = np.asarray(new, np.float64), np.asarray(reference, np.float64)
    if moved.ndim != 2 or moved.shape[1] != 2 or moved.shape != target.shape:
        raise InputError(f"The maps have shapes {moved.shape} and {target.shape}, but both must be (items, 2) over the same items.")
    if not np.isfinite(moved).all():
        raise InputError("The new map holds NaN or infinity; compute it again.")
    known = np.isfinite(target).all(axis=1)
    if not known.any():
        return moved.astype(np.float32)
    center, goal = moved[known].mean(axis=0), target[known].mean(axis=0)
    turn = _turn_and_scale(moved[known] - center, target[known] - goal)
    return np.asarray((moved - center) @ turn + goal, np.float32)


def _turn_and_scale(moved: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix (2, 2), a multiple of an orthogonal one, that maps centered `moved` closest to centered `target`."""
    left, singular, right = np.linalg.svd(moved.T @ target)
    size = (moved**2).sum()
    if size == 0 or singular.sum() <= 1e-12 * np.sqrt(size * (target**2).sum()):
        return np.eye(2)
    return np.asarray(left @ right * (singular.sum() / size))
