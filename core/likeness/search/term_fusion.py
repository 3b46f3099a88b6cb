"""One score from how similar images are to each term of a composed query."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# In standard deviations: from where on an image counts as like a term, and how sharply.
HOLDS_AT, HOLDS_SLOPE, AVOIDS_SLOPE = 2.0, 0.5, 1.0
_FLAT = 1e-6  # spread of cosines in single precision of a term that all images are equally like


def spread(similarities: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (t, 1) of each term's similarities (t, n); of a term that all images are equally like the deviation is infinite."""
    deviation = similarities.std(axis=1, keepdims=True)
    return similarities.mean(axis=1, keepdims=True), np.where(deviation > _FLAT, deviation, np.inf).astype(np.float32)


def all_hold(
    standardized: Floats,
    weights: Sequence[float],
    *,
    at: float = HOLDS_AT,
    holds_slope: float = HOLDS_SLOPE,
    avoids_slope: float = AVOIDS_SLOPE,
) -> Floats:
    """How well all terms hold of each image, from 0 to 1: the weighted geometric mean of how well each does.

    A term holds as far as its standardized similarity z is beyond two deviations, h(z) = sigmoid((z - 2) / 2); one of a weight below 0 as far as it
    is not, sigmoid(2 - z), so that an image which is unlike it anyway gains next to nothing by being still less like it. The score is
    exp(sum |w| log h / sum |w|).

    As in BASIC (arXiv 2510.25387, section 4) terms are multiplied, so that none makes up for another. There similarities are scaled from minimum to
    maximum; mean and deviation are known from a few thousand images, also where an index holds a million. Images and texts lie apart in CLIP's space
    (the modality gap): standardized, each term is compared with itself alone.

    Args:
        standardized: (t, n), similarities less their mean over the images, by their standard deviation.
        weights: (t,), not 0.
        at, holds_slope, avoids_slope: of the sigmoids; `likeness analyze composed-queries` compares others.
    """
    signed = np.asarray(weights, np.float32)
    slopes = np.where(signed > 0, -holds_slope, avoids_slope).astype(np.float32)
    logs = -np.logaddexp(0, slopes[:, None] * (standardized - at))
    shares = np.abs(signed) / np.abs(signed).sum()
    return np.asarray(np.exp(shares @ logs), np.float32)
