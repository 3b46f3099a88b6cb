"""The rank of every relevant gallery item of every query, exactly, without ever holding all similarities at once.

All retrieval metrics follow from these ranks. The gallery is laid out class by class, so that the relevant columns of a query are one
slice; similarities are computed for a chunk of queries at a time and dropped.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

# What a chunk of queries may take: 4 bytes per gallery row, and some 48 per relevant item while it is scored. Products of fewer than some
# 500 queries are slower each; with more than 1,000 they gain little and their results leave the processor's cache before they are read.
CHUNK_BYTES = 128_000_000
BYTES_PER_RELEVANT = 48
MOST_QUERIES = 1024
# Below this many similarities sorting takes a tenth of a second, less than it takes to import numba.
SORTED_BELOW = 3_000**2

Engine = Literal["auto", "sort", "count"]


@dataclass(frozen=True)
class Ranks:
    """Ranks of the relevant items of a chunk of queries.

    Attributes:
        queries: query numbers (b,).
        ranks: ranks from 1, ascending within a query, one query after the other (sum of relevant items,).
        offsets: where each query's ranks begin and end (b + 1,).
    """

    queries: NDArray[np.int64]
    ranks: NDArray[np.int64]
    offsets: NDArray[np.int64]


@dataclass(frozen=True)
class _Chunk:
    """A chunk's similarities (b, n) over the gallery laid out by class, with each query's relevant columns first to last - 1."""

    similarities: NDArray[np.float32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    relevant: NDArray[np.float32]
    offsets: NDArray[np.int64]


def relevant_ranks(
    queries: NDArray[np.float32],
    query_codes: NDArray[np.intp],
    gallery: NDArray[np.float32],
    gallery_codes: NDArray[np.intp],
    own: NDArray[np.int64] | None = None,
    engine: Engine = "auto",
) -> Iterator[Ranks]:
    """Yields the ranks chunk by chunk; together the chunks hold every query once, in no particular order.

    Similarity is the product of rows; equal similarities are ranked by gallery row number.

    Args:
        queries: (q, d).
        query_codes: class number of each query (q,).
        gallery: (n, d).
        gallery_codes: class number of each gallery row (n,).
        own: gallery row that is the query itself and does not count (q,); None where queries are not in the gallery.
        engine: "sort" (NumPy) or "count" (compiled); "auto" takes the faster. Both give the same ranks.
    """
    order = np.argsort(gallery_codes, kind="stable")
    column_of = np.empty(len(order), np.int64)
    column_of[order] = np.arange(len(order))
    laid_out = gallery[order].T
    sizes = np.bincount(gallery_codes, minlength=int(query_codes.max()) + 1)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    asked = np.argsort(query_codes, kind="stable")
    size = max(1, min(MOST_QUERIES, CHUNK_BYTES // (4 * len(gallery) + BYTES_PER_RELEVANT * int(sizes.max()))))
    buffer = np.empty((min(size, len(queries)), len(gallery)), np.float32)
    counting = engine == "count" or (engine == "auto" and len(queries) * len(gallery) > SORTED_BELOW)
    threads = _threads()
    with ThreadPoolExecutor(threads) as pool:
        for begin in range(0, len(asked), size):
            numbers = asked[begin : begin + size]
            similarities = np.matmul(queries[numbers], laid_out, out=buffer[: len(numbers)])
            if own is not None:
                similarities[np.arange(len(numbers)), column_of[own[numbers]]] = -np.inf
            codes = query_codes[numbers]
            chunk = _chunk(similarities, starts[codes], starts[codes + 1], excludes_self=own is not None)
            if counting:
                from likeness.evaluation._counting import ranks_by_counting

                ranks = ranks_by_counting(chunk.similarities, chunk.first, chunk.last, order, chunk.relevant, chunk.offsets, pool, threads)
            else:
                ranks = ranks_by_sorting(chunk, order)
            yield Ranks(numbers, ranks, chunk.offsets)


def _threads() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _chunk(similarities: NDArray[np.float32], first: NDArray[np.int64], last: NDArray[np.int64], excludes_self: bool) -> _Chunk:
    """Adds the relevant similarities, largest first within each query. A query itself, at -infinity, comes last and is cut off."""
    counts = last - first - excludes_self
    offsets = np.concatenate([[0], np.cumsum(counts)])
    relevant = np.empty(offsets[-1], np.float32)
    changes = np.flatnonzero(np.diff(first)) + 1
    for begin, end in zip([0, *changes], [*changes, len(first)], strict=True):
        block = np.sort(similarities[begin:end, first[begin] : last[begin]], axis=1)[:, ::-1]
        relevant[offsets[begin] : offsets[end]] = block[:, : counts[begin]].ravel()
    return _Chunk(similarities, first, last, relevant, offsets)


def ranks_by_sorting(chunk: _Chunk, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ranks of `chunk.relevant`, from 1: sorts each row and looks the relevant similarities up in it."""
    ranks = np.empty(len(chunk.relevant), np.int64)
    columns = chunk.similarities.shape[1]
    rows = np.sort(chunk.similarities, axis=1)
    tied = (rows[:, 1:] == rows[:, :-1]).any(axis=1)
    for query, row in enumerate(rows):
        mine = slice(chunk.offsets[query], chunk.offsets[query + 1])
        if tied[query]:
            ranks[mine] = _ranks_with_ties(chunk, query, order)
        else:
            ranks[mine] = columns + 1 - np.searchsorted(row, chunk.relevant[mine], side="right")
    return ranks


def _ranks_with_ties(chunk: _Chunk, query: int, order: NDArray[np.int64]) -> NDArray[np.int64]:
    place = np.empty(len(order), np.int64)
    place[np.lexsort((order, -chunk.similarities[query]))] = np.arange(1, len(order) + 1)
    ranks = np.sort(place[chunk.first[query] : chunk.last[query]])
    return ranks[: chunk.offsets[query + 1] - chunk.offsets[query]]
