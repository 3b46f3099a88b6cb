"""The scores of queries, each a function of the ranks of their relevant items; what they mean stands in `retrieval.retrieval_scores`."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


class RankedHits:
    """What several scores need of the ranks of the relevant items of b queries, computed once.

    `class_sizes` (b,) are the gallery rows of each query's class, itself included where it is there; ranks and offsets as in `_ranks.Ranks`.
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
        """The share of relevant items up to each rank."""
        precision = np.arange(1, len(self.ranks) + 1, dtype=np.float64)
        precision -= np.repeat(self.offsets[:-1], self.counts)
        precision /= self.ranks
        return precision

    @cached_property
    def within_r(self) -> NDArray[np.bool_]:
        """Of each rank whether it is one of the first R, where the query has R relevant items."""
        return np.asarray(self.ranks <= np.repeat(self.counts, self.counts))

    def total(self, weights: NDArray[Any]) -> Scores:
        """For each query the sum of the weights of its ranks; 0 where it has none."""
        sums = np.zeros(len(self.counts))
        if self.some.any():
            sums[self.some] = np.add.reduceat(weights, self.offsets[:-1][self.some], dtype=np.float64)
        return sums


class RetrievalScore(NamedTuple):
    """A score of each query: its name, how people read it, and a function of hits and the k of its name (0 without one) -> (b,), NaN where a query
    has no relevant item, so that it is left out, or 0.
    """

    name: str
    title: str
    help: str
    compute: Callable[[RankedHits, int], Scores]
    compared: bool = False


RETRIEVAL = (
    RetrievalScore(
        "map_at_r",
        "MAP@R",
        "Of an image's R nearest neighbors, where R is the number of others with its label: how many share the label, nearest counting most.",
        lambda hits, _: hits.total(hits.precision * hits.within_r) / hits.relevant,
        compared=True,
    ),
    RetrievalScore(
        "precision_at_1",
        "Prec@1",
        "How often the nearest neighbor has the same label.",
        lambda hits, _: np.where(hits.some, hits.first == 1, np.nan),
        compared=True,
    ),
    RetrievalScore(
        "r_precision",
        "R-Prec",
        "The share of an image's R nearest neighbors that have its label, in any order; R is the number of others with its label.",
        lambda hits, _: hits.total(hits.within_r) / hits.relevant,
        compared=True,
    ),
    RetrievalScore(
        "map",
        "MAP",
        "With all other images ranked by similarity: how far ahead those of the same label stand.",
        lambda hits, _: hits.total(hits.precision) / hits.relevant,
        compared=True,
    ),
    RetrievalScore(
        "mrr",
        "MRR",
        "One over the rank of the first image with the same label: 1 if it comes first, 0.5 if second.",
        lambda hits, _: np.where(hits.some, 1 / hits.first, np.nan),
        compared=True,
    ),
    RetrievalScore(
        "map_at_1000",
        "mAP@1000",
        "How early images of the same label come among the first 1,000.",
        lambda hits, _: hits.total(hits.precision * (hits.ranks <= 1000)) / np.maximum(hits.class_sizes, 1),
    ),
    RetrievalScore(
        "recall_at_{k}",
        "R@{k}",
        "The share of images that find an image of the same label among their top {k}.",
        lambda hits, k: (hits.first <= k).astype(np.float64),
    ),
)


def scores_at(ks: list[int]) -> dict[str, Callable[[RankedHits], Scores]]:
    """All scores by name, those that have a k in it at each of these."""
    named = [(score.name.replace("{k}", str(k)), score.compute, k) for score in RETRIEVAL for k in (ks if "{k}" in score.name else [0])]
    return {name: partial(_compute, compute, k) for name, compute, k in named}


def _compute(compute: Callable[[RankedHits, int], Scores], k: int, hits: RankedHits) -> Scores:
    return compute(hits, k)
