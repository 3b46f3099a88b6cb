"""Classes as points of an embedding space."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.search.class_sums import class_sums


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
