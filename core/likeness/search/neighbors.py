"""Nearest neighbors by cosine similarity, exact."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, to_numpy, unit_rows
from likeness.errors import InputError

CHUNK_BYTES, GALLERY_BYTES = 32_000_000, 64_000_000


@dataclass(frozen=True)
class Reach:
    """The searchable rows of q queries among n: the row excluded by each (q,), -1 for none; a mask (n,), None for all; and the number that every
    query can find, which an excluded row does not reduce if the mask hides it anyway.
    """

    excluded: NDArray[np.int64]
    allowed: NDArray[np.bool_] | None
    available: int

    def count(self, k: int) -> int:
        """k, or fewer if a query has fewer results; raises InputError if there are none."""
        if self.available < 1:
            raise InputError("No image is left to search; remove a filter.")
        return min(k, self.available)


def reach(n: int, queries: int, exclude: Any = None, allowed: Any = None) -> Reach:
    """The `Reach` of queries among n rows; raises InputError if `exclude` is not a row or -1 per query, or `allowed` is not a mask (n,)."""
    mask, excluded = checked_mask(allowed, n), checked_exclude(exclude, queries, n)
    left_out = excluded >= 0 if mask is None else (excluded >= 0) & mask[excluded]
    return Reach(excluded, mask, (n if mask is None else int(mask.sum())) - int(left_out.any()))


def checked_mask(allowed: Any, n: int) -> NDArray[np.bool_] | None:
    """The validated mask (n,) of searchable rows; raises InputError if it is invalid."""
    mask = None if allowed is None else to_numpy(allowed)
    if mask is not None and (mask.shape != (n,) or mask.dtype != bool):
        raise InputError(f"allowed must hold True or False for each of {n} rows; got shape {mask.shape}, {mask.dtype}.")
    return mask


def checked_exclude(exclude: Any, queries: int, n: int) -> NDArray[np.int64]:
    """The validated row that each query excludes (q,), -1 for none; raises InputError for rows out of range or another number of queries."""
    if exclude is None:
        return np.full(queries, -1)
    rows = np.atleast_1d(to_numpy(exclude))
    if rows.shape != (queries,) or rows.dtype.kind not in "iu" or rows.min() < -1 or rows.max() >= n:
        raise InputError(f"exclude must hold a row, -1 to {n - 1}, for each of the {queries} queries; got shape {rows.shape}, {rows.dtype}.")
    return rows.astype(np.int64)


@dataclass(frozen=True)
class Neighbors:
    """The nearest gallery rows of each query (q, k), most similar first, and their cosine similarities."""

    rows: NDArray[np.int64]
    similarities: NDArray[np.float32]


def nearest(queries: Any, gallery: Any, k: int, exclude: Any = None) -> Neighbors:
    """The k gallery rows of the largest cosine similarity to each query; equal similarities in the order of gallery row number.

    Args:
        queries: (q, d), or one vector (d,).
        gallery: (n, d).
        k: number of results; fewer for all queries if one has fewer: (q, n), or (q, n - 1) with excluded rows.
        exclude: one gallery row for each query that must not be returned (q,), such as the query itself; -1 for none.

    Raises:
        InputError: the dimensions differ, k < 1, `exclude` is invalid, or a vector is not finite or all zeros.

    Memory beyond the result is bounded, also for memory-mapped float32 vectors: about 64 MB of the gallery are scaled at a time, and similarities are
    computed for a chunk of queries.
    """
    gallery_rows = checked_rows(gallery, "The gallery")
    query_rows = gallery_rows if queries is gallery else checked_rows(np.atleast_2d(to_numpy(queries)), "The queries")
    if query_rows.shape[1] != gallery_rows.shape[1]:
        raise InputError(f"The queries have {query_rows.shape[1]} dimensions, the gallery {gallery_rows.shape[1]}; encode both in the same space.")
    if k < 1:
        raise InputError(f"k is {k}, but at least 1 neighbor must be asked for.")
    within = reach(len(gallery_rows), len(query_rows), exclude)
    return _search(query_rows, gallery_rows, min(k, within.available), within, unit_rows)


def scan(
    vectors: NDArray[np.float32], queries: NDArray[np.float32], k: int, *, exclude: Any = None, allowed: NDArray[np.bool_] | None = None
) -> Neighbors:
    """As `nearest`, for validated unit rows, such as those of a Space: they are read once, without a copy.

    Rows (n, d) may be memory-mapped; a row of zeros has similarity 0 to everything. `allowed` is a mask (n,) of the searchable rows; raises
    InputError if none is left.
    """
    within = reach(len(vectors), len(queries), exclude, allowed)
    return _search(queries, vectors, within.count(k), within, lambda rows, name, first: rows)


def _search(
    queries: NDArray[np.float32],
    gallery: NDArray[np.float32],
    count: int,
    within: Reach,
    scale: Callable[[NDArray[np.float32], str, int], NDArray[np.float32]],
) -> Neighbors:
    """The `count` best for each query, over chunks of gallery and queries; `scale` normalizes rows."""
    found = Neighbors(np.empty((len(queries), count), np.int64), np.empty((len(queries), count), np.float32))
    width = max(1, GALLERY_BYTES // (4 * gallery.shape[1]))
    for first in range(0, len(gallery), width):
        part = scale(gallery[first : first + width], "The gallery", first)
        hidden = np.empty(0, np.int64) if within.allowed is None else np.flatnonzero(~within.allowed[first : first + width])
        size = max(1, CHUNK_BYTES // (4 * len(part)))
        for begin in range(0, len(queries), size):
            chunk = slice(begin, begin + size)
            similarities = scale(queries[chunk], "The queries", begin) @ part.T
            # -inf instead of dropping columns, so that column numbers stay gallery rows
            similarities[:, hidden] = -np.inf
            own = within.excluded[chunk] - first
            inside = np.flatnonzero((own >= 0) & (own < len(part)))
            similarities[inside, own[inside]] = -np.inf
            rows = _largest(similarities, min(count, len(part)))
            _add(found, chunk, first, rows, np.take_along_axis(similarities, rows, axis=1))
    return found


def _add(found: Neighbors, chunk: slice, first: int, rows: NDArray[np.int64], similarities: NDArray[np.float32]) -> None:
    """Merges the best of a gallery chunk, which starts at row `first`, with those of earlier chunks."""
    rows, kept, count = rows + first, min(first, found.rows.shape[1]), found.rows.shape[1]
    if kept:
        rows, similarities = np.hstack([found.rows[chunk, :kept], rows]), np.hstack([found.similarities[chunk, :kept], similarities])
        order = np.argsort(-similarities, axis=1, kind="stable")[:, :count]
        rows, similarities = np.take_along_axis(rows, order, axis=1), np.take_along_axis(similarities, order, axis=1)
    found.rows[chunk, : rows.shape[1]], found.similarities[chunk, : rows.shape[1]] = rows, similarities


def _largest(similarities: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Columns of the k largest of each row (b, k), largest first, ties by column.

    The columns are dealt into groups; at least k values are as large as the k-th largest of the groups' maxima, so only the few columns
    that reach it are sorted. That is one pass of maxima and one of comparisons, some five times as fast as `argpartition`, and unlike
    it leaves nothing to chance where values are equal.
    """
    queries, columns = similarities.shape
    # 4 k groups keep the number of columns at or above the threshold small; 64 columns per group make the pass over maxima cheap
    groups = max(4 * k, columns // 64)
    if k == 0 or groups > columns // 2:
        return np.argsort(-similarities, axis=1, kind="stable")[:, :k]
    dealt = similarities[:, : columns // groups * groups].reshape(queries, -1, groups)
    reached = np.partition(dealt.max(axis=1), groups - k, axis=1)[:, groups - k, None]
    query, column = np.divmod(np.flatnonzero(similarities >= reached), columns)
    order = np.lexsort((column, -similarities[query, column], query))
    begins = np.searchsorted(query, np.arange(queries))
    return np.asarray(column[order[begins[:, None] + np.arange(k)]])
