"""Scores of queries, as functions of the ranks of their relevant items; defined in `retrieval.retrieval_scores`."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


class RankedHits:
    """What several scores need of the ranks of the relevant items of b queries, computed once.

    `class_sizes` (b,) is the number of gallery rows of the query's class, itself included if it is in the gallery;
    ranks and offsets as in `_ranks.Ranks`.
    """

    def __init__(self, ranks: NDArray[np.int64], offsets: NDArray[np.int64], class_sizes: NDArray[np.int64]) -> None:
        self.ranks, self.offsets, self.class_sizes = ranks, offsets, class_sizes
        self.counts = np.diff(offsets)
        self.some = self.counts > 0
        self.relevant = np.where(self.some, self.counts, np.nan)
        self.first = np.full(len(self.counts), np.inf)
        self.first[self.some] = ranks[offsets[:-1][self.some]]

    @cached_property
    def precision(self) -> Scores:
        """Precision at each rank."""
        precision = np.arange(1, len(self.ranks) + 1, dtype=np.float64)
        precision -= np.repeat(self.offsets[:-1], self.counts)
        precision /= self.ranks
        return precision

    @cached_property
    def within_r(self) -> NDArray[np.bool_]:
        """Mask of the ranks up to R, the number of the query's relevant items."""
        return np.asarray(self.ranks <= np.repeat(self.counts, self.counts))

    def total(self, weights: NDArray[Any]) -> Scores:
        """Sum of the weights of each query's ranks; 0 if it has none."""
        sums = np.zeros(len(self.counts))
        if self.some.any():
            sums[self.some] = np.add.reduceat(weights, self.offsets[:-1][self.some], dtype=np.float64)
        return sums


class RetrievalScore(NamedTuple):
    """A score of each query: name, title, help, and a function of hits and k (0 if the name has no k) -> (b,).

    Queries without a relevant item have NaN, and are left out of means, or 0.
    """

    name: str
    title: str
    help: str
    compute: Callable[[RankedHits, int], Scores]
    compared: bool = False


_MAP_AT_R = "Share of an image's R nearest with its label, nearer ones counting more; R others have the label. 1/R sum rel(i) P(i)."
_PRECISION = "How often the nearest neighbor has the same label. Unlike in R@1, images whose label no other has are left out."
_R_PRECISION = "Share of an image's R nearest neighbors with its label, in any order; R is the number of other images with the label."
_MAP = "How early images of the same label come in the ranking of all images. The mean of P(i) over their ranks i."
_MRR = "One divided by the rank of the first image with the same label: 1 if it comes first, 0.5 if second."
_MAP_1000 = "How early images of the same label come among the first 1,000."
_RECALL = "Share of images that find an image of the same label among their top {k}; where none exists, a miss."


def _map_at_1000(hits: RankedHits, _: int) -> Scores:
    return hits.total(hits.precision * (hits.ranks <= 1000)) / np.maximum(hits.class_sizes, 1)


RETRIEVAL = (
    RetrievalScore("map_at_r", "MAP@R", _MAP_AT_R, lambda hits, _: hits.total(hits.precision * hits.within_r) / hits.relevant, compared=True),
    RetrievalScore("precision_at_1", "Prec@1", _PRECISION, lambda hits, _: np.where(hits.some, hits.first == 1, np.nan), compared=True),
    RetrievalScore("r_precision", "R-Prec", _R_PRECISION, lambda hits, _: hits.total(hits.within_r) / hits.relevant, compared=True),
    RetrievalScore("map", "MAP", _MAP, lambda hits, _: hits.total(hits.precision) / hits.relevant, compared=True),
    RetrievalScore("mrr", "MRR", _MRR, lambda hits, _: np.where(hits.some, 1 / hits.first, np.nan), compared=True),
    RetrievalScore("map_at_1000", "mAP@1000", _MAP_1000, _map_at_1000),
    RetrievalScore("recall_at_{k}", "R@{k}", _RECALL, lambda hits, k: (hits.first <= k).astype(np.float64)),
)


def scores_at(ks: list[int]) -> dict[str, Callable[[RankedHits], Scores]]:
    """All scores by name; those with a k in their name at each of these."""
    named = [(score.name.replace("{k}", str(k)), score.compute, k) for score in RETRIEVAL for k in (ks if "{k}" in score.name else [0])]
    return {name: partial(_compute, compute, k) for name, compute, k in named}


def _compute(compute: Callable[[RankedHits, int], Scores], k: int, hits: RankedHits) -> Scores:
    return compute(hits, k)
