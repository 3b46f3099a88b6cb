"""Sums and means of the rows of each class, computed in parts; and an order of classes that puts similar ones together."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import row_slices
from likeness.errors import InputError
from likeness.evaluation._language_inputs import checked_language

MOST_CLASSES = 1_000  # more cannot be told apart in a figure


def class_sums(
    rows: NDArray[Any], labels: NDArray[np.integer[Any]], classes: int, scale: Callable[[NDArray[Any]], NDArray[Any]] | None = None
) -> NDArray[np.float64]:
    """Sum (c, d), in float64, of the rows (n, d) of each class 0 to c - 1; zeros for a class without rows.

    Rows may be memory-mapped: some 16 MB of them are worked on at a time, and `scale` is applied to each part (m, d), in float64.
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

    InputError: a class whose images cancel out, so that their mean has no direction.
    """
    sums = class_sums(rows, labels, int(labels.max()) + 1)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    # rows that cancel do not sum to exactly zero, but to about their rounding errors
    relative = lengths[:, 0] / np.bincount(labels)
    if relative.min() < 1e-6:
        raise InputError(f"The images of class {int(np.argmin(relative))} cancel out: their mean has no direction; remove the class.")
    return np.asarray(sums / lengths)


def clustered_order(similarities: Any) -> NDArray[np.int64]:
    """Class numbers (c,) in leaf order of a hierarchical clustering of their similarities (c, c), for heat maps.

    Average linkage of the distances (largest similarity - similarity), with optimal leaf ordering (Bar-Joseph et al., 2001). InputError: a matrix
    that is not square, not finite, of one class, or of more than 1,000 classes.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    matrix = checked_language(similarities)
    if len(matrix) > MOST_CLASSES:
        raise InputError(f"There are {len(matrix):,} classes, but at most {MOST_CLASSES:,} can be ordered; choose some of them.")
    pairs = np.triu_indices(len(matrix), 1)
    likeness = (matrix + matrix.T)[pairs] / 2
    tree = linkage(likeness.max() - likeness, method="average", optimal_ordering=True)
    return np.asarray(leaves_list(tree), dtype=np.int64)
