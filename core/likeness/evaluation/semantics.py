"""Analyses of language guidance in one call: are images of related classes near each other, and what is retrieved by mistake?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.evaluation._language_inputs import checked_labels, checked_language, precise_unit_rows
from likeness.evaluation.class_means import class_means
from likeness.evaluation.language_divergence import LanguageDivergence, language_divergence
from likeness.evaluation.semantic_retrieval import SemanticRetrieval, semantic_retrieval
from likeness.progress import Progress


@dataclass(frozen=True)
class Semantics:
    """Agreement of a space with language.

    Divergences between images and between class means, the cosines of these means (c, c), their rank correlation with the similarities of the
    names over pairs of classes, and the classes retrieved for the images of each class.
    """

    images: LanguageDivergence
    classes: LanguageDivergence
    similarities: NDArray[np.float64]
    rank_correlation: float
    retrieval: SemanticRetrieval

    @property
    def per_class(self) -> pd.DataFrame:
        """A row per class: `SemanticRetrieval.per_class`, image_divergence and class_divergence."""
        both = {"image_divergence": self.images.per_class, "class_divergence": self.classes.per_class}
        return self.retrieval.per_class.assign(**{name: values.to_numpy() for name, values in both.items()})


def semantics(
    embeddings: Any,
    labels: Any,
    language: Any,
    names: Sequence[str] | None = None,
    *,
    neighbors: int = 20,
    progress: Progress | None = None,
    **options: Any,
) -> Semantics:
    """Analyses of one space as in section 4.5 of "Integrating Language Guidance" (Roth et al., CVPR 2022).

    Arguments and errors as in `semantic_retrieval` and, with `options` (direction, masked, shift, temperature), `language_divergence`; `progress`
    reports the slowest part, the divergence between images.
    """
    retrieval = semantic_retrieval(embeddings, labels, language, neighbors, names)
    similarities = class_image_similarities(embeddings, labels, len(retrieval.names))
    return Semantics(
        images=language_divergence(embeddings, labels, language, names=names, progress=progress, **options),
        classes=language_divergence(embeddings, labels, language, level="class", names=names, **options),
        similarities=similarities,
        rank_correlation=language_rank_correlation(similarities, language),
        retrieval=retrieval,
    )


def semantics_table(spaces: Mapping[str, Semantics]) -> pd.DataFrame:
    """A row per space: space, image_divergence, class_divergence and their deviations ("... ±"), rank_correlation, own_share, relatedness and
    random_relatedness, as numbers.
    """
    lines = []
    for name, space in spaces.items():
        line = {"space": name, "image_divergence": space.images.mean, "image_divergence ±": space.images.deviation}
        line |= {"class_divergence": space.classes.mean, "class_divergence ±": space.classes.deviation, "rank_correlation": space.rank_correlation}
        lines.append(line | {key: getattr(space.retrieval, key) for key in ("own_share", "relatedness", "random_relatedness")})
    return pd.DataFrame(lines)


def class_image_similarities(embeddings: Any, labels: Any, classes: int) -> NDArray[np.float64]:
    """Cosines (c, c) between the class means of unit vectors; embeddings (n, d), labels (n,) class numbers 0 to c - 1.

    InputError: embeddings or labels that do not fit, a class without images, or one whose images cancel out.
    """
    rows = precise_unit_rows(embeddings)
    means = class_means(rows, checked_labels(labels, len(rows), classes))
    cosines = np.clip(means @ means.T, -1, 1)
    np.fill_diagonal(cosines, 1)
    return np.asarray(cosines)


def language_rank_correlation(similarities: Any, language: Any) -> float:
    """Spearman rank correlation in [-1, 1] of the space's similarities (c, c) with language's, over all pairs of different classes.

    1: the same order of pairs; 0: unrelated orders. Unlike `language_divergence`, it ignores scale and offset of the similarities. Not in the paper.
    NaN if all pairs of one side are equally similar, as for two classes, which have one pair. InputError: matrices that are not square or of
    different shapes.
    """
    ours, theirs = checked_language(similarities), checked_language(language)
    if ours.shape != theirs.shape:
        raise InputError(f"The space has {len(ours)} classes, but there are language similarities of {len(theirs)}; compare the same classes.")
    pairs = np.triu_indices(len(ours), 1)
    a, b = ours[pairs], theirs[pairs]
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic)
