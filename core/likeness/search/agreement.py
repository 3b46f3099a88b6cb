"""Neighbor agreement of two spaces of the same items."""

from typing import Any

import numpy as np

from likeness.arrays import checked_rows, to_numpy
from likeness.errors import InputError
from likeness.search.neighbors import nearest

MOST_ITEMS = 50_000  # whose vectors and neighbors are held at once


def overlap(space_a: Any, space_b: Any, k: int, rows: Any = None) -> float:
    """Mean share, 0 to 1, of the k nearest neighbors of an item i, itself not counted, that two spaces have in common: |N_a(i) and N_b(i)| / k.

    1 means the same neighbors throughout; unrelated spaces give about `expected_overlap(n, k)`.

    Args:
        space_a, space_b: vectors of the same items, (n, d_a) and (n, d_b).
        k: neighbors to compare, 1 to n - 1.
        rows: items to compare (m,), such as a sample of a large set; None: all. Neighbors are always searched among all n.

    Raises:
        InputError: the spaces have different numbers of rows, k is out of range, or a vector is not finite or all zeros.
    """
    a, b = checked_rows(space_a, "The first space"), checked_rows(space_b, "The second space")
    if len(a) != len(b):
        raise InputError(f"The first space has {len(a)} rows, the second {len(b)}; compare spaces of the same items.")
    if not 1 <= k < len(a):
        raise InputError(f"k is {k}, but each of the {len(a)} items has {len(a) - 1} others; choose k from 1 to that.")
    items = np.arange(len(a)) if rows is None else to_numpy(rows).astype(np.int64)
    shares = np.empty(len(items))
    for begin in range(0, len(items), MOST_ITEMS):
        part = items[begin : begin + MOST_ITEMS]
        both = np.hstack([nearest(space[part], space, k, exclude=part).rows for space in (a, b)])
        both.sort(axis=1)
        shares[begin : begin + MOST_ITEMS] = (both[:, 1:] == both[:, :-1]).sum(axis=1) / k
    return float(shares.mean())


def expected_overlap(n: int, k: int) -> float:
    """The expected overlap of two unrelated spaces of n items: k / (n - 1)."""
    return k / (n - 1)
