"""The scores of queries from the ranks of their relevant items; defined in `retrieval.retrieval_scores`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAMES = ("precision_at_1", "r_precision", "map_at_r", "map", "mrr", "map_at_1000")  # and recall_at_{k}


def scores_from_ranks(
    ranks: NDArray[np.int64], offsets: NDArray[np.int64], class_sizes: NDArray[np.int64], names: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """The scores of these names, each (b,).

    Args:
        ranks: ranks from 1, ascending within a query, one query after the other.
        offsets: where each query's ranks begin and end (b + 1,).
        class_sizes: gallery rows of each query's class, itself included where it is there (b,).
        names: of `NAMES`, and "recall_at_{k}" of any k.
    """
    counts = np.diff(offsets)
    some = counts > 0
    begins = offsets[:-1][some]
    first = np.full(len(counts), np.inf)
    first[some] = ranks[begins]
    relevant = np.where(some, counts, np.nan)

    def total(weights: NDArray[Any]) -> NDArray[np.float64]:
        sums = np.zeros(len(counts))
        if len(begins):
            sums[some] = np.add.reduceat(weights, begins, dtype=np.float64)
        return sums

    scores = {f"recall_at_{k}": (first <= k).astype(np.float64) for k in _cutoffs(names)}
    scores["precision_at_1"] = np.where(some, first == 1, np.nan)
    scores["mrr"] = np.where(some, 1 / first, np.nan)
    within_r = ranks <= np.repeat(counts, counts) if {"r_precision", "map_at_r"} & set(names) else ranks[:0]
    if "r_precision" in names:
        scores["r_precision"] = total(within_r) / relevant
    if {"map_at_r", "map", "map_at_1000"} & set(names):
        precision = np.arange(1, len(ranks) + 1, dtype=np.float64)
        precision -= np.repeat(offsets[:-1], counts)
        precision /= ranks
        if "map" in names:
            scores["map"] = total(precision) / relevant
        if "map_at_1000" in names:
            scores["map_at_1000"] = total(precision * (ranks <= 1000)) / np.maximum(class_sizes, 1)
        if "map_at_r" in names:
            scores["map_at_r"] = total(np.multiply(precision, within_r, out=precision)) / relevant
    return {name: scores[name] for name in names}


def _cutoffs(names: Sequence[str]) -> list[int]:
    return [int(name.rpartition("_")[2]) for name in names if name.startswith("recall_at_")]
