"""One score from how similar images are to each term of a composed query."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# In standard deviations: from where on an image counts as like a term that is taken away, and how sharply.
AVOIDED_FROM, AVOIDED_SLOPE = 2.0, 1.0
_FLAT = 1e-6  # cosines in single precision that differ by no more are equal
_SOME = 4_096  # images whose scores tell how good the best are at least
_ROUNDING = 1e-4
_BLOCK = 1 << 15  # images at a time, whose similarities stay in the processor's cache
_LEAST = 1e-3  # of an image that is less similar than those that gave the minimum


class TermStatistics(NamedTuple):
    """Minimum, mean and standard deviation over images of the similarities to each term, each (t, 1)."""

    low: Floats
    mean: Floats
    deviation: Floats


def term_statistics(similarities: Floats) -> TermStatistics:
    """Statistics of similarities (t, n); the deviation is infinite for a term with equal similarities."""
    deviation = similarities.std(axis=1, keepdims=True)
    # dividing by infinity makes z zero, so that a term without contrast decides nothing
    deviation = np.where(deviation > _FLAT, deviation, np.inf).astype(np.float32)
    return TermStatistics(similarities.min(axis=1, keepdims=True), similarities.mean(axis=1, keepdims=True), deviation)


def all_hold(
    similarities: Floats,
    statistics: TermStatistics,
    weights: Sequence[float],
    *,
    avoided_from: float = AVOIDED_FROM,
    avoided_slope: float = AVOIDED_SLOPE,
) -> Floats:
    """How well all terms hold for each image, from 0 to 1: exp(sum |w| log h / sum |w|), the weighted geometric mean of how well each holds.

    A term holds by h = (s - low) / (high - low), with the lowest similarity over all images and the highest of those that are ranked; terms are
    multiplied, so that none makes up for another, as in BASIC (arXiv 2510.25387, section 4). A term of a weight below 0 holds by h = sigmoid(2 - z),
    with z its similarity less the mean over all images, by the standard deviation: what is unlike it anyway gains next to nothing by being still less
    like it. Images and texts lie apart in CLIP's space (the modality gap); here each term is compared with itself alone.

    Similarities (t, n) are of the images that are ranked, statistics of the same terms over all images, or enough of them, weights (t,) not 0;
    `python -m experiments.analyses composed-queries` compares other sigmoids.
    """
    signed = np.asarray(weights, np.float32)
    liked = signed > 0
    logs = np.empty_like(similarities)
    logs[liked] = _liked(similarities[liked], statistics.low[liked], similarities[liked].max(axis=1, keepdims=True))
    z = (similarities[~liked] - statistics.mean[~liked]) / statistics.deviation[~liked]
    # log sigmoid(-x), computed without overflow
    logs[~liked] = -np.logaddexp(0, avoided_slope * (z - avoided_from))
    return np.asarray(np.exp(np.abs(signed) / np.abs(signed).sum() @ logs), np.float32)


def may_be_best(similarities: Floats, statistics: TermStatistics, weights: Sequence[float], k: int) -> NDArray[np.int64]:
    """Ascending indices (r,) of the images that can be among the k for which all terms hold best, and those most similar to each term.

    Nothing that is among the best is missed: `all_hold` of some images bounds the score of the k-th best from below, and how well the terms of
    weights above 0 hold alone bounds that of each image from above. Arguments as of `all_hold`.
    """
    n, signed, highest = similarities.shape[1], np.asarray(weights, np.float32), similarities.argmax(axis=1)
    liked, some = signed > 0, np.union1d(np.arange(0, n, max(1, n // _SOME)), highest)
    if not liked.any() or k > len(some) // 2:
        return np.arange(n)
    least = np.log(np.partition(all_hold(similarities[:, some], statistics, weights), -k)[-k]) * np.abs(signed).sum() - _ROUNDING
    low, high = statistics.low[liked], similarities[liked, highest[liked]][:, None]
    kept = np.zeros(n, bool)
    # they define the upper end of each term's scale, so dropping them would change all scores
    kept[highest] = True
    for begin in range(0, n, _BLOCK):
        bounds = signed[liked] @ _liked(similarities[:, begin : begin + _BLOCK][liked], low, high)
        kept[begin : begin + _BLOCK] |= bounds >= least
    return np.flatnonzero(kept)


def _liked(similarities: Floats, low: Floats, high: Floats) -> Floats:
    """Logarithms of (s - low) / (high - low)."""
    width = high - low
    shares = similarities - low
    shares /= np.maximum(width, _FLAT)
    shares[width[:, 0] <= _FLAT] = 1
    return np.asarray(np.log(np.maximum(shares, _LEAST, out=shares), out=shares))
