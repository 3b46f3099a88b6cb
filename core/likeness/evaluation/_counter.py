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

from likeness.evaluation._counting import count_tile, fill_ranks, new_block, prepare
from likeness.evaluation._layout import TILE, Asking, Layout, lengths
from likeness.evaluation._products import HalfPrecision, Products, SinglePrecision
from likeness.evaluation._similarity import BEHIND_ALL, block_keys, slack_of

# Multiplications from which on bfloat16 is thought of: in float32 they take a second or two, about as long as the import of torch.
HALVES_FROM = 3 * 10**11
FASTER = 2.0
# Placing a pending row takes some 20 times as long as a product in float32 takes longer than one in bfloat16.
MOST_PENDING_SHARE = 0.04
SAMPLED_ROWS, SAMPLED_QUERIES = 512, 32


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
        self._sample = np.unique(np.linspace(0, len(layout.rows) - 1, SAMPLED_ROWS).astype(np.int64))

    def ranks(self, asking: Asking) -> NDArray[np.int64]:
        """Ranks, from 1, of the relevant items of each query, ascending, one query after the other."""
        keys = self._relevant_keys(asking)
        if not len(keys):
            return np.empty(0, np.int64)
        halves = self._engine == "bfloat16" or (self._choose and self._pending_share(asking, keys) < MOST_PENDING_SHARE)
        products = self._products(halves)
        errors = products.take(asking.rows)
        block = new_block(asking, asking.offsets, self._layout.rows, self._layout.order, self._slack(asking), keys, errors, products.rounding)
        ranks = np.empty(len(keys), np.int64)
        with ThreadPoolExecutor(_threads()) as pool:
            in_parts(pool, prepare, len(asking.rows), block)
            for begin, end in _around(asking, len(self._layout.rows)):
                tile = products.tile(begin, end)
                in_parts(pool, count_tile, len(asking.rows), block, tile, halves, begin)
            in_parts(pool, fill_ranks, len(asking.rows), block, ranks)
        return ranks

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

    def _pending_share(self, asking: Asking, keys: NDArray[np.uint64]) -> float:
        """Of a sample of queries and gallery rows, the share of pairs that products in bfloat16 would leave pending."""
        layout, sample = self._layout, self._sample
        chosen = np.unique(np.linspace(0, len(asking.rows) - 1, SAMPLED_QUERIES).astype(np.int64))
        part = Asking(
            asking.rows[chosen],
            np.searchsorted(sample, asking.first[chosen]),
            np.searchsorted(sample, asking.last[chosen]),
            None,
            asking.limits[chosen] * len(sample) // len(layout.rows) + 1,
        )
        items = [keys[asking.offsets[query] : asking.offsets[query + 1]] for query in chosen]
        products = self._products(True)
        errors = products.take(part.rows)
        if not np.isfinite(errors).all():
            return 1.0
        rows = layout.rows[sample]
        offsets = np.concatenate([[0], np.cumsum([len(each) for each in items])])
        block = new_block(part, offsets, rows, sample, self._slack(asking), np.concatenate(items), errors, products.rounding)
        prepare(block, 0, len(chosen))
        count_tile(block, part.rows @ rows.T, False, 0, 0, len(chosen))
        return float(block.waiting.sum() / (len(chosen) * len(sample)))


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
