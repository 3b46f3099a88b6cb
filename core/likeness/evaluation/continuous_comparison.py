"""Several spaces judged by continuous labels between their oracle_and_chance: every image asks all others."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.evaluation.continuous import DISTANCE_KS, NDCG_KS, chance_metrics, continuous_metrics, oracle_metrics
from likeness.progress import Progress

if TYPE_CHECKING:
    from likeness.labels import LabelDistances

MOST_QUERIES = 2_000
FEWEST_LABELED = DISTANCE_KS[-1] + 1  # images
_ENTRIES = 1_000_000  # label distances at once


def continuous_comparison(
    spaces: Mapping[str, NDArray[Any]],
    labels: "LabelDistances",
    rows: NDArray[np.int64] | None = None,
    *,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> pd.DataFrame | None:
    """A line per space: `row` its name, mean_label_distance_at_1 to 10, ndcg_at_10 to 100, and of the bounds the same with oracle_ and chance_.

    Args:
        spaces: embeddings (m, d) by name; row i belongs to image `rows[i]`.
        labels: label distances.
        rows: (m,) of the images that take part, in `labels`; None: all.
        progress: called with (queries done, queries). Of more than 2,000 images so many, evenly spread, ask.
        should_stop: asked between blocks of queries; once true, the result is None.

    Raises:
        InputError: fewer than 11 images, or embeddings that do not fit.
    """
    places = np.arange(len(labels)) if rows is None else np.asarray(rows)
    if len(places) < FEWEST_LABELED:
        raise InputError(f"{len(places):,} images with a label are too few to measure retrieval; give at least {FEWEST_LABELED}.")
    queries, found = spread_queries(len(places)), list[pd.DataFrame]()
    size = max(1, _ENTRIES // len(places))
    for start in range(0, len(queries), size):
        if progress:
            progress(start, len(queries))
        if should_stop and should_stop():
            return None
        block = queries[start : start + size]
        distance = labels.between(places[block], places)
        # every metric is a mean over queries
        found.append(len(block) / len(queries) * _lines(spaces, distance, block))
    if progress:
        progress(len(queries), len(queries))
    total: pd.DataFrame = sum(found[1:], found[0])
    return total.rename_axis("row").reset_index()


def spread_queries(images: int) -> NDArray[np.int64]:
    """Places of those of so many images that ask: all, or 2,000 at equal distances."""
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
    """The metrics of a retrieval by the labels themselves ("oracle_..."; its nDCG is 1) and of one by chance ("chance_...").

    Args:
        distance: (q, n) label distances.
        distances, ndcg: at which k.
        exclude: as for `continuous_metrics`.
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
    """As `continuous_metrics` names them."""
    return [*(f"mean_label_distance_at_{k}" for k in distances), *(f"ndcg_at_{k}" for k in ndcg)]
