"""Two spaces' maps compared, and how much of a map lies on an object."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.saliency.explain import Maps, Saliency

Masks = NDArray[np.bool_]


def difference(a: Saliency, b: Saliency) -> Maps:
    """`a.maps - b.maps`, (n, h, w) in [-1, 1]: positive where `a` pays more attention than `b` (InDiReCT, Figure 2).

    With a notion's space as `a` and the raw encoder as `b`, positive is the paper's yellow: what the notion looks at more. The paper's sentence
    "subtract InDiReCT's saliency maps from CLIP's" has the other sign than its captions, which are followed here. Raises InputError for maps of
    different images or sizes.
    """
    if a.sums.shape != b.sums.shape:
        raise InputError(
            f"The maps of '{a.name}' and '{b.name}' have shapes {a.sums.shape} and {b.sums.shape}; compare spaces on one encoder, on the same images."
        )
    if not np.array_equal(a.pixels, b.pixels):
        raise InputError(f"The maps of '{a.name}' and '{b.name}' show different images; compute both on the same ones.")
    return a.maps - b.maps


def mass_share(maps: NDArray[np.floating[Any]], masks: Masks) -> NDArray[np.float64]:
    """Share (n) of the sum of each map (n, h, w), not negative, that lies within its mask; NaN for a map that is 0 everywhere. Raises InputError
    for shapes that differ, or a negative value.
    """
    if maps.shape != masks.shape:
        raise InputError(f"The maps have shape {maps.shape} and the masks {masks.shape}; give a mask of the map's size for each.")
    if (maps < 0).any():
        raise InputError(f"The maps go down to {maps.min():.3g}; a share needs values from 0, so take the positive and the negative part apart.")
    within, total = np.where(masks, maps, 0).sum(axis=(1, 2), dtype=np.float64), maps.sum(axis=(1, 2), dtype=np.float64)
    return np.asarray(np.divide(within, total, out=np.full(len(maps), np.nan), where=total > 0))


def difference_shares(differences: NDArray[np.floating[Any]], masks: Masks) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`mass_share` of the positive part of a difference, and of its negative part: (n) each."""
    return mass_share(np.maximum(differences, 0), masks), mass_share(np.maximum(-differences, 0), masks)
