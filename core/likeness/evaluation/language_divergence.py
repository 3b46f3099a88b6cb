"""Divergence between the similarities of an embedding space and those of language (language guidance, section 4.5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError, check_known
from likeness.evaluation._language_inputs import checked_labels, checked_language, checked_names, precise_unit_rows
from likeness.evaluation.class_means import class_means
from likeness.progress import Progress, report_progress

DIRECTIONS = ("image||language", "language||image")
LEVELS = ("image", "class")
BLOCK_BYTES = 32_000_000


@dataclass(frozen=True)
class LanguageDivergence:
    """Divergences in nats between the rows of a space's similarity matrix and those of language.

    Mean and standard deviation (ddof 0) over the rows; the rows (n,), one per image, or (c,), one per class; and the mean of each class,
    indexed by its name, in order of the classes.
    """

    mean: float
    deviation: float
    rows: NDArray[np.float64]
    per_class: "pd.Series[float]"


def language_divergence(
    embeddings: Any,
    labels: Any,
    language: Any,
    direction: str = "image||language",
    *,
    level: str = "image",
    masked: bool = True,
    shift: float = 1.0,
    temperature: float = 1.0,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> LanguageDivergence:
    """Row-wise KL divergence between a space's similarities and language's (Roth et al., CVPR 2022, section 4.5; Eq. 2 and 3).

    With X the cosines of all images with all images, L the similarities of their class names and T the temperature, row i gives KL(softmax(X_i / T)
    || softmax(L_i / T)): with the defaults, this is the loss `likeness.losses.language_match` on all images as one batch. The paper prints 1.49 ±
    0.16 without and 0.34 ± 0.09 with guidance, without their scaling. Eq. 2 as printed, T = 1 here, cannot reach them: it stays below about 0.2,
    since cosines differ little. Compare spaces with each other, not with the paper.

    With T = 1 it is about half the variance of X - L, so it measures the scale of the cosines more than their order: a collapsed space can be closer
    to language than one that orders its classes exactly as language does, but with larger differences; and an added constant dimension, which changes
    no neighbor, can lower it as much as guidance (on the shipped images it did). Read it together with `language_rank_correlation`, which depends on
    the order alone. InputError: embeddings, labels, similarities or names that do not fit, one class only, a class without images, unknown direction
    or level, a temperature that is not above 0.

    Args:
        embeddings: (n, d), NumPy or torch, of any length; their cosines are compared.
        labels: (n,) class numbers 0 to c - 1.
        language: (c, c) similarities S^lang of the class names, as of `likeness.language.class_similarities`.
        direction: "image||language" is Eq. 2; "language||image" is the reverse divergence.
        level: "image": rows and columns are images; "class": they are classes, each the mean of its images' unit vectors.
        masked: entries of the same class are set to 1 + shift on both sides (Eq. 3), since names say nothing about differences within a class.
        shift: gamma_lang, added to L. It only matters with the mask, where larger values separate "same class" from the rest.
        temperature: T, not in the paper. The divergence is not multiplied by T squared, unlike in `language_match`.
        names: c class names, for `per_class`; without them their numbers.

    Returns:
        At least 0 in each row; 0 if both sides have the same softmax. Products are in the embeddings' precision, everything else in float64. Memory
        beyond the inputs is bounded; 20,000 images take 10 to 20 seconds on one core.
    """
    _check(direction, level, temperature)
    similarities = checked_language(language)
    rows = precise_unit_rows(embeddings)
    numbers = checked_labels(labels, len(rows), len(similarities))
    called = checked_names(names, len(similarities))
    if level == "class":
        rows, numbers = class_means(rows, numbers), np.arange(len(similarities))
    if masked:
        similarities = np.where(np.eye(len(similarities), dtype=bool), 1, similarities) + shift
    target = _Target(similarities / temperature, numbers)
    found = np.empty(len(rows))
    for part in _blocks(len(rows)):
        image = (rows[part] @ rows.T).astype(np.float64)
        if masked:
            image[numbers[part][:, None] == numbers] = 1 + shift
        image /= temperature
        found[part] = target.divergences(image, numbers[part], direction)
        report_progress(progress, part.stop, len(rows))
    sizes = np.bincount(numbers)
    per_class = pd.Series(np.bincount(numbers, found) / sizes, index=called, name="divergence")
    return LanguageDivergence(float(found.mean()), float(found.std()), found, per_class)


class _Target:
    """The language side, L / T (c, c), for columns of known classes (m,): its softmax over all images needs one sum per class, not per image."""

    def __init__(self, similarities: NDArray[np.float64], numbers: NDArray[np.int64]) -> None:
        from scipy.special import logsumexp

        self.numbers = numbers
        self.similarities = similarities
        self.log_sums: NDArray[np.float64] = logsumexp(similarities, axis=1, b=np.bincount(numbers))
        self.softmax = np.exp(similarities - self.log_sums[:, None])

    def divergences(self, image: NDArray[np.float64], own: NDArray[np.int64], direction: str) -> NDArray[np.float64]:
        """KL of rows X / T (b, m) of images of the classes `own` (b,) -> (b,).

        With Z the normalizers of the softmaxes, KL(p || q) = sum_j p_j (X_j - L_j) / T - log Z_X + log Z_L, and the reverse with q and opposite
        signs.
        """
        gaps = image - self.similarities[own][:, self.numbers]
        # subtracted before exp, which would overflow at low temperatures
        largest = image.max(axis=1)
        powers = np.exp(image - largest[:, None])
        sums = powers.sum(axis=1)
        between = self.log_sums[own] - largest - np.log(sums)
        if direction == DIRECTIONS[0]:
            return np.asarray(np.einsum("ij,ij->i", powers, gaps) / sums + between)
        return np.asarray(-np.einsum("ij,ij->i", self.softmax[own][:, self.numbers], gaps) - between)


def _blocks(count: int) -> Iterator[slice]:
    size = max(1, BLOCK_BYTES // (8 * count))
    return (slice(begin, min(begin + size, count)) for begin in range(0, count, size))


def _check(direction: str, level: str, temperature: float) -> None:
    check_known("direction", direction, DIRECTIONS)
    check_known("level", level, LEVELS)
    if not 0 < temperature < float("inf"):
        raise InputError(f"temperature is {temperature}, but it must be above 0; 1 is the paper's loss.")
