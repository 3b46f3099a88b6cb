"""Classifier two-sample test: can a logistic regression tell the images of two versions apart?"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows
from likeness.errors import InputError

FEWEST_TOLD = 30  # images in each version; with 20 each, chance alone exceeds an AUC of .71 in one of twenty cases
_FOLDS, _MOST = 5, 10_000
_ONE_SIDED, _TWO_SIDED, _POWER = 1.6449, 1.96, 0.8416  # quantiles of the normal distribution: 95 %, 97.5 %, 80 %


class TwoSample(NamedTuple):
    """What `two_sample_test` finds; all but `images` are NaN for fewer than 30 images."""

    auc: float
    low: float
    high: float
    p: float
    chance: float
    seen: float
    images: int


def two_sample_test(vectors: NDArray[np.float32], new: NDArray[np.bool_], groups: NDArray[np.int64], seed: int = 0) -> TwoSample:
    """C2ST (Lopez-Paz and Oquab, ICLR 2017, arXiv 1610.06545) by the AUC of a logistic regression, cross-validated in five folds.

    A linear classifier sees changes of the mean, and so of shares, not of the spread alone. The variance is twice DeLong's of the folds, summed over
    groups: without drift, what fold j teaches of fold k, and k of j, are the same products of both, so that the folds' AUCs are correlated.
    InputError: vectors that are not finite, or numbers that do not fit.

    Args:
        vectors: (m, d), a row per image of each version; at most 10,000 are drawn, by groups.
        new: (m,) whether it is of the new version.
        groups: (m,) whole numbers, equal for rows that show the same, such as copies or an image of both versions. No group is in two folds.

    Returns:
        auc: how often, shown an image of each version, the classifier says which is the new one, 0.5 by chance; its 95 % interval; p (one-sided);
            chance: what chance alone exceeds in one of twenty cases; seen: the AUC that would exceed it in four of five, which is at most (1 + s)/2
            if a share s of the new images is unlike the old; images: groups in the version that has fewer.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 4))
        >>> rows[100:] += 1
        >>> two_sample_test(rows, np.arange(200) >= 100, np.arange(200)).p < 0.001
        True
    """
    from scipy.stats import norm, rankdata
    from sklearn.linear_model import LogisticRegression

    rows, rng = checked_rows(vectors, "The vectors"), np.random.default_rng([seed, 7])
    if not len(rows) == len(new) == len(groups):
        raise InputError(f"There are {len(rows)} vectors, {len(new)} marks and {len(groups)} groups; pass one of each per image.")
    numbers = np.unique(groups, return_inverse=True)[1]
    numbers = rng.permutation(numbers.max() + 1)[numbers]
    drawn = np.argsort(numbers, kind="stable")[:_MOST]
    rows, new, numbers = rows[drawn], np.asarray(new, bool)[drawn], numbers[drawn]
    images = min(len(np.unique(numbers[side])) for side in (new, ~new))
    if images < FEWEST_TOLD:
        return TwoSample(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, images)
    # groups are numbered at random: those without new images are dealt to the folds first, so that each fold has some of both
    folds = np.argsort(np.argsort(np.bincount(numbers, new) > 0, kind="stable"))[numbers] % _FOLDS
    won = np.empty(len(rows))  # of the other version's images in the fold, the share that each new image outranks, or each old one does not
    for fold in range(_FOLDS):
        learned, judged = folds != fold, np.flatnonzero(folds == fold)
        model = LogisticRegression(class_weight="balanced", max_iter=1000).fit(rows[learned], new[learned])
        scores = model.decision_function(rows[judged])
        for side, sign in ((new[judged], 1), (~new[judged], -1)):
            won[judged[side]] = (rankdata(sign * scores)[side] - rankdata(sign * scores[side])) / max(int((~side).sum()), 1)
    centers = [float(won[side].mean()) for side in (new, ~new)]
    auc = (centers[0] + centers[1]) / 2
    influence = np.where(new, (won - centers[0]) / new.sum(), (won - centers[1]) / (~new).sum())
    deviation = float(np.sqrt(2 * (np.bincount(numbers, influence) ** 2).sum()))
    limit = 0.5 + _ONE_SIDED * deviation
    p = float(norm.sf((auc - 0.5) / deviation)) if deviation else 1.0 - (auc > 0.5)
    return TwoSample(
        auc, max(0.0, auc - _TWO_SIDED * deviation), min(1.0, auc + _TWO_SIDED * deviation), p, limit, limit + _POWER * deviation, images
    )
