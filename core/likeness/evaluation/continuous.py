"""Retrieval metrics on continuous labels: mean label distance at k and the modified nDCG (Kim et al., CVPR 2019, section 4.1)."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import row_slices, to_numpy
from likeness.errors import InputError
from likeness.progress import Progress, report_progress
from likeness.search import checked_exclude

if TYPE_CHECKING:
    from likeness.labels import LabelDistances

DISTANCE_KS, NDCG_KS = tuple(range(1, 11)), tuple(range(10, 101, 10))
_ENTRIES = 8_000_000
MOST_QUERIES = 2_000  # queries of a comparison
FEWEST_LABELED = DISTANCE_KS[-1] + 1  # images
_DISTANCES = 1_000_000  # label distances at once


def continuous_metrics(
    label_distances: Any,
    query_embeddings: Any,
    gallery_embeddings: Any,
    ks: Sequence[int] = (1, 5, 10, 50, 100),
    *,
    relevance_distances: Any = None,
    scale: float = 1.0,
    exclude: Any = None,
) -> dict[str, float]:
    """Label distances of the images that an embedding retrieves by Euclidean distance.

    mean_label_distance_at_k is the mean label distance of the k nearest gallery images, averaged over queries; smaller is better. ndcg_at_k is Eq.
    12: the sum over ranks i of 2^(r_i) / log2(i + 1), divided by that of the k images with the smallest label distances. The relevance is r_i =
    -log2(y + 1), so 2^(r_i) = 1 / (1 + y) for a label distance y; 1 is best. InputError: shapes that do not fit, a k below 1 or beyond the gallery,
    distances that are negative or not finite.

    Args:
        label_distances: (q, n), from queries to gallery images, not squared.
        query_embeddings, gallery_embeddings: (q, d) and (n, d). Ties are ranked in order of the gallery.
        ks: numbers of retrieved images, at most n.
        relevance_distances: (q, n), other distances for nDCG. Eq. 12 writes the Euclidean norm |y_q - y_i|, which for poses is not their label
            distance, a sum over joints; the default is the label distance, as in the authors' code.
        scale: factor on mean label distances. The authors' code has 224 / 288 for MPII poses, annotated in frames of 288 pixels and cropped to 224.
        exclude: (q,) one gallery row per query that must not be retrieved, such as the query itself; -1 for none.
    """
    found = continuous_query_metrics(
        label_distances, query_embeddings, gallery_embeddings, ks, relevance_distances=relevance_distances, scale=scale, exclude=exclude
    )
    return {str(name): float(np.mean(values)) for name, values in found.items()}


def continuous_query_metrics(
    label_distances: Any,
    query_embeddings: Any,
    gallery_embeddings: Any,
    ks: Sequence[int] = (1, 5, 10, 50, 100),
    *,
    relevance_distances: Any = None,
    scale: float = 1.0,
    exclude: Any = None,
) -> pd.DataFrame:
    """The metrics of each query (q rows), of which `continuous_metrics` are the means; arguments and errors as there."""
    distance, queries, gallery = _checked(label_distances, query_embeddings, gallery_embeddings)
    relevant = distance if relevance_distances is None else _checked(relevance_distances, queries, gallery)[0]
    _, hidden, most = _checked_cutoffs(distance, ks, exclude)
    retrieved = retrieve(queries, gallery, most, hidden)
    return pd.DataFrame(_metrics(distance, relevant, retrieved, sorted(set(ks)), scale, hidden))


def oracle_metrics(label_distances: Any, ks: Sequence[int] = (1, 5, 10, 50, 100), *, exclude: Any = None) -> dict[str, float]:
    """Metrics of retrieval by the labels themselves, the bound of any embedding: the smallest mean label distances, and nDCG 1.

    Arguments and errors as for `continuous_metrics`.
    """
    distance, hidden, most = _checked_cutoffs(_checked_distances(label_distances), ks, exclude)
    found = _metrics(distance, distance, _smallest(_without(distance, hidden), most), sorted(set(ks)), 1.0, hidden)
    return {name: float(values.mean()) for name, values in found.items()}


def chance_metrics(label_distances: Any, ks: Sequence[int] = (1, 5, 10, 50, 100), *, exclude: Any = None) -> dict[str, float]:
    """Expected metrics of random retrieval, exact: each rank has the mean distance and the mean relevance of the gallery.

    Arguments and errors as for `continuous_metrics`.
    """
    distance, hidden, most = _checked_cutoffs(_checked_distances(label_distances), ks, exclude)
    shown = _without(distance, hidden)
    count = np.isfinite(shown).sum(axis=1)
    mean_distance = float((np.where(np.isfinite(shown), shown, 0).sum(axis=1) / count).mean())
    relevance = (1 / (1 + shown)).sum(axis=1, keepdims=True) / count[:, None]
    discounts = 1 / np.log2(np.arange(2, most + 2))
    best = np.cumsum(discounts / (1 + np.take_along_axis(distance, _smallest(shown, most), axis=1)), axis=1)
    ndcg = (relevance * np.cumsum(discounts) / best).mean(axis=0)
    chosen = sorted(set(ks))
    return {f"mean_label_distance_at_{k}": mean_distance for k in chosen} | {f"ndcg_at_{k}": float(ndcg[k - 1]) for k in chosen}


def retrieve(queries: NDArray[Any], gallery: NDArray[Any], k: int, exclude: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """The k gallery rows (q, k) with the smallest Euclidean distance to each query, nearest first, ties in order of rows; a memory-mapped gallery is
    read in parts.
    """
    # |x - y|^2 without |x|^2, which does not change the order of y;
    # of centered rows in float64, so that the order does not depend on the origin
    center = gallery.mean(axis=0, dtype=np.float64)
    rows, found, nearest = queries.astype(np.float64) - center, np.empty((len(queries), 0), np.int64), np.empty((len(queries), 0))
    for part in row_slices(*gallery.shape):
        columns = gallery[part].astype(np.float64) - center
        lengths, few = np.einsum("ij,ij->i", columns, columns), min(k, len(columns))
        near, distances = np.empty((len(rows), few), np.int64), np.empty((len(rows), few))
        size = max(1, _ENTRIES // len(columns))
        for start in range(0, len(rows), size):
            chunk = slice(start, start + size)
            distance = _without(lengths - 2 * rows[chunk] @ columns.T, None if exclude is None else exclude[chunk] - part.start)
            near[chunk] = _smallest(distance, few)
            distances[chunk] = np.take_along_axis(distance, near[chunk], axis=1)
        found, nearest = np.hstack([found, near + part.start]), np.hstack([nearest, distances])
        # stable: among equals, earlier parts come first
        order = _smallest(nearest, min(k, nearest.shape[1]))
        found, nearest = np.take_along_axis(found, order, axis=1), np.take_along_axis(nearest, order, axis=1)
    return found


def _metrics(
    distance: NDArray[Any], relevant: NDArray[Any], retrieved: NDArray[np.int64], ks: Sequence[int], scale: float, hidden: NDArray[np.int64] | None
) -> dict[str, NDArray[np.float64]]:
    """Each metric of each query (q,)."""
    distances = np.take_along_axis(distance, retrieved, axis=1)
    ideal = np.take_along_axis(relevant, _smallest(_without(relevant, hidden), retrieved.shape[1]), axis=1)
    discounts = 1 / np.log2(np.arange(2, retrieved.shape[1] + 2))
    # the gain 2^r with r = -log2(y + 1) is 1 / (1 + y)
    gains, best = (np.cumsum(discounts / (1 + each), axis=1) for each in (np.take_along_axis(relevant, retrieved, axis=1), ideal))
    sums = np.cumsum(distances, axis=1)
    means = {f"mean_label_distance_at_{k}": sums[:, k - 1] / k * scale for k in ks}
    return means | {f"ndcg_at_{k}": gains[:, k - 1] / best[:, k - 1] for k in ks}


def _smallest(values: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Columns of the k smallest values of each row, ascending, ties by column."""
    # both stable, so that the results agree; partitioning first is faster for small k only
    if k >= values.shape[1] // 4:
        return np.argsort(values, axis=1, kind="stable")[:, :k]
    limit = np.partition(values, k - 1, axis=1)[:, k - 1, None]
    return np.argsort(np.where(values <= limit, values, np.inf), axis=1, kind="stable")[:, :k]


