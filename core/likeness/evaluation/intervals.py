"""95 % intervals of means over queries."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

FEWEST_GROUPS = 5  # that are drawn whole
_LEVEL = 0.95
_RESAMPLES = 2000
_DRAWN = 1 << 21  # numbers at once


def bootstrap_interval(values: ArrayLike, groups: Any = None, weights: ArrayLike | None = None) -> NDArray[np.float64]:
    """The 95 % intervals of means by the bootstrap: percentiles of 2,000 resamples (Efron, Annals of Statistics 1979).

    Args:
        values: (q,) or (q, m), of which each column has an interval; NaN is left out, as in the mean.
        groups: (q,) such as classes, which are drawn whole with replacement, since the queries of a class are not independent; None: each query is
            drawn by itself.
        weights: (q,) of weighted means.

    Returns:
        Low and high: (2,) or (2, m); NaN for fewer than five groups, or where no value is.
    """
    found = np.asarray(values, dtype=np.float64)
    columns = found.reshape(len(found), -1)
    known = ~np.isnan(columns) * (1.0 if weights is None else np.asarray(weights, dtype=np.float64)[:, None])
    sums, counts = np.where(np.isnan(columns), 0, columns) * known, known
    if groups is not None:
        codes, names = pd.factorize(np.asarray(groups, dtype=object))
        if len(names) < FEWEST_GROUPS:
            return np.full((2, *found.shape[1:]), np.nan)
        sums, counts = (pd.DataFrame(each).groupby(codes).sum().to_numpy() for each in (sums, counts))
    n, rng, means = len(sums), np.random.default_rng([0, 1]), list[NDArray[np.float64]]()
    size = max(1, _DRAWN // max(1, n))
    for start in range(0, _RESAMPLES, size):
        drawn = rng.integers(n, size=(min(size, _RESAMPLES - start), n))
        times = np.bincount((drawn + n * np.arange(len(drawn))[:, None]).ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)
        with np.errstate(invalid="ignore"):
            means.append((times @ sums) / (times @ counts))
    return np.quantile(np.concatenate(means), [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2], axis=0).reshape(2, *found.shape[1:])
