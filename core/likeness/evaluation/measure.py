"""Selected metrics of a space, each computed once."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from likeness.arrays import is_torch, to_numpy
from likeness.data import has_label
from likeness.errors import InputError
from likeness.evaluation.metric import Metric, own_metric
from likeness.evaluation.metric_names import METRICS, find_metric

MetricLike = str | Callable[[Any, Any], float]


def metrics(
    vectors: Any,
    labels: Any,
    include: MetricLike | Sequence[MetricLike] | None = None,
    *,
    distance: str = "cosine",
    seed: int = 0,
) -> dict[str, float]:
    """Retrieval, clustering and structure metrics of labeled vectors.

    InputError: an unknown name, one that needs label distances, two functions of one name, or an error of `retrieval_metrics`, `clustering_metrics`
    or `structure_metrics`.

    Args:
        vectors: (n, d), NumPy or torch.
        labels: label of each row (n,), of any hashable type. Unlabeled rows (None, NaN, "", `likeness.data.UNLABELED`) are ignored.
        include: names of metrics (`likeness.evaluation.metric_names`; "recall_at_10" for any number), or functions (vectors, labels) -> number;
            None: those of `METRICS`.
        distance: for ranking and clustering, as `metric` in `retrieval_metrics`; clusters are by cosines unless it is "euclidean".
        seed: of the k-means behind "ami", "nmi" and "f1".

    Returns:
        The metrics by name, in the order of `include`; functions by their own names. If rows are unlabeled, also their number: "left_out".

    Example:
        >>> rows = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]]
        >>> metrics(rows, ["car", "car", "van", "van"], include=["precision_at_1", "recall_at_2", "nmi"])
        {'precision_at_1': 1.0, 'recall_at_2': 1.0, 'nmi': 1.0}
    """
    chosen = chosen_metrics(include)
    vectors, labels, left_out = labeled_part(vectors, labels)
    return measure(vectors, labels, chosen, distance, seed) | ({"left_out": float(left_out)} if left_out else {})


def labeled_part(vectors: Any, labels: Any) -> tuple[Any, Any, int]:
    """Rows with a label (`likeness.data.has_label`), their labels, and the number of unlabeled rows; the input itself if all or none are labeled."""
    given = labels if isinstance(labels, pd.Series | pd.Index | list | tuple) else to_numpy(labels)
    if getattr(given, "ndim", 1) != 1 or len(given) != len(vectors):
        return vectors, labels, 0
    series = pd.Series(given, dtype=object if isinstance(given, list | tuple) else None)
    known = has_label(series)
    if known.all() or not known.any():
        return vectors, labels, 0
    rows = vectors[np.flatnonzero(known)] if is_torch(vectors) else np.asarray(vectors)[known]
    return rows, series[known].infer_objects().to_numpy(), int((~known).sum())


def chosen_metrics(include: MetricLike | Sequence[MetricLike] | None = None, *, words: bool = False) -> list[Metric]:
    """The named metrics, each once; None: those of `METRICS`. `words`: also allow metrics of a notion's aspects.

    InputError: an unknown name, one that needs label distances, no metric, or two functions of one name.
    """
    wanted: Sequence[MetricLike] = list(METRICS) if include is None else [include] if isinstance(include, str) or callable(include) else list(include)
    if not wanted:
        raise InputError(f"There is no metric to measure; choose from {', '.join(METRICS)}.")
    found: dict[str, Metric] = {}
    for each in dict.fromkeys(wanted):
        metric = find_metric(each) if isinstance(each, str) else own_metric(each)
        if metric.name in found:
            raise InputError(f"Two metrics are called '{metric.name}'; rename your function.")
        if metric.kind == "words" and not words:
            raise InputError(f"The metric '{metric.name}' needs a notion's aspects; use `likeness.studies.compare` or `likeness evaluate`.")
        if metric.compute is None and metric.kind != "words":
            raise InputError(f"The metric '{metric.name}' needs distances between labels; use `likeness.evaluation.continuous_metrics`.")
        found[metric.name] = metric
    return list(found.values())


def measure(vectors: Any, labels: Any, chosen: Sequence[Metric], distance: str = "cosine", seed: int = 0) -> dict[str, float]:
    """The values of these metrics, except those of words; metrics with the same function are computed in one call."""
    found: dict[str, float] = {}
    for compute in dict.fromkeys(metric.compute for metric in chosen):
        if compute is not None:
            found |= compute(vectors, labels, [metric.name for metric in chosen if metric.compute is compute], distance, seed)
    return {metric.name: float(found[metric.name]) for metric in chosen if metric.compute is not None}
