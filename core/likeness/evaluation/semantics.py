"""What language guidance asks of a space, in one call: do images of related classes lie near each other, and what is found by mistake?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.evaluation.language_correlation import class_image_similarities, language_rank_correlation
from likeness.evaluation.language_divergence import LanguageDivergence, language_divergence
from likeness.evaluation.semantic_retrieval import SemanticRetrieval, semantic_retrieval
from likeness.progress import Progress


@dataclass(frozen=True)
class Semantics:
    """How a space agrees with language.

    Attributes:
        images, classes: divergences from language, between images and between the means of classes.
        similarities: (c, c) cosines of the classes' means.
        rank_correlation: of these with the similarities of the names, over pairs of classes.
        retrieval: the classes that the images of each class find.
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
    """The analyses of section 4.5 of "Integrating Language Guidance" (Roth et al., CVPR 2022), of one space.

    Args:
        embeddings: (n, d); labels: (n,) class numbers 0 to c - 1; language: (c, c) similarities of the class names; names: c class names.
        neighbors: of `semantic_retrieval`.
        progress: called with (images done, n) during the slowest part, the divergence between images.
        options: direction, masked, shift, temperature of `language_divergence`.

    Raises:
        InputError: as `semantic_retrieval` and `language_divergence`.
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
    return pd.DataFrame(
        [
            {
                "space": name,
                "image_divergence": space.images.mean,
                "image_divergence ±": space.images.deviation,
                "class_divergence": space.classes.mean,
                "class_divergence ±": space.classes.deviation,
                "rank_correlation": space.rank_correlation,
                "own_share": space.retrieval.own_share,
                "relatedness": space.retrieval.relatedness,
                "random_relatedness": space.retrieval.random_relatedness,
            }
            for name, space in spaces.items()
        ]
    )
