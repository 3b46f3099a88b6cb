"""Finds the ranks of blocks of queries by counting, with products in the precision that costs least."""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.evaluation._counting import Block, count_tile, cut, fill_ranks, new_block, prepare
from likeness.evaluation._layout import TILE, Asking, Layout, lengths
from likeness.evaluation._products import HalfPrecision, Products, SinglePrecision
from likeness.evaluation._similarity import BEHIND_ALL, block_keys, fill_class_keys, slack_of

# Multiplications from which on bfloat16 is thought of: where torch is not there yet, in float32 they take twice as long as its import.
HALVES_FROM, HALVES_FROM_WITH_TORCH = 10**12, 4 * 10**10
FASTER = 2.0
# Placing a pending row takes some 20 times as long as a product in float32 takes longer than one in bfloat16.
MOST_PENDING_SHARE = 0.04
# A 64th of the gallery, but not less than 4,096 rows or an eighth; of smaller galleries all ranks are found, which takes no longer.
SAMPLED_SHARE, FEWEST_SAMPLED, MOST_SAMPLED_SHARE = 64, 4096, 8
CUT_FROM = 20_000
WIDTHS = TILE // 8  # the ends of tiles are multiples of it
MOST_PAIRED = 256  # rows of a class up to which its keys are made pair by pair


