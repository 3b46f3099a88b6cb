"""Classes as points of an embedding space: sums and means of their rows, read a part at a time."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import row_slices
from likeness.errors import InputError


def class_sums(
    rows: NDArray[Any], labels: NDArray[np.integer[Any]], classes: int, scale: Callable[[NDArray[Any]], NDArray[Any]] | None = None
) -> NDArray[np.float64]:
    """Sum (c, d), in float64, of the rows (n, d) of each class 0 to c - 1; zeros for a class without rows.

    Args:
        rows: may be memory-mapped; some 16 MB of them are worked on at a time.
        labels: class of each row (n,).
        classes: how many there are.
        scale: applied to each part (m, d), in float64, before it is added.
    """
    sums = np.zeros((classes, rows.shape[1]))
    for part in row_slices(*rows.shape):
        order = np.argsort(labels[part], kind="stable")
        found, begins = np.unique(labels[part][order], return_index=True)
        values = rows[part][order].astype(np.float64)
        sums[found] += np.add.reduceat(values if scale is None else scale(values), begins, axis=0)
    return sums


def class_means(rows: NDArray[Any], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean (c, d) of each class's unit rows (n, d), which may be memory-mapped, itself of unit length.

    Raises:
        InputError: if the images of a class cancel out, so that their mean has no direction.
    """
    sums = class_sums(rows, labels, int(labels.max()) + 1)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    # the sum of rows that cancel is not exactly zero, but of the size of their rounding errors
    relative = lengths[:, 0] / np.bincount(labels)
    if relative.min() < 1e-6:
        raise InputError(f"The images of class {int(np.argmin(relative))} cancel out: their mean has no direction; leave the class out.")
    return np.asarray(sums / lengths)
