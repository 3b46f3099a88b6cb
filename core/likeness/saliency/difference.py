"""Differences between the maps of two spaces, and the share of a map on an object."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.saliency.explain import Maps, Saliency

Masks = NDArray[np.bool_]


def difference(a: Saliency, b: Saliency) -> Maps:
    """`a.maps - b.maps`, (n, h, w) in [-1, 1]: positive where `a` depends more on a pixel than `b` (InDiReCT, Figure 2).

    With a notion's space as `a` and the raw encoder as `b`, positive is the paper's yellow: more important for the notion. The sign follows the
    paper's captions; its text, "subtract InDiReCT's saliency maps from CLIP's", has the other one. InputError: maps of different images or sizes.
    """
    if a.sums.shape != b.sums.shape:
        raise InputError(
            f"The maps of '{a.name}' and '{b.name}' have shapes {a.sums.shape} and {b.sums.shape}; compare spaces of one encoder on the same images."
        )
    if not np.array_equal(a.pixels, b.pixels):
        raise InputError(f"The maps of '{a.name}' and '{b.name}' show different images; compute both for the same images.")
    return a.maps - b.maps


def mass_share(maps: NDArray[np.floating[Any]], masks: Masks) -> NDArray[np.float64]:
    """Share (n) of the sum of each nonnegative map (n, h, w) that lies within its mask; NaN for a map of zeros. InputError: different shapes, or a
    negative value.
    """
    if maps.shape != masks.shape:
        raise InputError(f"The maps have shape {maps.shape} and the masks {masks.shape}; pass a mask of the same size for each map.")
    if (maps < 0).any():
        raise InputError(f"The maps have negative values, down to {maps.min():.3g}; pass their positive and negative parts separately.")
    within, total = np.where(masks, maps, 0).sum(axis=(1, 2), dtype=np.float64), maps.sum(axis=(1, 2), dtype=np.float64)
    return np.asarray(np.divide(within, total, out=np.full(len(maps), np.nan), where=total > 0))


def difference_shares(differences: NDArray[np.floating[Any]], masks: Masks) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`mass_share` of the positive and of the negative part of a difference: (n) each."""
    return mass_share(np.maximum(differences, 0), masks), mass_share(np.maximum(-differences, 0), masks)
