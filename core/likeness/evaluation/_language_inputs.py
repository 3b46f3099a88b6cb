"""Input checks of all comparisons with language: embeddings, class numbers, language similarities, class names."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, to_numpy, unit_rows
from likeness.errors import InputError

Similarities = NDArray[np.float64]
Labels = NDArray[np.int64]


def precise_unit_rows(embeddings: Any) -> NDArray[Any]:
    """Unit rows (n, d), in float64 if the embeddings are, else float32; errors as in `checked_rows` and `unit_rows`."""
    return unit_rows(checked_rows(embeddings, "The embeddings", None), "The embeddings")


def checked_language(language: Any) -> Similarities:
    """Similarities of classes (c, c) in float64. InputError: not square, not finite, or a single class."""
    matrix = np.asarray(to_numpy(language), dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"The language similarities have shape {matrix.shape}; pass a square matrix with one row and column per class.")
    if len(matrix) < 2:
        raise InputError("There is only one class; choose labels with at least two.")
    if not np.isfinite(matrix).all():
        raise InputError("The language similarities hold NaN or infinity; compute them again with another language model.")
    return matrix


def checked_labels(labels: Any, images: int, classes: int) -> Labels:
    """Class numbers (n,) from 0 to c - 1, each with at least one image; InputError for anything else."""
    numbers = to_numpy(labels)
    if numbers.shape != (images,) or numbers.dtype.kind not in "iu":
        raise InputError(f"The labels have shape {numbers.shape} and type {numbers.dtype}; pass one class number for each of the {images} images.")
    if numbers.min() < 0 or numbers.max() >= classes:
        raise InputError(
            f"The labels run from {numbers.min()} to {numbers.max()}, but language has {classes} classes; number them 0 to {classes - 1}."
        )
    empty = np.flatnonzero(np.bincount(numbers, minlength=classes) == 0)
    if len(empty):
        raise InputError(f"Class {empty[0]} has no image; remove it from the language similarities, too, and renumber the others.")
    return numbers.astype(np.int64)


def checked_names(names: Sequence[str] | None, classes: int) -> list[str]:
    """The class names, or the numbers as text if None. InputError: wrong number of names, or a repeated one."""
    if names is None:
        return [str(number) for number in range(classes)]
    if isinstance(names, str) or len(names) != classes:
        raise InputError(f"There are {len(names)} names for {classes} classes; pass one name per class, in order.")
    chosen = [str(name) for name in names]
    twice = next((name for name in chosen if chosen.count(name) > 1), None) if len(set(chosen)) < len(chosen) else None
    if twice is not None:
        raise InputError(f"The class name '{twice}' occurs twice; rename one of the classes.")
    return chosen


def class_number(name: str, names: Sequence[str]) -> int:
    """Number of a class by its name, ignoring case. InputError: unknown name, with similar ones."""
    lowered = [each.lower() for each in names]
    if name in names:
        return list(names).index(name)
    if lowered.count(name.lower()) == 1:
        return lowered.index(name.lower())
    near = [names[lowered.index(each)] for each in get_close_matches(name.lower(), lowered, n=3, cutoff=0.5)]
    remedy = f"did you mean {' or '.join(map(repr, near))}?" if near else f"the first ones are {', '.join(names[:5])}."
    raise InputError(f"There is no class '{name}'; {remedy}")
