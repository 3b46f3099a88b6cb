"""Which classes are found for the images of a class, and how related to it they are (language guidance, section 4.5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import checked_rows
from likeness.errors import InputError
from likeness.evaluation._language_inputs import checked_labels, checked_language, checked_names
from likeness.search import nearest


@dataclass(frozen=True)
class SemanticRetrieval:
    """What the images of each class find in a space.

    Attributes:
        counts: (c, c) how many of the neighbors of class i's images are of class j; a row sums to `neighbors` times the class's images.
        language: (c, c) similarities of the class names.
        sizes: (c,) images of each class.
        names: c class names.
        neighbors: retrieved for each image.
    """

    counts: NDArray[np.int64]
    language: NDArray[np.float64]
    sizes: NDArray[np.int64]
    names: list[str]
    neighbors: int

    @property
    def own_share(self) -> float:
        """Share of the neighbors that are of the query's own class, 0 to 1: the mean precision at `neighbors`."""
        return float(np.trace(self.counts) / self.counts.sum())

    @property
    def relatedness(self) -> float:
        """Mean language similarity between the query's class and that of a neighbor of another class: when the space errs, how related is
        what it finds. NaN where it never errs.
        """
        return _mean(self.language, self._errors)

    @property
    def random_relatedness(self) -> float:
        """What `relatedness` would be if neighbors were drawn at random from all other images: the same for all spaces of these images."""
        return _mean(self.language, _without_own(np.outer(self.sizes, self.sizes)))

    @cached_property
    def per_class(self) -> pd.DataFrame:
        """For each class as query: class, images, own (share of the neighbors), errors (neighbors of other classes), relatedness of these,
        NaN where there are none, and random, that of images drawn at random from the other classes.
        """
        errors = self._errors.sum(axis=1)
        drawn = _without_own(np.tile(self.sizes, (len(self.sizes), 1)))
        with np.errstate(invalid="ignore"):
            related = (self._errors * self.language).sum(axis=1) / errors
        random = (drawn * self.language).sum(axis=1) / drawn.sum(axis=1)
        own = np.diag(self.counts) / self.counts.sum(axis=1)
        return pd.DataFrame({"class": self.names, "images": self.sizes, "own": own, "errors": errors, "relatedness": related, "random": random})

    @cached_property
    def _errors(self) -> NDArray[np.int64]:
        return _without_own(self.counts)


def semantic_retrieval(embeddings: Any, labels: Any, language: Any, neighbors: int = 20, names: Sequence[str] | None = None) -> SemanticRetrieval:
    """Every image asks for its nearest others; the classes of what it finds are counted by its own class.

    As in section 4.5 of "Integrating Language Guidance" (Roth et al., CVPR 2022): all images of a class as queries, each without itself, the top
    twenty by cosine, exact.

    Args:
        embeddings: (n, d), NumPy or torch, of any length.
        labels: (n,) class numbers 0 to c - 1.
        language: (c, c) similarities of the class names.
        neighbors: retrieved for each image, 1 to n - 1.
        names: c class names; without them their numbers.

    Raises:
        InputError: embeddings, labels, similarities or names that do not fit, one class only, a class of one image, which can't find its own
            class, or a number of neighbors out of range.
    """
    similarities = checked_language(language)
    rows = checked_rows(embeddings, "The embeddings")
    classes = len(similarities)
    numbers, called = checked_labels(labels, len(rows), classes), checked_names(names, classes)
    sizes = np.bincount(numbers)
    if sizes.min() < 2:
        single = called[int(np.argmin(sizes))]
        raise InputError(f"The class '{single}' has one image, which can't find its own class; give each class two or more, or leave it out.")
    if not 1 <= neighbors < len(rows):
        raise InputError(f"neighbors is {neighbors}, but each of the {len(rows)} images has {len(rows) - 1} others; choose 1 to that.")
    found = nearest(rows, rows, neighbors, exclude=np.arange(len(rows))).rows
    pairs = numbers[:, None] * classes + numbers[found]
    counts = np.bincount(pairs.ravel(), minlength=classes**2).reshape(classes, classes)
    return SemanticRetrieval(counts, similarities, sizes, called, neighbors)


def _without_own(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    others = counts.copy()
    np.fill_diagonal(others, 0)
    return others


def _mean(language: NDArray[np.float64], weights: NDArray[np.int64]) -> float:
    total = weights.sum()
    return float((weights * language).sum() / total) if total else float("nan")
