"""Exact retrieval metrics in bounded memory."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import checked_rows, device_of, to_numpy
from likeness.errors import InputError
from likeness.evaluation._inputs import DistanceMetric, class_codes, scaling_for, taken
from likeness.evaluation._ranks import Ranks, relevant_ranks
from likeness.evaluation._scores import RankedHits, scores_at


def retrieval_metrics(
    embeddings: Any,
    labels: Any,
    ks: Sequence[int] = (1, 2, 4, 8),
    query_embeddings: Any = None,
    query_labels: Any = None,
    *,
    cameras: Any = None,
    query_cameras: Any = None,
    rows: Any = None,
    metric: DistanceMetric = "cosine",
    only: Collection[str] | None = None,
) -> dict[str, float]:
    """Retrieval metrics by label: means over all queries of the scores of `retrieval_scores`.

    InputError: embeddings that are empty, not finite or (cosine) have a row of zeros; labels that do not fit; no labeled row in the gallery or among
    the queries; an unknown score; no room for scratch files.

    Args:
        embeddings: the gallery (n, d), NumPy or torch. A tensor on a GPU is ranked there, if there are more than a million products, with the same
            result.
        labels: label of each gallery row (n,), of any hashable type. Unlabeled rows (`likeness.data.has_label`) are neither queries nor in the
            gallery.
        ks: cut-offs of recall.
        query_embeddings: queries (q, d) that are not in the gallery; None: every gallery row is a query and does not find itself.
        query_labels: label of each query (q,); required with `query_embeddings`.
        cameras, query_cameras: of each gallery row (n,) and query (q,). A query does not rank gallery rows of its own label and camera, as in
            re-identification (Zheng et al., ICCV 2015); rows without camera are all ranked.
        rows: numbers or mask of the queries to evaluate; the gallery stays whole. None: all.
        metric: "cosine", or "euclidean" distance between the rows as they are. Equivalent for unit rows. Or a ranking of the labeled rows, such as
            "k-reciprocal" (`likeness.search.find_ranking`).
        only: names of the scores to compute; None: all.

    Returns:
        precision_at_1, r_precision, map_at_r, map, mrr, map_at_1000 and recall_at_{k} for each k, in [0, 1]. The first five are means over the
        queries with a relevant item, NaN if there are none; the others count queries without one as 0. With a single class all are 1, except
        map_at_1000.

    Memory is bounded: float32 embeddings may be memory-mapped and are read in parts. Scaled rows beyond 300 MB go to a temporary file (in TMPDIR), 4
    bytes per value. A query takes about a hundred bytes for its scores, a block of queries 0.3 GB; on a GPU a block takes 1 GB
    (`_device.MOST_BYTES`), and embeddings up to as much again.

    The first five equal AccuracyCalculator of pytorch-metric-learning with k=None.

    Example:
        >>> retrieval_metrics([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]], ["car", "car", "van", "van"])["map_at_r"]
        1.0
    """
    options: dict[str, Any] = {"rows": rows, "metric": metric, "only": only}
    scores = retrieval_scores(embeddings, labels, ks, query_embeddings, query_labels, cameras=cameras, query_cameras=query_cameras, **options)
    return {str(name): float(value) for name, value in scores.drop(columns="label").mean().items()}


def retrieval_scores(
    embeddings: Any,
    labels: Any,
    ks: Sequence[int] = (1, 2, 4, 8),
    query_embeddings: Any = None,
    query_labels: Any = None,
    *,
    cameras: Any = None,
    query_cameras: Any = None,
    rows: Any = None,
    metric: DistanceMetric = "cosine",
    only: Collection[str] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> pd.DataFrame:
    """The scores of each query. Arguments and errors as in `retrieval_metrics`, and an InputError if `should_stop`, checked between blocks of
    queries, is true.

    With R relevant gallery items (same label, not the query itself), P(i) = share of relevant items among the i nearest and rel(i) = 1 if the i-th
    nearest is relevant:

    * precision_at_1: rel(1).
    * r_precision: P(R).
    * map_at_r: 1/R sum over i <= R of P(i) rel(i) (Musgrave et al., A Metric Learning Reality Check, ECCV 2020, Eq. 2).
    * map: the same sum over the whole gallery, divided by R.
    * mrr: 1 / rank of the first relevant item.
    * map_at_1000: the sum over i <= 1000, divided by the size of the class in the gallery, the query INCLUDED if it is there: the definition of the
      language guidance paper's code (Roth et al., CVPR 2022). A perfect ranking of n_c images gives (n_c - 1) / n_c.
    * recall_at_{k}: 1 if a relevant item is among the k nearest (Recall@k of Jegou et al.).

    Returns:
        One row per query with a label, indexed by its row number, with the column `label` and one per score. If R = 0 the first five are NaN, the
        others 0. Means over the rows of a label are the metrics of its class.

        A similarity is the dot product of the two scaled float32 rows, rounded once to float32; ties, as between identical rows, are ranked by
        gallery row number. Ranks do not depend on block sizes or devices.
    """
    functions = _checked_scores(only, _checked_cutoffs(ks))
    if (query_embeddings is None) != (query_labels is None):
        raise InputError("Pass both query_embeddings and query_labels, or neither.")
    gallery = checked_rows(embeddings, "The embeddings")
    queries = gallery if query_embeddings is None else checked_rows(query_embeddings, "The query embeddings")
    if queries.shape[1] != gallery.shape[1]:
        raise InputError(f"The query embeddings have {queries.shape[1]} dimensions, the embeddings {gallery.shape[1]}; encode both in one space.")
    gallery_codes, query_codes, classes = class_codes(labels, len(gallery), query_labels, len(queries))
    seen, query_seen = _with_cameras(gallery_codes, cameras, None if query_labels is None else query_codes, query_cameras)
    numbers = np.flatnonzero(query_codes >= 0)  # their row numbers, which become the index of the scores
    chosen_queries = _chosen_queries(rows, query_codes)
    kept = np.flatnonzero(gallery_codes >= 0)
    gallery, gallery_codes, seen = taken(gallery, kept), gallery_codes[kept], seen[kept]
    queries = gallery if query_embeddings is None else taken(queries, numbers)
    query_codes, query_seen = query_codes[numbers], query_seen[numbers]
    scaling = scaling_for(gallery, queries, metric)
    own = chosen_queries if query_embeddings is None else None
    codes = query_codes[chosen_queries]
    sizes = np.bincount(gallery_codes, minlength=len(classes))[codes]
    options: dict[str, Any] = {"rows": None if rows is None else chosen_queries, "scaling": scaling, "device": device_of(embeddings)}
    chunks = relevant_ranks(queries, codes, gallery, gallery_codes, own, **options)
    if cameras is not None:
        chunks, sizes = _without_own_camera(chunks, relevant_ranks(queries, query_seen[chosen_queries], gallery, seen, own, **options), sizes)
    columns: dict[str, NDArray[np.float64]] = {name: np.empty(len(chosen_queries)) for name in functions}
    done = 0
    for chunk in chunks:
        hits = RankedHits(chunk.ranks, chunk.offsets, sizes[chunk.queries])
        for name, compute in functions.items():
            columns[name][chunk.queries] = compute(hits)
        done += len(chunk.queries)
        if should_stop and done < len(chosen_queries) and should_stop():
            raise InputError(f"Stopped after {done:,} of {len(chosen_queries):,} queries; measure again to get the scores.")
    index = numbers[chosen_queries]
    label = pd.Series(pd.Index(classes, tupleize_cols=False).take(codes), index=index)
    return pd.DataFrame({"label": label, **{name: pd.Series(values, index=index) for name, values in columns.items()}})


def _with_cameras(
    codes: NDArray[np.intp], cameras: Any, query_codes: NDArray[np.intp] | None, query_cameras: Any
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Codes of label and camera together of the gallery and the queries; one of its own for each row without camera."""
    if cameras is None:
        return codes, codes if query_codes is None else query_codes
    if (query_codes is None) != (query_cameras is None):
        raise InputError("Pass query_cameras with queries, and only with them.")
    count = 0 if query_codes is None else len(query_codes)
    held, asking, names = class_codes(cameras, len(codes), query_cameras, count, "cameras")
    single = (codes.max() + 1) * len(names) + np.arange(len(codes) + count)
    found = np.where(held < 0, single[: len(codes)], codes * len(names) + held)
    return found, found if query_codes is None else np.where(asking < 0, single[len(codes) :], query_codes * len(names) + asking)


