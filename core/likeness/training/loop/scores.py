"""Scores of a run on unseen classes."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.evaluation import (
    DISTANCE_KS,
    NDCG_KS,
    DistanceMetric,
    clustering_metrics,
    continuous_metric_names,
    continuous_query_metrics,
    oracle_and_chance,
    retrieval_scores,
)
from likeness.search import nearest

RECALLS = (1, 2, 4, 8, 10, 100, 1000)


def scores(
    embeddings: Any,
    labels: NDArray[np.int64],
    metric: DistanceMetric = "cosine",
    is_query: NDArray[np.bool_] | None = None,
    cameras: NDArray[np.object_] | None = None,
) -> tuple[dict[str, float], pd.DataFrame]:
    """R@1 to R@1000, MAP@R, mAP@1000 on recall, NMI and F1 of embeddings (n, d), 0 to 1 each, and MAP of queries; recalls above the size of the
    gallery are omitted. Beside them those of each query, except NMI and F1.

    Embeddings are NumPy or torch; tensors on a GPU are ranked and grouped there. Each image searches all others, or, with a mask (n,), each query
    the images that are none; NMI and F1 are of all images. `cameras` (n,) are as for `retrieval_metrics`.
    """
    gallery = slice(None) if is_query is None else np.flatnonzero(~is_query)
    queries = () if is_query is None else (embeddings[np.flatnonzero(is_query)], labels[is_query])
    ks = tuple(k for k in RECALLS if k <= len(labels[gallery]) - (is_query is None))
    seen: dict[str, Any] = {} if cameras is None else {"cameras": cameras[gallery], "query_cameras": None if is_query is None else cameras[is_query]}
    found = retrieval_scores(embeddings[gallery], labels[gallery], ks, *queries, metric=metric, **seen)
    clusters = clustering_metrics(embeddings, labels, metric=metric)
    names = [*(f"recall_at_{k}" for k in ks), "map_at_r", "map_at_1000", *(["map"] if queries else [])]
    means = {name: float(found[name].mean()) for name in names} | {name: float(clusters[name]) for name in ("nmi", "f1")}
    return means, found[names].reset_index(drop=True)


def continuous_scores(
    label_distances: NDArray[np.float32], queries: NDArray[np.float32], gallery: NDArray[np.float32], exclude: NDArray[np.int64] | None = None
) -> pd.DataFrame:
    """Mean label distance at 1 to 10 and nDCG at 10 to 100 of each query (q, d) in a gallery (n, d); those above n are omitted.

    `exclude` is as for `continuous_metrics`. InputError: a gallery of fewer than 10 images.
    """
    distances, ndcg = _shown(label_distances.shape[1] - (exclude is not None))
    found = continuous_query_metrics(label_distances, queries, gallery, (*distances, *ndcg), exclude=exclude)
    return found[continuous_metric_names(distances, ndcg)]


def continuous_bounds(label_distances: NDArray[np.float32], exclude: NDArray[np.int64] | None = None) -> dict[str, float]:
    """`continuous_scores` of retrieval by the labels themselves ("oracle_...") and of random retrieval ("chance_...")."""
    return oracle_and_chance(label_distances, *_shown(label_distances.shape[1] - (exclude is not None)), exclude=exclude)


def _shown(gallery: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if gallery < DISTANCE_KS[-1]:
        raise InputError(f"{gallery} gallery images are too few for metrics at {DISTANCE_KS[-1]}; use more test images, or fewer queries.")
    return DISTANCE_KS, tuple(k for k in NDCG_KS if k <= gallery)


def matched_recall(embeddings: NDArray[np.float32], labels: NDArray[np.int64], classes: int, choices: int = 10) -> float:
    """R@1 among the images of so many classes, averaged over random choices, which are the same in every call; a single one for all classes.

    InputError: embeddings (n, d) with class numbers (n,) have fewer classes.
    """
    numbers = np.unique(labels)
    if classes > len(numbers):
        raise InputError(f"R@1 among {classes} classes needs as many test classes, but there are {len(numbers)}; lower matched_classes.")
    found = []
    for choice in range(choices if classes < len(numbers) else 1):
        kept = np.random.default_rng([choice, 7]).permutation(numbers)[:classes]
        rows = np.flatnonzero(np.isin(labels, kept))
        found.append(first_recall(embeddings[rows], labels[rows]))
    return float(np.mean(found))


def first_recall(embeddings: NDArray[np.float32], labels: NDArray[np.int64], is_query: NDArray[np.bool_] | None = None) -> float:
    """R@1 of embeddings (n, d), or of queries among the others, as in `scores`."""
    if is_query is not None:
        found = nearest(embeddings[is_query], embeddings[~is_query], 1).rows[:, 0]
        return float((labels[~is_query][found] == labels[is_query]).mean())
    first = nearest(embeddings, embeddings, 1, exclude=np.arange(len(embeddings))).rows[:, 0]
    return float((labels[first] == labels).mean())
