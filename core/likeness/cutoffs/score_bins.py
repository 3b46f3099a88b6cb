"""Scores of images in bins: one image each at the top, where a cut-off may lie between any two, and more and more further down."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.errors import InputError

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_SINGLE = 40  # of the best images, each is a bin
_BINS = 200


class ScoreBins(NamedTuple):
    """Images by score, the best first, and their scores in bins.

    Attributes:
        order: (n,) rows, the best first; equal scores by row.
        places: (n,) the place of each row in `order`, from 0.
        ends: (b,) how many images the bins up to this hold: the sizes that a cut-off may give.
        counts: (b,) images in each bin.
        z: (b,) mean score of each bin, in standard deviations of the scores above their mean.
        zero: where the score 0 lies on that scale.
    """

    order: Rows
    places: Rows
    ends: Rows
    counts: Floats
    z: Floats
    zero: float

    def bin_of(self, places: Any) -> Rows:
        """The bins of images by their place in `order`."""
        return np.asarray(np.searchsorted(self.ends, places, side="right"))


def match_scores(similarities: Any, negatives: Any = None) -> Floats:
    """(n,) how much more similar each image is to a query than to the negative prompt that it is most similar to; without these the similarities.

    Args:
        similarities: (n,).
        negatives: (m, n), of negative prompts, or None.

    Raises:
        InputError: fewer than 2 images, values that are not finite, or negatives of other images.
    """
    scores = np.asarray(to_numpy(similarities))
    if scores.ndim != 1 or len(scores) < 2 or scores.dtype.kind not in "fiu" or not np.isfinite(scores).all():
        raise InputError(f"The similarities have shape {scores.shape}; pass one finite number for each of at least 2 images.")
    scores = scores.astype(np.float64)
    if negatives is None:
        return scores
    others = np.atleast_2d(np.asarray(to_numpy(negatives)))
    if others.ndim != 2 or others.shape[1] != len(scores) or not len(others) or others.dtype.kind not in "fiu" or not np.isfinite(others).all():
        raise InputError(f"The similarities to negative prompts have shape {others.shape}; pass finite numbers, (prompts, {len(scores)}).")
    margins: Floats = scores - others.max(axis=0)
    return margins


def score_bins(scores: Floats) -> ScoreBins:
    """The bins of (n,) scores: the best 40 images are one each, sizes grow geometrically below.

    Example:
        >>> import numpy as np
        >>> score_bins(np.array([0.1, 0.9, 0.5])).order
        array([1, 2, 0])
    """
    n = len(scores)
    order = np.argsort(-scores, kind="stable")
    places = np.empty(n, np.int64)
    places[order] = np.arange(n)
    growing = np.geomspace(min(_SINGLE, n), n, _BINS - _SINGLE)
    ends = np.unique(np.concatenate([np.arange(1, min(_SINGLE, n) + 1), np.rint(growing).astype(np.int64)])).astype(np.int64)
    counts = np.diff(ends, prepend=0).astype(np.float64)
    mean, deviation = float(scores.mean()), float(scores.std())
    if deviation <= 1e-12 * max(1.0, abs(mean)):
        return ScoreBins(order, places, ends, counts, np.zeros(len(ends)), 0.0)
    z = np.add.reduceat(scores[order], np.concatenate([[0], ends[:-1]])) / counts
    return ScoreBins(order, places, ends, counts, (z - mean) / deviation, -mean / deviation)
