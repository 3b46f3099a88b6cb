"""Two spaces, or more, by the classes that they find: the paper's Figure 3, and which classes to look at."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.evaluation._language_inputs import class_number
from likeness.evaluation.semantic_retrieval import SemanticRetrieval

LEAST_ERRORS = 10


def retrieved_classes(spaces: Mapping[str, SemanticRetrieval], query: str, top: int = 5) -> pd.DataFrame:
    """The other classes that the images of `query` find, most related first: Figure 3 of "Integrating Language Guidance" (Roth et al. 2022).

    Every class that any of the spaces found is there, so that a count of 0 tells what a space misses; the query's own class is not.

    Args:
        spaces: a space's name -> its retrieval; of the same classes.
        query: a class name, whatever its capitals.
        top: at most so many classes.

    Returns:
        Columns class, language_similarity (with the query, descending; equal ones in the order of the classes) and one count per space, under its
        name. No row where all spaces found the query's class alone.

    Raises:
        InputError: no space, spaces of different classes, an unknown class (close ones are named), or `top` below 1.
    """
    first = _checked(spaces)
    number = class_number(query, first.names)
    if top < 1:
        raise InputError(f"top is {top}, but at least one class must be asked for.")
    counts = np.stack([space.counts[number] for space in spaces.values()])
    found = np.flatnonzero(counts.any(axis=0))
    found = found[found != number]
    chosen = found[np.argsort(-first.language[number, found], kind="stable")][:top]
    columns = {name: row[chosen] for name, row in zip(spaces, counts, strict=True)}
    return pd.DataFrame({"class": [first.names[each] for each in chosen], "language_similarity": first.language[number, chosen], **columns})


def most_changed(a: SemanticRetrieval, b: SemanticRetrieval, top: int = 10, least: int = LEAST_ERRORS) -> pd.DataFrame:
    """Query classes whose wrong neighbors differ most in how related they are between two spaces: examples worth a look.

    Args:
        a, b: of the same images.
        top: at most so many classes.
        least: classes with fewer wrong neighbors in either space are left aside, since the mean over a few says little.

    Returns:
        Columns class, a, b (mean language similarity of the wrong neighbors, `SemanticRetrieval.per_class`) and change = b - a, the largest
        by size first, equal ones in the order of the classes; no row where no class has enough errors.

    Raises:
        InputError: spaces of different classes, or `top` below 1.
    """
    _checked({"a": a, "b": b})
    if top < 1:
        raise InputError(f"top is {top}, but at least one class must be asked for.")
    ours, theirs = a.per_class, b.per_class
    frame = pd.DataFrame({"class": ours["class"], "a": ours["relatedness"], "b": theirs["relatedness"]})
    frame["change"] = frame["b"] - frame["a"]
    enough = frame[(ours["errors"] >= max(least, 1)) & (theirs["errors"] >= max(least, 1))]
    return enough.sort_values("change", key=lambda change: -change.abs(), kind="stable").head(top).reset_index(drop=True)


def _checked(spaces: Mapping[str, SemanticRetrieval]) -> SemanticRetrieval:
    """The first of spaces that have the same classes and images."""
    if not spaces:
        raise InputError("There is no space to compare; give at least one.")
    first, *others = spaces.values()
    for other in others:
        if other.names != first.names or not np.array_equal(other.sizes, first.sizes):
            raise InputError("The spaces are of different classes or images; compare spaces of the same images with the same labels.")
    return first
