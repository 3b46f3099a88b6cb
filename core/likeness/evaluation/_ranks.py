"""Exact ranks of all relevant gallery items of all queries, in bounded memory.

All retrieval metrics follow from these ranks. The gallery is ordered by class, so the relevant rows of a query are one slice. Blocks of queries are
multiplied with tiles of the gallery, and only the number of rows ahead of each relevant item is kept. A float32 product whose distance from all
relevant similarities exceeds its error bound is counted at once; the exact similarity decides the few others (see `_counting`). Memory does not grow
with the gallery, which goes to a scratch file if it is large.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import row_slices
from likeness.evaluation._device import DeviceCounter
from likeness.evaluation._inputs import AS_GIVEN, DISTANCES, Scaling, scratch_array
from likeness.search import find_ranking

TILE = 8000  # gallery rows per tile; not a power of two bytes per row, which would map to the same lines of the cache
MOST_PAIRED = 256  # classes up to this size are multiplied pair by pair
# memory of a block of queries; 2,048 queries rather than 1,024 save a tenth of the time
BLOCK_BYTES, BYTES_PER_RELEVANT, MOST_QUERIES = 300_000_000, 60, 2048
FEWEST_CELLS, MOST_CELLS, CELLS_PER_ITEM = 512, 16384, 32
# up to so many similarities, sorting takes less time than importing numba
SORTED_UP_TO = 1_000**2
SAMPLED, FEWEST_ROUNDINGS = 512, 4
ROUNDING, SMALLEST = 2.0**-24, 2.0**-126  # of float32: relative rounding error, and the largest number that processors may flush to zero


@dataclass(frozen=True)
class Ranks:
    """Ranks of the relevant items of a block of queries: from 1, ascending within a query, one query after the other (sum of relevant items,).

    `offsets` (b + 1,) bound the ranks of each query.
    """

    queries: NDArray[np.int64]
    ranks: NDArray[np.int64]
    offsets: NDArray[np.int64]


def relevant_ranks(
    queries: NDArray[np.float32],
    query_codes: NDArray[np.intp],
    gallery: NDArray[np.float32],
    gallery_codes: NDArray[np.intp],
    own: NDArray[np.int64] | None = None,
    *,
    rows: NDArray[np.int64] | None = None,
    scaling: Scaling = AS_GIVEN,
    device: Any = None,
) -> Iterator[Ranks]:
    """Yields the ranks block by block, each query once, in no particular order.

    `queries` (m, d), used all or the `rows` (q,), and `gallery` (n, d) may be memory-mapped; their class codes are (q,) and (n,). `own` (q,) is each
    query's own gallery row, which does not count; None: queries are not in the gallery. `device`: a torch device that counts instead of this
    processor.
    """
    numbers = np.arange(len(query_codes)) if rows is None else rows
    if scaling.metric not in (None, *DISTANCES):
        whose = np.full(len(numbers), -1) if own is None else own
        for part, similarities in find_ranking(str(scaling.metric))(scaling.gallery(gallery), scaling.queries(queries[numbers]), whose):
            found = _ranks_by_sorting(similarities, query_codes[part], gallery_codes, None if own is None else own[part])
            yield replace(found, queries=found.queries + part.start)
        return
    if len(numbers) * len(gallery) <= SORTED_UP_TO:
        products = scaling.queries(queries[numbers]).astype(np.float64) @ scaling.gallery(gallery).astype(np.float64).T
        yield _ranks_by_sorting(products.astype(np.float32), query_codes, gallery_codes, own)
        return
    order = np.argsort(gallery_codes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(gallery_codes, minlength=int(query_codes.max()) + 1))])
    parts = (scaling.gallery(gallery[order[part]]) for part in row_slices(*gallery.shape))
    laid_out = scratch_array(parts, (len(gallery), gallery.shape[1] + scaling.added), np.float32)
    counter = DeviceCounter(laid_out, order, device) if device else _Counter(laid_out, order, scaling.unit if scaling.added else None)
    sizes = np.diff(starts)
    # by class, and classes of similar size together, since a device pads them to one size
    by_class = np.lexsort((query_codes, sizes[query_codes]))
    for part in _blocks(sizes[query_codes[by_class]]):
        block, codes = by_class[part], query_codes[by_class[part]]
        own_rows = None if own is None else own[block]
        yield Ranks(block, *counter.ranks(scaling.queries(queries[numbers[block]]), starts[codes], starts[codes + 1], own_rows))


class _Counter:
    """Ranks of blocks of queries in a scaled gallery (n, e), ordered by class; `unit` is that of the column that the metric added, if any."""

    def __init__(self, rows: NDArray[np.float32], numbers: NDArray[np.int64], unit: float | None) -> None:
        self._rows, self._numbers = rows, numbers
        self._longest = max(float(_lengths(rows[part]).max()) for part in row_slices(*rows.shape))
        self._error = _product_error(rows, unit)
        self._out = np.empty(MOST_QUERIES * TILE, np.float32)

    def ranks(
        self, queries: NDArray[np.float32], first: NDArray[np.int64], last: NDArray[np.int64], own: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ranks and offsets as in `Ranks`, of queries (b, e) whose relevant rows are `first` to `last` - 1 (b,), `own` (b,) left out."""
        from likeness.evaluation._counting import Block, count_tile, prepare

        offsets = np.concatenate([[0], np.cumsum(last - first - (own is not None))])
        items, e, lengths = int(offsets[-1]), queries.shape[1], _lengths(queries)
        cells = int(np.clip(CELLS_PER_ITEM * np.diff(offsets).max(), FEWEST_CELLS, MOST_CELLS))
        block = Block(
            queries=queries,
            first=first,
            last=last,
            offsets=offsets,
            keys=np.empty(items, np.uint64),
            lows=np.empty(items, np.float32),
            highs=np.empty(items, np.float32),
            counts=np.zeros(items, np.int64),
            errors=lengths * (self._error * self._longest) + e * SMALLEST,
            slack=2 * e * 2.0**-53 * float(lengths.max()) * self._longest,
            floors=np.empty(len(queries), np.float32),
            scales=np.empty(len(queries), np.float32),
            tables=np.empty((len(queries), cells + 1), np.int32),
        )
        with ThreadPoolExecutor(_threads()) as pool:
            self._fill_all_keys(block, own, pool)
            _in_parts(pool, prepare, len(queries), block)
            for column in range(0, len(self._rows), TILE):
                rows, numbers = self._rows[column : column + TILE], self._numbers[column : column + TILE]
                out = self._out[: len(queries) * len(rows)].reshape(len(queries), len(rows))
                _in_parts(pool, count_tile, len(queries), block, np.matmul(queries, rows.T, out=out), rows, numbers, column)
        total = np.cumsum(block.counts + 1)
        return total - np.repeat(np.concatenate([[0], total])[offsets[:-1]], np.diff(offsets)), offsets

    def _fill_all_keys(self, block: Any, own: NDArray[np.int64] | None, pool: ThreadPoolExecutor) -> None:
        """Small classes in parallel, large ones one by one with all threads."""
        small: list[tuple[int, int]] = []
        large: list[tuple[int, int]] = []
        for begin, end in _runs(block.first):
            (small if block.last[begin] - block.first[begin] <= MOST_PAIRED else large).append((begin, end))

        def fill(start: int, stop: int) -> None:
            for begin, end in small[start:stop]:
                self._fill_keys(block, own, None, begin, end)

        _in_parts(pool, fill, len(small), least=2)
        for begin, end in large:
            self._fill_keys(block, own, pool, begin, end)

    def _fill_keys(self, block: Any, own: NDArray[np.int64] | None, pool: ThreadPoolExecutor | None, begin: int, end: int) -> None:
        """Computes the keys of queries `begin` to `end` - 1, which are of one class."""
        from likeness.evaluation._counting import BEHIND_ALL, fill_keys

        first, last, queries = int(block.first[begin]), int(block.last[begin]), block.queries[begin:end]
        rows, numbers = self._rows[first:last], self._numbers[first:last]
        keys = np.empty((end - begin, last - first), np.uint64)
        # without BLAS for small classes: its threads busy-wait after each call
        precise = queries.astype(np.float64) if len(rows) > MOST_PAIRED else None
        for part in row_slices(*rows.shape):
            products = np.empty((0, 0)) if precise is None else precise @ rows[part].astype(np.float64).T
            _in_parts(pool, fill_keys, len(queries), products, queries, rows[part], block.slack, numbers[part], keys[:, part])
        if own is not None:
            keys[np.arange(len(keys)), np.searchsorted(numbers, own[begin:end])] = BEHIND_ALL
        _in_parts(pool, _sort_rows, len(keys), keys)
        block.keys[block.offsets[begin] : block.offsets[end]] = keys[:, : last - first - (own is not None)].ravel()