def _without(values: NDArray[Any], exclude: NDArray[np.int64] | None) -> NDArray[Any]:
    if exclude is None:
        return values
    values, rows = values.astype(np.float64), np.flatnonzero((exclude >= 0) & (exclude < values.shape[1]))
    values[rows, exclude[rows]] = np.inf
    return values


def _checked(label_distances: Any, query_embeddings: Any, gallery_embeddings: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    distance = _checked_distances(label_distances)
    queries, gallery = to_numpy(query_embeddings), to_numpy(gallery_embeddings)
    if queries.ndim != 2 or gallery.ndim != 2 or queries.shape[1] != gallery.shape[1]:
        raise InputError(f"The queries have shape {queries.shape}, the gallery {gallery.shape}; pass rows of the same space, (q, d) and (n, d).")
    if distance.shape != (len(queries), len(gallery)):
        raise InputError(f"Label distances of shape {distance.shape} do not fit {len(queries)} queries and {len(gallery)} images; pass (q, n).")
    for name, rows in (("query", queries), ("gallery", gallery)):
        for part in row_slices(*rows.shape):
            broken = np.flatnonzero(~np.isfinite(rows[part]).all(axis=1))
            if broken.size:
                raise InputError(f"The embedding of {name} image {part.start + int(broken[0])} is not finite; embed it again.")
    return distance, queries, gallery


def _checked_distances(label_distances: Any) -> NDArray[Any]:
    distance = to_numpy(label_distances)
    if distance.ndim != 2 or not distance.size:
        raise InputError(f"The label distances have shape {distance.shape}; pass those from queries to gallery images, (q, n).")
    distance = distance.astype(np.float64)
    wrong = np.argwhere(~((distance >= 0) & np.isfinite(distance)))
    if wrong.size:
        row, column = wrong[0]
        raise InputError(f"The label distance of query {row} and gallery image {column} is {distance[row, column]:g}; pass finite ones, 0 or more.")
    return distance


def _checked_cutoffs(distance: NDArray[Any], ks: Sequence[int], exclude: Any) -> tuple[NDArray[Any], NDArray[np.int64] | None, int]:
    """The distances, the gallery row that each query excludes, and the largest number of retrieved images."""
    hidden = None if exclude is None else checked_exclude(exclude, *distance.shape)
    gallery = distance.shape[1] - (hidden is not None)
    if not len(ks) or min(ks) < 1 or max(ks) > gallery:
        raise InputError(f"ks are {list(ks)}, but {gallery} images can be retrieved; choose whole numbers from 1 to {gallery}.")
    return distance, hidden, int(max(ks))


def with_bounds(found: pd.DataFrame) -> pd.DataFrame:
    """The main figures of `continuous_comparison`, a row per space by its name, then "chance" and "oracle".

    Columns: mean_label_distance_at_1 and _10, ndcg_at_10 and the one at the largest k, up to 100.
    """
    most = max((int(name.rpartition("_")[2]) for name in map(str, found) if name.startswith("ndcg_at_")), default=0)
    columns = ["mean_label_distance_at_1", "mean_label_distance_at_10", *(f"ndcg_at_{k}" for k in sorted({10, most}))]
    table, first = found.set_index("row")[[name for name in columns if name in found]].copy(), found.iloc[0]
    for name in table.columns:
        is_distance = name.startswith("mean")
        table.loc["chance", name] = first["chance_mean_label_distance" if is_distance else f"chance_{name}"]
        table.loc["oracle", name] = first[f"oracle_{name}"] if is_distance else 1.0
    return table


def continuous_comparison(
    spaces: Mapping[str, NDArray[Any]],
    labels: "LabelDistances",
    rows: NDArray[np.int64] | None = None,
    *,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> pd.DataFrame | None:
    """A row per space: `row` (its name), mean_label_distance_at_1 to 10, ndcg_at_10 to 100, and the same of the bounds, with the prefixes oracle_ and
    chance_. InputError: fewer than 11 images, or embeddings that do not fit.

    Args:
        spaces: embeddings (m, d) by name; row i belongs to image `rows[i]` of `labels`; None: to image i.
        progress: called with (queries done, queries). Queries are all images, or 2,000 evenly spaced ones of more.
        should_stop: checked between blocks of queries; if true, the result is None.
    """
    places = np.arange(len(labels)) if rows is None else np.asarray(rows)
    if len(places) < FEWEST_LABELED:
        raise InputError(f"{len(places):,} images with a label are too few to measure retrieval; pass at least {FEWEST_LABELED}.")
    queries, found = spread_queries(len(places)), list[pd.DataFrame]()
    size = max(1, _DISTANCES // len(places))
    for start in range(0, len(queries), size):
        report_progress(progress, start, len(queries))
        if should_stop and should_stop():
            return None
        block = queries[start : start + size]
        distance = labels.between(places[block], places)
        # every metric is a mean over queries, so blocks combine by their share of them
        found.append(len(block) / len(queries) * _lines(spaces, distance, block))
    report_progress(progress, len(queries), len(queries))
    total: pd.DataFrame = sum(found[1:], found[0])
    return total.rename_axis("row").reset_index()


def spread_queries(images: int) -> NDArray[np.int64]:
    """Row numbers of the queries among so many images: all, or 2,000 at equal intervals."""
    return np.unique(np.linspace(0, images - 1, min(images, MOST_QUERIES)).round().astype(np.int64))


def _lines(spaces: Mapping[str, NDArray[Any]], distance: NDArray[np.float32], block: NDArray[np.int64]) -> pd.DataFrame:
    ndcg = tuple(k for k in NDCG_KS if k < distance.shape[1])
    beside = oracle_and_chance(distance, DISTANCE_KS, ndcg, exclude=block)
    kept, lines = continuous_metric_names(DISTANCE_KS, ndcg), {}
    for name, vectors in spaces.items():
        measured = continuous_metrics(distance, vectors[block], vectors, (*DISTANCE_KS, *ndcg), exclude=block)
        lines[name] = {metric: measured[metric] for metric in kept} | beside
    return pd.DataFrame.from_dict(lines, orient="index")


def oracle_and_chance(
    distance: NDArray[np.float32], distances: Sequence[int], ndcg: Sequence[int], exclude: NDArray[np.int64] | None = None
) -> dict[str, float]:
    """Metrics of retrieval by the labels themselves ("oracle_...", without nDCG, which is 1) and of random retrieval ("chance_..."), at these k.

    `distance` (q, n) are label distances; `exclude` as for `continuous_metrics`.
    """
    oracle = oracle_metrics(distance, distances, exclude=exclude)
    chance = chance_metrics(distance, (*distances, *ndcg), exclude=exclude)
    found = {f"oracle_{name}": oracle[name] for name in continuous_metric_names(distances, ())}
    return (
        found
        | {"chance_mean_label_distance": chance[f"mean_label_distance_at_{distances[0]}"]}
        | {f"chance_{name}": chance[name] for name in continuous_metric_names((), ndcg)}
    )


def continuous_metric_names(distances: Sequence[int], ndcg: Sequence[int]) -> list[str]:
    """Names of the metrics of `continuous_metrics` at these k."""
    return [*(f"mean_label_distance_at_{k}" for k in distances), *(f"ndcg_at_{k}" for k in ndcg)]
