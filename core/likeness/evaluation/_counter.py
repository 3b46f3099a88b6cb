"""Finds the ranks of blocks of queries by counting, with products in the precision that costs least."""

import os
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
from likeness.evaluation._similarity import BEHIND_ALL, block_keys, slack_of

# Multiplications from which on bfloat16 is thought of: in float32 they take a second or two, about as long as the import of torch.
HALVES_FROM = 3 * 10**11
FASTER = 2.0
# Placing a pending row takes some 20 times as long as a product in float32 takes longer than one in bfloat16.
MOST_PENDING_SHARE = 0.04
# A 64th of the gallery, but not less than 512 rows; of smaller galleries all ranks are found, which takes no longer.
SAMPLED_SHARE, FEWEST_SAMPLED = 64, 512
CUT_FROM = 20_000


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
        multiplications = queries * layout.rows.size
        self._choose = engine not in ("float32", "bfloat16") and multiplications >= HALVES_FROM and halves_pay()
        self._ways: dict[bool, Products] = {}
        count = max(FEWEST_SAMPLED, len(layout.rows) // SAMPLED_SHARE)
        self._sample = np.unique(np.linspace(0, len(layout.rows) - 1, count).astype(np.int64))
        self._sampled = layout.rows[self._sample]

    def ranks(self, asking: Asking) -> NDArray[np.int64]:
        """Ranks, from 1, of the relevant items of each query, ascending, one query after the other; beyond the limits as they come."""
        keys, rows = self._relevant_keys(asking), len(self._layout.rows)
        if not len(keys):
            return np.empty(0, np.int64)
        with ThreadPoolExecutor(_threads()) as pool:
            block, products = self._begin(asking, keys, pool)
            for begin, end in _around(asking, rows):
                in_parts(pool, count_tile, len(asking.rows), block, products.tile(begin, end), products.halves, begin)
            ranks, missed = np.empty(len(keys), np.int64), np.zeros(len(asking.rows), np.bool_)
            in_parts(pool, fill_ranks, len(asking.rows), block, ranks, asking.limits, missed)
        if missed.any():
            again = asking.part(np.flatnonzero(missed), limit=rows)
            ranks[np.repeat(missed, np.diff(asking.offsets))] = self.ranks(again)
        return ranks

    def _begin(self, asking: Asking, keys: NDArray[np.uint64], pool: ThreadPoolExecutor) -> tuple[Block, Products]:
        """The block before its first tile, and the way to take products."""
        layout, products = self._layout, self._products(self._engine == "bfloat16" or self._choose)
        slack, count = self._slack(asking), len(asking.rows)
        block = new_block(asking, layout.rows, layout.order, slack, keys, products.take(asking.rows), products.rounding)
        in_parts(pool, prepare, count, block)
        if self._choose or (asking.limits.min() < len(layout.rows) and len(layout.rows) >= CUT_FROM):
            share = self._cut(block, asking, pool)
            if self._choose and not share < MOST_PENDING_SHARE:
                products = self._products(False)
                block = new_block(asking, layout.rows, layout.order, slack, keys, products.take(asking.rows), products.rounding, block.alive)
                in_parts(pool, prepare, count, block)
        return block, products

    def _cut(self, block: Block, asking: Asking, pool: ThreadPoolExecutor) -> float:
        """Leaves those items alive that may have a rank within the limit, by a sample of the gallery. The share of it that would be pending."""
        expected = asking.limits * len(self._sample) / len(self._layout.rows)
        wanted = np.where(asking.limits < len(self._layout.rows), expected + 3 * np.sqrt(expected) + 3, np.inf)
        first, last = (np.searchsorted(self._sample, ends) for ends in (asking.first, asking.last))
        pending = np.zeros(len(wanted), np.int64)
        sampled = block._replace(gallery=self._sampled, first=first, last=last)
        in_parts(pool, cut, len(wanted), sampled, asking.rows @ self._sampled.T, wanted, pending)
        return float(pending.mean() / len(self._sample)) if np.isfinite(block.errors).all() else np.inf

    def _products(self, halves: bool) -> Products:
        if halves not in self._ways:
            self._ways[halves] = (HalfPrecision if halves else SinglePrecision)(self._layout)
        return self._ways[halves]

    def _slack(self, asking: Asking) -> float:
        return slack_of(self._layout.rows.shape[1], float(lengths(asking.rows).max()), self._layout.longest)

    def _relevant_keys(self, asking: Asking) -> NDArray[np.uint64]:
        """Of each query's relevant items, those that rank first first. A query itself ranks behind all and is cut off."""
        layout, slack, counts = self._layout, self._slack(asking), np.diff(asking.offsets)
        keys = np.empty(asking.offsets[-1], np.uint64)
        changes = np.flatnonzero(np.diff(asking.first)) + 1
        for begin, end in pairwise([0, *changes, len(counts)]):
            first, last = int(asking.first[begin]), int(asking.last[begin])
            block = np.empty((end - begin, last - first), np.uint64)
            for start in range(first, last, TILE):
                part = slice(start, min(start + TILE, last))
                block[:, part.start - first : part.stop - first] = block_keys(asking.rows[begin:end], layout.rows[part], slack, layout.order[part])
            if asking.own is not None:
                block[np.arange(end - begin), asking.own[begin:end] - first] = BEHIND_ALL
            block.sort(axis=1)
            keys[asking.offsets[begin] : asking.offsets[end]] = block[:, : counts[begin]].ravel()
        return keys


def in_parts(pool: ThreadPoolExecutor, work: Callable[..., None], count: int, *arguments: Any) -> None:
    """`work(*arguments, begin, end)` for parts of `count` queries, a few per thread, since the work of a query depends on its items."""
    bounds = np.unique(np.linspace(0, count, 4 * _threads() + 1).astype(np.int64)).tolist()
    for part in [pool.submit(work, *arguments, begin, end) for begin, end in pairwise(bounds)]:
        part.result()


def _around(asking: Asking, rows: int) -> list[tuple[int, int]]:
    """Tiles (begin, end) of the gallery, without what is relevant to all queries."""
    same = int(asking.first.max()), int(asking.last.min())
    spans = [(0, same[0]), (same[1], rows)] if same[0] < same[1] else [(0, rows)]
    return [(begin, min(begin + TILE, stop)) for start, stop in spans for begin in range(start, stop, TILE)]


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
