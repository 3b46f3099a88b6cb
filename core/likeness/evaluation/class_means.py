"""Classes as points of an embedding space, sums and means of their rows, read a part at a time; and an order in which similar ones stand together."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import row_slices
from likeness.errors import InputError
from likeness.evaluation._language_inputs import checked_language

MOST_CLASSES = 1_000  # in a figure


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

    Images of a class that cancel out, so that their mean has no direction, are an InputError.
    """
    sums = class_sums(rows, labels, int(labels.max()) + 1)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    # the sum of rows that cancel is not exactly zero, but of the size of their rounding errors
    relative = lengths[:, 0] / np.bincount(labels)
    if relative.min() < 1e-6:
        raise InputError(f"The images of class {int(np.argmin(relative))} cancel out: their mean has no direction; leave the class out.")
    return np.asarray(sums / lengths)


def clustered_order(similarities: Any) -> NDArray[np.int64]:
    """Class numbers (c,) in the order of the leaves of a hierarchical clustering of their similarities (c, c), for heat maps.

    Average linkage of the distances (largest similarity - similarity), the leaves turned so that neighbors are as similar as the tree allows
    (Bar-Joseph et al., 2001). InputError: not square, not finite, of one class alone, or of more than 1,000 classes, which no one can tell apart in a
    figure.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    matrix = checked_language(similarities)
    if len(matrix) > MOST_CLASSES:
        raise InputError(f"There are {len(matrix):,} classes, but at most {MOST_CLASSES:,} can be put in order; choose a part of them.")
    pairs = np.triu_indices(len(matrix), 1)
    likeness = (matrix + matrix.T)[pairs] / 2
    tree = linkage(likeness.max() - likeness, method="average", optimal_ordering=True)
    return np.asarray(leaves_list(tree), dtype=np.int64)