class Counter:
    """Ranks of blocks of queries in a gallery.

    Args:
        layout: the gallery.
        queries: how many there are in all.
        engine: "float32", "bfloat16", or anything else for the faster one, chosen for each block: bfloat16 is a filter, and pays as long as
            few rows get through it.
    """

    def __init__(self, layout: Layout, queries: int, engine: str) -> None:
        self._layout, self._engine = layout, engine
        enough = queries * layout.rows.size >= (HALVES_FROM_WITH_TORCH if "torch" in sys.modules else HALVES_FROM)
        self._choose = engine not in ("float32", "bfloat16") and enough and halves_pay()
        self._failures = self._rest = 0  # blocks in a row for which bfloat16 did not pay, and blocks that will not try it
        self._ways: dict[bool, Products] = {}
        n = len(layout.rows)
        count = max(min(FEWEST_SAMPLED, n // MOST_SAMPLED_SHARE), n // SAMPLED_SHARE, 1)
        self._sample = np.unique(np.linspace(0, n - 1, count).astype(np.int64))

    def ranks(self, asking: Asking) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Ranks, from 1, of the relevant items of each query, ascending, one query after the other; beyond the limits as they come.

        And for which queries (b,) ranks within the limit were missed: the sample misled, so these are to be asked with a larger limit.
        """
        missed = np.zeros(len(asking.rows), np.bool_)
        if not asking.offsets[-1]:
            return np.empty(0, np.int64), missed
        with ThreadPoolExecutor(_threads()) as pool:
            keys = self._relevant_keys(asking, pool)
            block, products = self._begin(asking, keys, pool)
            for begin, end in _around(asking, len(self._layout.rows)):
                in_parts(pool, count_tile, len(asking.rows), block, products.tile(begin, end), products.halves, begin)
            ranks = np.empty(len(keys), np.int64)
            in_parts(pool, fill_ranks, len(asking.rows), block, ranks, asking.limits, missed)
        return ranks, missed

    def _begin(self, asking: Asking, keys: NDArray[np.uint64], pool: ThreadPoolExecutor) -> tuple[Block, Products]:
        """The block before its first tile, and the way to take products."""
        trial = self._choose and self._rest == 0
        self._rest = max(self._rest - 1, 0)
        layout, slack = self._layout, self._slack(asking)

        def prepared(products: Products, alive: NDArray[np.int64] | None = None) -> Block:
            errors = products.take(asking.rows)
            block = new_block(asking, layout.rows, layout.order, slack, keys, errors, products.rounding, alive)
            in_parts(pool, prepare, len(asking.rows), block)
            return block

        products = self._products(self._engine == "bfloat16" or trial)
        block = prepared(products)
        if trial or (asking.limits.min() < len(layout.rows) and len(layout.rows) >= CUT_FROM):
            pays = self._cut(block, asking, products, pool) < MOST_PENDING_SHARE
            if trial:
                self._failures = 0 if pays else self._failures + 1
                self._rest = 2**self._failures - 1
            if trial and not pays:
                products = self._products(False)
                block = prepared(products, block.alive)
        return block, products

    def _cut(self, block: Block, asking: Asking, products: Products, pool: ThreadPoolExecutor) -> float:
        """Leaves those items alive that may have a rank within the limit, by a sample of the gallery. The share of it that would be pending."""
        expected = asking.limits * len(self._sample) / len(self._layout.rows)
        wanted = np.where(asking.limits < len(self._layout.rows), expected + 3 * np.sqrt(expected) + 3, np.inf)
        first, last = (np.searchsorted(self._sample, ends) for ends in (asking.first, asking.last))
        pending = np.zeros(len(wanted), np.int64)
        sampled = block._replace(first=first, last=last)
        in_parts(pool, cut, len(wanted), sampled, products.sampled(), wanted, pending)
        return float(pending.mean() / len(self._sample)) if np.isfinite(block.errors).all() else np.inf

    def _products(self, halves: bool) -> Products:
        if halves not in self._ways:
            self._ways[halves] = (HalfPrecision if halves else SinglePrecision)(self._layout, self._sample)
        return self._ways[halves]

    def _slack(self, asking: Asking) -> float:
        return slack_of(self._layout.rows.shape[1], float(lengths(asking.rows).max()), self._layout.longest)

    def _relevant_keys(self, asking: Asking, pool: ThreadPoolExecutor) -> NDArray[np.uint64]:
        """Of each query's relevant items, those that rank first first."""
        layout, slack, count, offsets = self._layout, self._slack(asking), len(asking.rows), asking.offsets
        keys, own = np.empty(offsets[-1], np.uint64), np.full(count, -1) if asking.own is None else asking.own
        ends = asking.first, asking.last
        in_parts(pool, fill_class_keys, count, asking.rows, layout.rows, slack, layout.order, *ends, own, offsets, keys, MOST_PAIRED)
        # products of large classes are faster as a block
        for begin, end in _runs(asking.first):
            if ends[1][begin] - ends[0][begin] > MOST_PAIRED:
                part = self._block_of_keys(asking.rows[begin:end], int(ends[0][begin]), int(ends[1][begin]), slack)
                if asking.own is not None:
                    part[np.arange(end - begin), own[begin:end] - ends[0][begin]] = BEHIND_ALL
                in_parts(pool, _sort_rows, end - begin, part)
                keys[offsets[begin] : offsets[end]] = part[:, : offsets[begin + 1] - offsets[begin]].ravel()
        return keys

    def _block_of_keys(self, queries: NDArray[np.float32], first: int, last: int, slack: float) -> NDArray[np.uint64]:
        """Keys (b, last - first) of these rows of the layout, in their order."""
        keys = np.empty((len(queries), last - first), np.uint64)
        for start in range(first, last, TILE):
            part = slice(start, min(start + TILE, last))
            keys[:, part.start - first : part.stop - first] = block_keys(queries, self._layout.rows[part], slack, self._layout.order[part])
        return keys


def _sort_rows(keys: NDArray[np.uint64], begin: int, end: int) -> None:
    keys[begin:end].sort(axis=1)


def _runs(values: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Where equal values that follow each other begin and end."""
    changes = (np.flatnonzero(np.diff(values)) + 1).tolist()
    return list(pairwise([0, *changes, len(values)]))


def in_parts(pool: ThreadPoolExecutor, work: Callable[..., None], count: int, *arguments: Any) -> None:
    """`work(*arguments, begin, end)` for parts of `count` queries, a few per thread, since the work of a query depends on its items."""
    bounds = np.unique(np.linspace(0, count, 4 * _threads() + 1).astype(np.int64)).tolist()
    for part in [pool.submit(work, *arguments, begin, end) for begin, end in pairwise(bounds)]:
        part.result()


def _around(asking: Asking, rows: int) -> list[tuple[int, int]]:
    """Tiles (begin, end) of the gallery, without most of what is relevant to all queries.

    They are of few widths, since products of a new one are prepared anew, which takes longer than the products.
    """
    stop, start = -(-int(asking.first.max()) // WIDTHS) * WIDTHS, int(asking.last.min()) // WIDTHS * WIDTHS
    spans = [(0, stop), (start, rows)] if stop < start else [(0, rows)]
    return [(begin, min(begin + TILE, last)) for first, last in spans for begin in range(first, last, TILE)]


def _threads() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def halves_pay() -> bool:
    """Whether products in bfloat16 are at least twice as fast here as in float32; takes some milliseconds, and imports torch."""
    try:
        import torch
    except ImportError:
        return False

    def seconds(dtype: Any) -> float:
        a, b = (torch.ones(512, 512, dtype=dtype) for _ in range(2))
        taken = []
        for _ in range(5):
            begin = perf_counter()
            torch.matmul(a, b)
            taken.append(perf_counter() - begin)
        return min(taken)

    return seconds(torch.float32) > FASTER * seconds(torch.bfloat16)
