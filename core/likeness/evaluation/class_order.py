"""An order of classes in which similar ones stand together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.evaluation._language_inputs import checked_language

MOST_CLASSES = 1_000


def clustered_order(similarities: Any) -> NDArray[np.int64]:
    """Class numbers (c,) in the order of the leaves of a hierarchical clustering, for heat maps.

    Average linkage of the distances (largest similarity - similarity), the leaves turned so that neighbors are as similar as the tree allows
    (Bar-Joseph et al., 2001).

    Args:
        similarities: (c, c), such as those of class names.

    Raises:
        InputError: not square, not finite, of one class alone, or of more than 1,000 classes, which no one can tell apart in a figure.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    matrix = checked_language(similarities)
    if len(matrix) > MOST_CLASSES:
        raise InputError(f"There are {len(matrix):,} classes, but at most {MOST_CLASSES:,} can be put in order; choose a part of them.")
    pairs = np.triu_indices(len(matrix), 1)
    likeness = (matrix + matrix.T)[pairs] / 2
    tree = linkage(likeness.max() - likeness, method="average", optimal_ordering=True)
    return np.asarray(leaves_list(tree), dtype=np.int64)