def _sort_rows(keys: NDArray[np.uint64], begin: int, end: int) -> None:
    keys[begin:end].sort(axis=1)


def _product_error(rows: NDArray[np.float32], unit: float | None) -> float:
    """Error bound of float32 products, relative to the lengths of the rows.

    The sure bound e 2^-24 |x| |y| assumes that all e roundings err to the same side. Measured errors are a hundredth of it for vectors of encoders
    and a fourth for constant ones, so the bound is twice the largest error among products of sampled rows with each other and with themselves, where
    it is largest. With the sure bound, a class of a thousand rows would leave a tenth of the gallery to exact products.
    """
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, SAMPLED).astype(np.int64))]
    queries = rows.copy()
    if unit is not None:
        queries[:, -1] = unit
    scale = _lengths(queries)[:, None] * _lengths(rows)
    errors = np.abs(queries @ rows.T - queries.astype(np.float64) @ rows.astype(np.float64).T)
    largest = float((errors[scale > 0] / scale[scale > 0]).max(initial=0))
    return float(min(rows.shape[1] * ROUNDING, max(FEWEST_ROUNDINGS * ROUNDING, 2 * largest)))


def _lengths(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Euclidean length of each row (m,)."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64)))


def _ranks_by_sorting(
    similarities: NDArray[Any], query_codes: NDArray[np.intp], gallery_codes: NDArray[np.intp], own: NDArray[np.int64] | None
) -> Ranks:
    """Ranks of all queries, by sorting their similarities (q, n)."""
    if own is not None:
        similarities[np.arange(len(own)), own] = -np.inf
    order = np.argsort(-similarities, axis=1, kind="stable")[:, : len(gallery_codes) - (own is not None)]
    query, rank = np.nonzero(gallery_codes[order] == query_codes[:, None])
    return Ranks(np.arange(len(order)), rank + 1, np.searchsorted(query, np.arange(len(order) + 1)))


def _blocks(relevant: NDArray[np.int64]) -> Iterator[slice]:
    """Slices of queries whose relevant rows (q,) take at most `BLOCK_BYTES` together, or single queries."""
    ends, begin = np.cumsum(4 * (TILE + MOST_CELLS) + BYTES_PER_RELEVANT * relevant), 0
    while begin < len(relevant):
        before = ends[begin - 1] if begin else 0
        end = int(np.searchsorted(ends, before + BLOCK_BYTES, side="right"))
        end = min(max(end, begin + 1), begin + MOST_QUERIES)
        yield slice(begin, end)
        begin = end


def _runs(values: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Bounds of the runs of equal consecutive values."""
    changes = (np.flatnonzero(np.diff(values)) + 1).tolist()
    return list(pairwise([0, *changes, len(values)]))


def _in_parts(pool: ThreadPoolExecutor | None, work: Callable[..., None], count: int, *arguments: Any, least: int = 64) -> None:
    """Calls `work(*arguments, begin, end)` on a few parts of `count` per thread, as parts take unequally long; on all at once if `count` is small."""
    if pool is None or count < least:
        work(*arguments, 0, count)
        return
    bounds = np.unique(np.linspace(0, count, 4 * _threads() + 1).astype(np.int64)).tolist()
    for part in [pool.submit(work, *arguments, begin, end) for begin, end in pairwise(bounds)]:
        part.result()


def _threads() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
