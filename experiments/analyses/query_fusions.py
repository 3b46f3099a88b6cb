"""Ways to combine the similarities of images to the terms of a composed query into one score."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import Floats
from likeness.search import TermStatistics, all_hold, term_statistics

_LAMBDA = 0.1  # BASIC, section 4.4
_LEAST = 1e-6


@dataclass(frozen=True)
class TermSimilarities:
    """Similarities of the images to the terms of one query, an image first, then texts.

    Attributes:
        plain: (t, n) cosines.
        centered: (t, n) cosines after each side was centered by the mean of its kind, images by that of the images, texts by that of texts.
        weights: (t,).
        row: the image itself, which the statistics leave out, since nothing else is like it by 1.
    """

    plain: Floats
    centered: Floats
    weights: Sequence[float]
    row: int

    @cached_property
    def standardized(self) -> Floats:
        """(t, n) of `plain`."""
        return (self.plain - self.statistics.mean) / self.statistics.deviation

    @cached_property
    def statistics(self) -> TermStatistics:
        """Of `plain`, over the other images."""
        return term_statistics(np.delete(self.plain, self.row, axis=1))

    def scaled(self) -> list[Floats]:
        """`plain` from minimum to maximum of the images, 0 to 1; of a weight below 0, 1 less that."""
        return [self._signed(row - row.min(), weight) for row, weight in zip(self.plain, self.weights, strict=True)]

    def rectified(self) -> list[Floats]:
        """`centered`, negative ones as 0, by their maximum; of a weight below 0, 1 less that."""
        return [self._signed(np.maximum(row, 0), weight) for row, weight in zip(self.centered, self.weights, strict=True)]

    def _signed(self, values: Floats, weight: float) -> Floats:
        shares: Floats = np.clip(values / max(np.delete(values, self.row).max(), _LEAST), 0, 1)
        return np.asarray(shares if weight > 0 else 1 - shares)


Fusion = Callable[[TermSimilarities], NDArray[np.floating]]


def _sum(similarities: Floats, weights: Sequence[float]) -> Floats:
    combined: Floats = np.asarray(weights) @ similarities
    return combined


def _product(factors: list[Floats], weights: Sequence[float]) -> Floats:
    return np.asarray(np.sum([abs(w) * np.log(np.maximum(factor, _LEAST)) for factor, w in zip(factors, weights, strict=True)], axis=0))


def _harris(terms: TermSimilarities) -> Floats:
    """s_1 s_2 ... - lambda (s_1 + s_2 + ...)^2, BASIC's criterion for two terms (arXiv 2510.25387, section 4.4) for as many as there are."""
    factors = terms.rectified()
    return np.asarray(np.prod(factors, axis=0) - _LAMBDA * np.sum(factors, axis=0) ** 2)


def _sigmoids(terms: TermSimilarities) -> Floats:
    """Each term by a sigmoid of its standardized similarity, from two deviations on."""
    slopes = np.where(np.asarray(terms.weights) > 0, -0.5, 1.0)
    return np.asarray(np.abs(terms.weights) @ -np.logaddexp(0, slopes[:, None] * (terms.standardized - 2)))


def _holding(avoided_from: float, avoided_slope: float) -> Fusion:
    return lambda terms: all_hold(terms.plain, terms.statistics, terms.weights, avoided_from=avoided_from, avoided_slope=avoided_slope)


# the last is that of `likeness.Space.nearest`
FUSIONS: dict[str, Fusion] = {
    "image alone": lambda terms: terms.plain[0],
    "texts alone": lambda terms: _sum(terms.standardized[1:], terms.weights[1:]),
    "sum": lambda terms: _sum(terms.plain, terms.weights),
    "centered sum": lambda terms: _sum(terms.centered, terms.weights),
    "standardized sum": lambda terms: _sum(terms.standardized, terms.weights),
    "product, minimum to maximum": lambda terms: _product(terms.scaled(), terms.weights),
    "product, centered and rectified": lambda terms: _product(terms.rectified(), terms.weights),
    "Harris criterion": _harris,
    "sigmoids": _sigmoids,
    "all hold, avoided from 1, slope 1": _holding(1, 1),
    "all hold, avoided from 2, slope 2": _holding(2, 2),
    "all hold": _holding(2, 1),
}
CHOSEN, CONTROL = list(FUSIONS)[-1], "wrong words"
