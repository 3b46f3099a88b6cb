"""Which aspects occur in given images, told without labels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.notions import best_aspects

Rows = NDArray[np.float32]


class Occurrence(NamedTuple):
    """How often aspects are found in images.

    Attributes:
        images: (k,) whole numbers: of how many images each aspect is the best match.
        occurs: (k,) bool.
    """

    images: NDArray[np.int64]
    occurs: NDArray[np.bool_]


def occurring(images: Rows, aspects: Rows) -> Occurrence:
    best = best_aspects(images, aspects)
    counts = np.bincount(best, minlength=len(aspects))
    occurs = counts > 0
    return Occurrence(counts, occurs)
