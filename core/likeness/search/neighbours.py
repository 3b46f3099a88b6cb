"""Nearest neighbours by cosine similarity, exact."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.search.vectors import as_numpy, checked_rows, unit_rows

CHUNK_BYTES = 32_000_000


@dataclass(frozen=True)
class Neighbours:
    """The nearest gallery rows of each query, most similar first.

    Attributes:
        rows: gallery row numbers (q, k).
        similarities: cosine similarities (q, k), descending.
    """

    rows: NDArray[np.int64]
    similarities: NDArray[np.float32]


def nearest(queries: Any, gallery: Any, k: int, exclude: Any = None) -> Neighbours:
    """The k gallery rows of the largest cosine similarity to each query; equal similarities in the order of gallery row number.

    Args:
        queries: (q, d), or one vector (d,).
        gallery: (n, d).
        k: how many. Where the gallery has fewer, all of them are returned: (q, n), or (q, n - 1) with `exclude`.
        exclude: one gallery row for each query that must not be returned (q,), such as the query itself; -1 for none.

    Raises:
        InputError: if the dimensions differ, k < 1, `exclude` does not fit, or a vector is not finite or all zeros.

    Memory beyond the result is bounded: similarities are computed for a chunk of queries at a time.
    """
    gallery_rows = unit_rows(checked_rows(gallery, "The gallery"), "The gallery")
    query_rows = gallery_rows if queries is gallery else unit_rows(checked_rows(np.atleast_2d(as_numpy(queries)), "The queries"), "The queries")
    if query_rows.shape[1] != gallery_rows.shape[1]:
        raise InputError(f"The queries have {query_rows.shape[1]} dimensions, the gallery {gallery_rows.shape[1]}; encode both in the same space.")
    if k < 1:
        raise InputError(f"k is {k}, but at least 1 neighbour must be asked for.")
    excluded = _checked_exclude(exclude, len(query_rows), len(gallery_rows))
    count = min(k, len(gallery_rows) - (excluded is not None))
    found = Neighbours(np.empty((len(query_rows), count), np.int64), np.empty((len(query_rows), count), np.float32))
    _in_threads(lambda begin, end: _fill(found, query_rows, gallery_rows, excluded, begin, end), len(query_rows), len(gallery_rows))
    return found


def _checked_exclude(exclude: Any, queries: int, gallery: int) -> NDArray[np.int64] | None:
    if exclude is None:
        return None
    rows = np.atleast_1d(as_numpy(exclude))
    if rows.shape != (queries,) or rows.dtype.kind not in "iu" or rows.min() < -1 or rows.max() >= gallery:
        raise InputError(f"exclude must hold one gallery row, -1 to {gallery - 1}, for each of the {queries} queries; got shape {rows.shape}, {rows.dtype}.")
    return rows.astype(np.int64)


def _in_threads(work: Callable[[int, int], None], queries: int, gallery: int) -> None:
    """Runs work(begin, end) over chunks of queries; selection in one thread overlaps with the products of another."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    size = max(1, CHUNK_BYTES // (4 * gallery) // threads)
    if queries <= size:
        return work(0, queries)
    with ThreadPoolExecutor(threads) as pool:
        for part in [pool.submit(work, begin, min(begin + size, queries)) for begin in range(0, queries, size)]:
            part.result()
    return None


def _fill(
    found: Neighbours, queries: NDArray[np.float32], gallery: NDArray[np.float32], excluded: NDArray[np.int64] | None, begin: int, end: int
) -> None:
    similarities = queries[begin:end] @ gallery.T
    if excluded is not None:
        hidden = np.flatnonzero(excluded[begin:end] >= 0)
        similarities[hidden, excluded[begin:end][hidden]] = -np.inf
    rows = _largest(similarities, found.rows.shape[1])
    found.rows[begin:end] = rows
    found.similarities[begin:end] = np.take_along_axis(similarities, rows, axis=1)


def _largest(similarities: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Columns of the k largest of each row (b, k), largest first, equal ones by column."""
    columns = similarities.shape[1]
    if k == 0:
        return np.empty((len(similarities), 0), np.int64)
    if k == columns:
        return np.argsort(-similarities, axis=1, kind="stable")
    chosen = np.sort(np.argpartition(similarities, columns - k, axis=1)[:, columns - k :], axis=1)
    values = np.take_along_axis(similarities, chosen, axis=1)
    smallest = values.min(axis=1, keepdims=True)
    # Where more columns share the smallest chosen value than were chosen, which of them were chosen is chance: do those rows in full.
    split = (similarities == smallest).sum(axis=1) > (values == smallest).sum(axis=1)
    ordered = np.take_along_axis(chosen, np.argsort(-values, axis=1, kind="stable"), axis=1)
    ordered[split] = np.argsort(-similarities[split], axis=1, kind="stable")[:, :k]
    return ordered
