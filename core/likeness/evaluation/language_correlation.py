"""Whether classes that language takes for similar are near each other in an embedding space: by order alone, whatever the scale."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.evaluation._language_inputs import checked_labels, checked_language, precise_unit_rows
from likeness.evaluation.class_means import class_means


def class_image_similarities(embeddings: Any, labels: Any, classes: int) -> NDArray[np.float64]:
    """Cosines (c, c) between the classes' means of unit vectors; embeddings (n, d), labels (n,) class numbers 0 to c - 1.

    Raises:
        InputError: embeddings or labels that do not fit, a class without images, or one whose images cancel out.
    """
    rows = precise_unit_rows(embeddings)
    means = class_means(rows, checked_labels(labels, len(rows), classes))
    cosines = np.clip(means @ means.T, -1, 1)
    np.fill_diagonal(cosines, 1)
    return np.asarray(cosines)


def language_rank_correlation(similarities: Any, language: Any) -> float:
    """Spearman's rank correlation, -1 to 1, over all pairs of different classes, of the space's similarities with language's.

    1: the space orders the pairs of classes just as language does; 0: it has nothing to do with it. Adding to all similarities, or stretching
    them, changes nothing, unlike `language_divergence`. It is not in the paper.

    Args:
        similarities: (c, c), of `class_image_similarities`.
        language: (c, c) similarities of the class names.

    Returns:
        NaN where all pairs of one side are equally similar, as of two classes, which are one pair.

    Raises:
        InputError: matrices that are not square and of one shape.
    """
    ours, theirs = checked_language(similarities), checked_language(language)
    if ours.shape != theirs.shape:
        raise InputError(f"The space has {len(ours)} classes, language {len(theirs)}; compare the same ones.")
    pairs = np.triu_indices(len(ours), 1)
    a, b = ours[pairs], theirs[pairs]
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic)
