"""Classes retrieved for the images of a class, and their semantic relatedness (language guidance, section 4.5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import checked_rows
from likeness.errors import InputError
from likeness.evaluation._language_inputs import checked_labels, checked_language, checked_names, class_number
from likeness.search import nearest

LEAST_ERRORS = 10


@dataclass(frozen=True)
class SemanticRetrieval:
    """Counts of retrieved classes.

    Entry (i, j) of (c, c) is how many of the `neighbors` of class i's images are of class j, so a row sums to `neighbors` times the images of its
    class (c,). Also has the similarities (c, c) of the class names.
    """

    counts: NDArray[np.int64]
    language: NDArray[np.float64]
    sizes: NDArray[np.int64]
    names: list[str]
    neighbors: int

    @property
    def own_share(self) -> float:
        """Share of neighbors of the query's own class, in [0, 1]: the mean precision at `neighbors`."""
        return float(np.trace(self.counts) / self.counts.sum())

    @property
    def relatedness(self) -> float:
        """Mean language similarity between the query's class and the classes of wrong neighbors; NaN if there are none."""
        return _mean(self.language, self._errors)

    @property
    def random_relatedness(self) -> float:
        """What `relatedness` would be for neighbors drawn at random from all other images, which is the same for all spaces of these images."""
        return _mean(self.language, _without_own(np.outer(self.sizes, self.sizes)))

    @cached_property
    def per_class(self) -> pd.DataFrame:
        """Per query class: class, images, own (share of the neighbors), errors (neighbors of other classes), relatedness (NaN without errors) and
        random, the relatedness of images drawn at random from the other classes.
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
    """Counts the classes of the nearest neighbors of all images, by class of the query.

    As in section 4.5 of "Integrating Language Guidance" (Roth et al., CVPR 2022): all images as queries, each without itself, and the twenty nearest
    by cosine, exact. Embeddings are (n, d) of any length, labels (n,) class numbers 0 to c - 1, `language` (c, c) similarities of the class names;
    names default to the numbers. InputError: embeddings, labels, similarities or names that do not fit, a single class, a class of one image, or a
    number of neighbors out of range.
    """
    similarities = checked_language(language)
    rows = checked_rows(embeddings, "The embeddings")
    classes = len(similarities)
    numbers, called = checked_labels(labels, len(rows), classes), checked_names(names, classes)
    sizes = np.bincount(numbers)
    if sizes.min() < 2:
        single = called[int(np.argmin(sizes))]
        raise InputError(f"The class '{single}' has only one image, which cannot find its own class; add an image, or remove the class.")
    if not 1 <= neighbors < len(rows):
        raise InputError(f"neighbors is {neighbors}, but each of the {len(rows)} images has {len(rows) - 1} others; choose 1 to {len(rows) - 1}.")
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


def retrieved_classes(spaces: Mapping[str, SemanticRetrieval], query: str, top: int = 5) -> pd.DataFrame:
    """At most `top` other classes retrieved for the images of `query`, most related first: Figure 3 of "Integrating Language Guidance" (Roth et al.
    2022).

    Includes every class that any of the spaces retrieved, so a count of 0 shows what a space misses; excludes the query's own class. InputError: no
    space, spaces of different classes, an unknown class (case is ignored), or `top` below 1.

    Returns:
        Columns class, language_similarity (to the query, descending; ties in order of the classes) and one count per space, under its name. Empty if
        all spaces retrieved only the query's class.
    """
    first = _checked(spaces)
    number = class_number(query, first.names)
    if top < 1:
        raise InputError(f"top is {top}, but must be at least 1.")
    counts = np.stack([space.counts[number] for space in spaces.values()])
    found = np.flatnonzero(counts.any(axis=0))
    found = found[found != number]
    chosen = found[np.argsort(-first.language[number, found], kind="stable")][:top]
    columns = {name: row[chosen] for name, row in zip(spaces, counts, strict=True)}
    return pd.DataFrame({"class": [first.names[each] for each in chosen], "language_similarity": first.language[number, chosen], **columns})


def most_changed(a: SemanticRetrieval, b: SemanticRetrieval, top: int = 10, least: int = LEAST_ERRORS) -> pd.DataFrame:
    """At most `top` query classes whose wrong neighbors differ most in relatedness between two spaces of the same images.

    Ignores classes with fewer than `least` wrong neighbors in either space, whose means are unreliable. Columns: class, a, b (mean language
    similarity of the wrong neighbors, `SemanticRetrieval.per_class`) and change = b - a, largest absolute value first, ties in order of the classes.
    InputError: spaces of different classes, or `top` below 1.
    """
    _checked({"a": a, "b": b})
    if top < 1:
        raise InputError(f"top is {top}, but must be at least 1.")
    ours, theirs = a.per_class, b.per_class
    frame = pd.DataFrame({"class": ours["class"], "a": ours["relatedness"], "b": theirs["relatedness"]})
    frame["change"] = frame["b"] - frame["a"]
    enough = frame[(ours["errors"] >= max(least, 1)) & (theirs["errors"] >= max(least, 1))]
    return enough.sort_values("change", key=lambda change: -change.abs(), kind="stable").head(top).reset_index(drop=True)


def _checked(spaces: Mapping[str, SemanticRetrieval]) -> SemanticRetrieval:
    """The first of the spaces. InputError: none, or different classes or images."""
    if not spaces:
        raise InputError("There is no space to compare; pass at least one.")
    first, *others = spaces.values()
    for other in others:
        if other.names != first.names or not np.array_equal(other.sizes, first.sizes):
            raise InputError("The spaces have different classes or images; compare spaces of the same images with the same labels.")
    return first