def _without_own_camera(chunks: Iterator[Ranks], own: Iterator[Ranks], sizes: NDArray[np.intp]) -> tuple[Iterator[Ranks], NDArray[np.intp]]:
    """Ranks without those of the rows of the query's own camera, and how many rows of its class are left."""
    left_out = {int(query): ranks for chunk in own for query, ranks in zip(chunk.queries, _of_each(chunk), strict=True)}

    def left(chunk: Ranks) -> Ranks:
        pairs = [(ranks, left_out[int(query)]) for query, ranks in zip(chunk.queries, _of_each(chunk), strict=True)]
        ranked = [np.setdiff1d(ranks, others) for ranks, others in pairs]
        places = [ranks - np.searchsorted(others, ranks) for ranks, (_, others) in zip(ranked, pairs, strict=True)]
        return Ranks(chunk.queries, np.concatenate(places), np.concatenate([[0], np.cumsum([len(each) for each in places])]))

    return map(left, chunks), sizes - np.array([len(left_out[query]) for query in range(len(sizes))])


def _of_each(chunk: Ranks) -> list[NDArray[np.int64]]:
    return np.split(chunk.ranks, chunk.offsets[1:-1])


def _chosen_queries(rows: Any, codes: NDArray[np.intp]) -> NDArray[np.int64]:
    """The selected queries, as positions among those with a label."""
    chosen = _checked_selection(rows, len(codes))
    chosen = chosen[codes[chosen] >= 0]
    if not len(chosen):
        raise InputError("None of the selected queries has a label; choose other rows.")
    return np.asarray((np.cumsum(codes >= 0) - 1)[chosen], dtype=np.int64)


def _checked_cutoffs(ks: Iterable[int]) -> list[int]:
    cutoffs = [int(k) for k in ks]
    if any(k < 1 for k in cutoffs):
        raise InputError(f"The cut-offs ks are {cutoffs}, but each must be at least 1; remove the others.")
    return cutoffs


def _checked_selection(rows: Any, count: int) -> NDArray[np.int64]:
    if rows is None:
        return np.arange(count)
    chosen = to_numpy(rows)
    if chosen.dtype == bool and chosen.shape == (count,):
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or len(chosen) == 0 or chosen.min() < 0 or chosen.max() >= count:
        raise InputError(f"rows must select at least one query, by numbers from 0 to {count - 1} or a mask of {count}; got {rows!r:.80}.")
    return chosen.astype(np.int64)


def _checked_scores(only: Collection[str] | None, ks: list[int]) -> dict[str, Callable[[RankedHits], NDArray[np.float64]]]:
    functions = scores_at(ks)
    unknown = [name for name in only or () if name not in functions]
    if unknown:
        raise InputError(f"There is no score '{unknown[0]}'; choose from {', '.join(functions)}, and pass the cut-offs of recall as ks.")
    return {name: compute for name, compute in functions.items() if only is None or name in only}
