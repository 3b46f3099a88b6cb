"""Checking embeddings and labels, and bringing them into the one form that the ranking works on."""

from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.search import as_numpy, unit_rows

Metric = Literal["cosine", "euclidean"]


def checked_metric(metric: str) -> None:
    """Raises InputError on a metric that is not one."""
    if metric not in get_args(Metric):
        raise InputError(f"The metric '{metric}' is unknown; choose 'cosine' or 'euclidean'.")


def comparable(queries: NDArray[np.float32], gallery: NDArray[np.float32], metric: Metric) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Queries (q, e) and gallery (n, e) whose products order the gallery as `metric` does, largest first.

    Euclidean: -|x - y|^2 / 2 = x.y - |y|^2 / 2 - |x|^2 / 2, and the last term is the same for the whole gallery; so one further column
    does it. The gallery's mean is subtracted first, since a large common offset would eat float32's digits.
    """
    checked_metric(metric)
    if metric == "cosine":
        same = queries is gallery
        gallery = unit_rows(gallery, "The embeddings")
        return gallery if same else unit_rows(queries, "The query embeddings"), gallery
    centre = gallery.mean(axis=0, dtype=np.float64)
    queries, gallery = (queries - centre).astype(np.float32), (gallery - centre).astype(np.float32)
    half = np.einsum("ij,ij->i", gallery, gallery, dtype=np.float64) / 2
    ones = np.ones((len(queries), 1), np.float32)
    return np.hstack([queries, ones]), np.hstack([gallery, -half[:, None]]).astype(np.float32)


def _label_series(labels: Any, count: int, name: str) -> "pd.Series[Any]":
    if not isinstance(labels, pd.Series | pd.Index | list | tuple):
        labels = as_numpy(labels)
    if len(labels) != count or getattr(labels, "ndim", 1) != 1:
        size = getattr(labels, "shape", len(labels))
        raise InputError(f"{name} has size {size} but must hold one label for each of the {count} embeddings; pass a flat list.")
    # dtype object keeps a list such as [1, "a"] or of tuples as it is.
    series = pd.Series(labels, dtype=object if isinstance(labels, list | tuple) else None).reset_index(drop=True)
    missing = np.flatnonzero(series.isna().to_numpy())
    if len(missing):
        raise InputError(f"{name} row {missing[0]} has no label; drop the rows without one.")
    return series


def label_codes(labels: Any, count: int, name: str) -> NDArray[np.intp]:
    """Numbers from 0, in order of first appearance, for labels of any hashable kind (count,); errors as in `class_codes`."""
    return pd.factorize(_label_series(labels, count, name))[0].astype(np.intp)


def class_codes(labels: Any, count: int, query_labels: Any, query_count: int) -> tuple[NDArray[np.intp], NDArray[np.intp], list[Any]]:
    """Class numbers of the gallery (count,) and of the queries (query_count,), and the label of each class.

    Labels may be of any hashable kind; `query_labels` None means the gallery's own. Equal labels of both sides get the same number.

    Raises:
        InputError: if the lengths do not fit, or a label is missing.
    """
    series = _label_series(labels, count, "labels")
    if query_labels is not None:
        series = pd.concat([series, _label_series(query_labels, query_count, "query_labels")], ignore_index=True)
    codes, classes = pd.factorize(series)
    codes = codes.astype(np.intp)
    return codes[:count], codes[:count] if query_labels is None else codes[count:], list(classes)
