"""Ranks of the relevant images of a query. Ties count against the query."""

import numpy as np
from numpy.typing import NDArray


def target_rank(similarities: NDArray[np.floating], target: int) -> int:
    """Rank of the only relevant image, from 1; equally similar images come before it.

    The evaluation of GeneCIS (repository facebookresearch/genecis) puts the target first in each gallery and sorts, so that a tie there may count for
    the method: with equal similarities everywhere its recall could be 1.

    >>> target_rank(np.array([0.5, 0.9, 0.5]), 0)
    3
    """
    return int((similarities >= similarities[target]).sum())


def average_precision(similarities: NDArray[np.floating], relevant: NDArray[np.bool_], trapezoid: bool = False) -> float:
    """Average precision of one query: (n,) similarities, (n,) whether an image is relevant; NaN if none is.

    Args:
        similarities: larger is better; of equal ones those that do not answer stand first.
        relevant: at least one True.
        trapezoid: as in `compute_ap` of the i-CIR repository: the mean of the precision just before and at each
            answer, the area under straight lines, which is lower. Its 1e-5 in the denominator, against queries without an answer, is left out.

    >>> average_precision(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]))
    0.8333333333333333
    """
    order = np.lexsort((relevant, -similarities))
    places = np.flatnonzero(relevant[order])
    if not len(places):
        return float("nan")
    found = np.arange(1, len(places) + 1)
    at = found / (places + 1)
    if not trapezoid:
        return float(at.mean())
    before = np.where(places > 0, (found - 1) / np.maximum(places, 1), 1.0)
    return float(((at + before) / 2).mean())
