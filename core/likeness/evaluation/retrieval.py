"""Retrieval metrics, exact and in bounded memory."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.evaluation._inputs import Metric, class_codes, comparable
from likeness.evaluation._ranks import Ranks, relevant_ranks
from likeness.search import as_numpy, checked_rows


def retrieval_metrics(
    embeddings: Any,
    labels: Any,
    ks: Sequence[int] = (1, 2, 4, 8),
    query_embeddings: Any = None,
    query_labels: Any = None,
    *,
    rows: Any = None,
    metric: Metric = "cosine",
) -> dict[str, float]:
    """How well items of the same label find each other: means over all queries of the scores of `retrieval_scores`.

    Args:
        embeddings: the gallery (n, d), NumPy or torch.
        labels: label of each gallery row (n,), of any hashable kind.
        ks: cut-offs of recall.
        query_embeddings: queries (q, d) that are not in the gallery; None: every gallery row asks, without finding itself.
        query_labels: label of each query (q,); given exactly when `query_embeddings` is.
        rows: numbers or mask of the queries that ask, the gallery staying whole; None: all.
        metric: "cosine" ranks by direction alone; "euclidean" by distance between the rows as given. The same for unit rows.

    Returns:
        precision_at_1, r_precision, map_at_r, map, mrr, map_at_1000 and recall_at_{k} for each k, in [0, 1]. The first five are means
        over the queries that have a relevant item and NaN if none has; the others count the rest as 0. One class alone gives 1
        throughout (map_at_1000: less, see there).

    Raises:
        InputError: on embeddings that are empty, not finite or (cosine) all zero in a row, on labels that do not fit or are missing.

    The first five equal AccuracyCalculator of pytorch-metric-learning with k=None.

    Example:
        >>> retrieval_metrics([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]], ["car", "car", "van", "van"])["map_at_r"]
        1.0
    """
    scores = retrieval_scores(embeddings, labels, ks, query_embeddings, query_labels, rows=rows, metric=metric)
    return {str(name): float(value) for name, value in scores.drop(columns="label").mean().items()}


def retrieval_metrics_per_class(
    embeddings: Any,
    labels: Any,
    ks: Sequence[int] = (1, 2, 4, 8),
    query_embeddings: Any = None,
    query_labels: Any = None,
    *,
    rows: Any = None,
    metric: Metric = "cosine",
) -> pd.DataFrame:
    """The metrics of `retrieval_metrics` for the queries of each class: one row per label, in order of first appearance.

    The index is the label, the column `queries` the number of queries, the others the metrics. A class of one has NaN where its
    query is left out. The unweighted mean over the rows is what the literature calls class-mean or "average of averages".
    """
    scores = retrieval_scores(embeddings, labels, ks, query_embeddings, query_labels, rows=rows, metric=metric)
    groups = scores.groupby("label", sort=False)
    table = groups.mean()
    table.insert(0, "queries", groups.size())
    return table


def retrieval_scores(
    embeddings: Any,
    labels: Any,
    ks: Sequence[int] = (1, 2, 4, 8),
    query_embeddings: Any = None,
    query_labels: Any = None,
    *,
    rows: Any = None,
    metric: Metric = "cosine",
) -> pd.DataFrame:
    """The scores of each query; arguments and errors as in `retrieval_metrics`.

    With R relevant gallery items (same label, not the query itself), P(i) = share of relevant items among the i nearest and
    rel(i) = 1 where the i-th nearest is relevant:

    * precision_at_1: rel(1).
    * r_precision: P(R).
    * map_at_r: 1/R sum over i <= R of P(i) rel(i) (Musgrave et al., A Metric Learning Reality Check, ECCV 2020, Eq. 2).
    * map: the same sum over the whole gallery, divided by R.
    * mrr: 1 / rank of the first relevant item.
    * map_at_1000: the sum over i <= 1000, divided by the size of the class in the gallery, the query INCLUDED where it is there: the
      definition of the language guidance paper's code (Roth et al., CVPR 2022). A perfect ranking of n_c images gives (n_c - 1) / n_c.
    * recall_at_{k}: 1 where a relevant item is among the k nearest (Recall@k of Jegou et al.).

    Returns:
        One row per query, indexed by its row number, with the column `label` and one per score. Where R = 0 the first five are NaN, the
        others 0. Equal similarities are ranked by gallery row number; products are in float32, where those of identical rows may differ
        in the last digit.
    """
    cutoffs = _checked_cutoffs(ks)
    if (query_embeddings is None) != (query_labels is None):
        raise InputError("query_embeddings and query_labels belong together, but only one was given; pass both or neither.")
    gallery = checked_rows(embeddings, "The embeddings")
    queries = gallery if query_embeddings is None else checked_rows(query_embeddings, "The query embeddings")
    if queries.shape[1] != gallery.shape[1]:
        raise InputError(
            f"The query embeddings have {queries.shape[1]} dimensions, the embeddings {gallery.shape[1]}; encode both in the same space."
        )
    gallery_codes, query_codes, classes = class_codes(labels, len(gallery), query_labels, len(queries))
    asking = _checked_selection(rows, len(queries))
    queries, gallery = comparable(queries, gallery, metric)
    own = asking if query_embeddings is None else None
    codes = query_codes[asking]
    sizes = np.bincount(gallery_codes, minlength=len(classes))[codes]
    chunks = relevant_ranks(queries if rows is None else queries[asking], codes, gallery, gallery_codes, own)
    columns = _collect(chunks, sizes, cutoffs)
    label = pd.Series(pd.Index(classes, tupleize_cols=False).take(codes), index=asking)
    return pd.DataFrame({"label": label, **{name: pd.Series(values, index=asking) for name, values in columns.items()}})


def _checked_cutoffs(ks: Iterable[int]) -> list[int]:
    cutoffs = [int(k) for k in ks]
    if any(k < 1 for k in cutoffs):
        raise InputError(f"The cut-offs ks are {cutoffs}, but each must be 1 or more; leave the others out.")
    return cutoffs


def _checked_selection(rows: Any, count: int) -> NDArray[np.int64]:
    if rows is None:
        return np.arange(count)
    chosen = as_numpy(rows)
    if chosen.dtype == bool and chosen.shape == (count,):
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or len(chosen) == 0 or chosen.min() < 0 or chosen.max() >= count:
        raise InputError(f"rows must choose at least one query by its number, 0 to {count - 1}, or by a mask of {count}; got {rows!r:.80}.")
    return chosen.astype(np.int64)


def _collect(chunks: Iterable[Ranks], sizes: NDArray[np.int64], ks: list[int]) -> dict[str, NDArray[np.float64]]:
    columns: dict[str, NDArray[np.float64]] = {}
    for chunk in chunks:
        for name, values in scores_from_ranks(chunk.ranks, chunk.offsets, sizes[chunk.queries], ks).items():
            columns.setdefault(name, np.empty(len(sizes)))[chunk.queries] = values
    return columns


def scores_from_ranks(
    ranks: NDArray[np.int64], offsets: NDArray[np.int64], class_sizes: NDArray[np.int64], ks: Sequence[int]
) -> dict[str, NDArray[np.float64]]:
    """The scores of `retrieval_scores` from the ranks of the relevant items.

    Args:
        ranks: ranks from 1, ascending within a query, one query after the other.
        offsets: where each query's ranks begin and end (b + 1,).
        class_sizes: gallery rows of each query's class, itself included where it is there (b,).
        ks: cut-offs of recall.
    """
    counts = np.diff(offsets)
    query = np.repeat(np.arange(len(counts)), counts)
    precision = (np.arange(1, len(ranks) + 1) - offsets[query]) / ranks
    within_r = ranks <= counts[query]
    first = np.full(len(counts), np.inf)
    first[counts > 0] = ranks[offsets[:-1][counts > 0]]

    def total(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(query, weights, minlength=len(counts)).astype(np.float64)

    relevant = np.where(counts > 0, counts, np.nan)
    scores = {
        "precision_at_1": np.where(counts > 0, first == 1, np.nan),
        "r_precision": total(within_r.astype(np.float64)) / relevant,
        "map_at_r": total(np.where(within_r, precision, 0)) / relevant,
        "map": total(precision) / relevant,
        "mrr": np.where(counts > 0, 1 / first, np.nan),
        "map_at_1000": total(np.where(ranks <= 1000, precision, 0)) / np.maximum(class_sizes, 1),
    }
    return scores | {f"recall_at_{k}": (first <= k).astype(np.float64) for k in ks}
