"""Which rows a search may find: all, or those of a mask, less the one that each query leaves out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.errors import InputError


@dataclass(frozen=True)
class Reach:
    """What each of q queries can find among n rows.

    Attributes:
        excluded: the row that each leaves out (q,), -1 for none.
        allowed: mask (n,) of the rows that may be found; None: all.
        available: how many every query can find; one whose own row the mask hides anyhow loses nothing by it.
    """

    excluded: NDArray[np.int64]
    allowed: NDArray[np.bool_] | None
    available: int

    def count(self, k: int) -> int:
        """k, or fewer where fewer are left for some query; raises InputError where nothing is."""
        if self.available < 1:
            raise InputError("No image is left to be found; take back a filter.")
        return min(k, self.available)


def reach(n: int, queries: int, exclude: Any = None, allowed: Any = None) -> Reach:
    """What so many queries can find among n rows.

    Raises:
        InputError: `exclude` is not a row or -1 for each query, or `allowed` no mask (n,).
    """
    mask, excluded = checked_mask(allowed, n), checked_exclude(exclude, queries, n)
    left_out = excluded >= 0 if mask is None else (excluded >= 0) & mask[excluded]
    return Reach(excluded, mask, (n if mask is None else int(mask.sum())) - int(left_out.any()))


def checked_mask(allowed: Any, n: int) -> NDArray[np.bool_] | None:
    """The mask (n,) of the rows that may be found; raises InputError where it is none."""
    mask = None if allowed is None else to_numpy(allowed)
    if mask is not None and (mask.shape != (n,) or mask.dtype != bool):
        raise InputError(f"allowed must hold True or False for each of {n} rows; got shape {mask.shape}, {mask.dtype}.")
    return mask


def checked_exclude(exclude: Any, queries: int, n: int) -> NDArray[np.int64]:
    """The row that each of so many queries leaves out (q,), -1 for none; raises InputError where it is none of n rows, or of other queries."""
    if exclude is None:
        return np.full(queries, -1)
    rows = np.atleast_1d(to_numpy(exclude))
    if rows.shape != (queries,) or rows.dtype.kind not in "iu" or rows.min() < -1 or rows.max() >= n:
        raise InputError(f"exclude must hold a row, -1 to {n - 1}, for each of the {queries} queries; got shape {rows.shape}, {rows.dtype}.")
    return rows.astype(np.int64)
