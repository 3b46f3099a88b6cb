"""The rank of every relevant gallery item of every query, exactly, without ever holding all similarities at once.

All retrieval metrics follow from these ranks. The gallery is laid out class by class, so that the relevant rows of a query are one slice;
a block of queries at a time meets the gallery a tile at a time, and only what lies ahead of the relevant items is kept: their number. So
memory does not grow with the gallery, which lies in a scratch file where it is large.

A similarity is the dot product of two rows in float32, rounded once (see `_similarity`); equal ones are ranked by gallery row number.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from likeness.evaluation._inputs import AS_GIVEN, Scaling
from likeness.evaluation._layout import TILE, Asking, Layout

# What a block of queries may take. Products of fewer than some 500 queries are slower each; more than 1,024 gain little.
BLOCK_BYTES = 300_000_000
BYTES_PER_RELEVANT = 40
BYTES_PER_QUERY = 4 * TILE + 2 * 16384 + 8 * 1024  # products, table of places, pending rows
MOST_QUERIES = 1024
# Below this many similarities sorting takes a tenth of a second, less than it takes to import numba.
SORTED_BELOW = 3_000**2

Engine = Literal["auto", "sort", "float32", "bfloat16"]


@dataclass(frozen=True)
class Ranks:
    """Ranks of the relevant items of a block of queries.

    Attributes:
        queries: query numbers (b,).
        ranks: ranks from 1, ascending within a query, one query after the other (sum of relevant items,).
        offsets: where each query's ranks begin and end (b + 1,).
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
    engine: Engine = "auto",
    *,
    rows: NDArray[np.int64] | None = None,
    scaling: Scaling = AS_GIVEN,
    limits: NDArray[np.int64] | None = None,
) -> Iterator[Ranks]:
    """Yields the ranks block by block; together the blocks hold every query once, in no particular order.

    Args:
        queries: (m, d); may be memory-mapped, as the gallery.
        query_codes: class number of each query that asks (q,).
        gallery: (n, d).
        gallery_codes: class number of each gallery row (n,).
        own: gallery row that is the query itself and does not count (q,); None where queries are not in the gallery.
        engine: "sort" (NumPy), "float32" or "bfloat16" (compiled, by products in this precision); "auto" takes the fastest. All give the
            same ranks.
        rows: which queries ask (q,); None: all, and q = m.
        scaling: brings rows into the form whose products are the similarities.
        limits: ranks beyond it are not needed (q,) and may come out as any other beyond it, except a query's first; None: all are.
    """
    layout = Layout(gallery, gallery_codes, int(max(query_codes.max(), gallery_codes.max())) + 1, scaling)
    column_of = np.empty(len(gallery), np.int64)
    column_of[layout.order] = np.arange(len(gallery))
    limits = np.full(len(query_codes), len(gallery)) if limits is None else limits.copy()
    asked = np.argsort(query_codes, kind="stable")
    if engine == "sort" or (engine == "auto" and len(asked) * len(gallery) <= SORTED_BELOW):
        find: Callable[[Asking], tuple[NDArray[np.int64], NDArray[np.bool_]]] = partial(ranks_by_sorting, layout)
        each, more = 40 * len(gallery), 0
    else:
        from likeness.evaluation._counter import Counter

        find, each, more = Counter(layout, len(asked), engine).ranks, BYTES_PER_QUERY, BYTES_PER_RELEVANT
    while len(asked):
        again = []
        for part in _blocks(each + more * np.diff(layout.starts)[query_codes[asked]]):
            numbers, codes = asked[part], query_codes[asked[part]]
            asking = Asking(
                scaling.queries(queries[numbers if rows is None else rows[numbers]]),
                layout.starts[codes],
                layout.starts[codes + 1],
                None if own is None else column_of[own[numbers]],
                limits[numbers],
            )
            ranks, missed = find(asking)
            again.append(numbers[missed])
            if not missed.any():
                yield Ranks(numbers, ranks, asking.offsets)
            elif not missed.all():
                counts = np.diff(asking.offsets)
                offsets = np.concatenate([[0], np.cumsum(counts[~missed])])
                yield Ranks(numbers[~missed], ranks[np.repeat(~missed, counts)], offsets)
        asked = np.concatenate(again)
        limits[asked] *= 2


def _blocks(taken: NDArray[np.int64]) -> Iterator[slice]:
    """Queries that together take no more than `BLOCK_BYTES`, of which each takes so many, or one alone."""
    ends, begin = np.cumsum(taken), 0
    while begin < len(taken):
        end = int(np.searchsorted(ends, ends[begin] - taken[begin] + BLOCK_BYTES, side="right"))
        end = min(max(end, begin + 1), begin + MOST_QUERIES)
        yield slice(begin, end)
        begin = end


def ranks_by_sorting(layout: Layout, asking: Asking) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """As `Counter.ranks`, none missed: sorts the whole gallery for each query and looks the relevant items up in it."""
    similarities = np.empty((len(asking.rows), len(layout.rows)), np.float32)
    precise = asking.rows.astype(np.float64)
    for begin in range(0, len(layout.rows), TILE):
        similarities[:, begin : begin + TILE] = precise @ layout.rows[begin : begin + TILE].astype(np.float64).T
    if asking.own is not None:
        similarities[np.arange(len(similarities)), asking.own] = -np.inf
    counts, offsets = np.diff(asking.offsets), asking.offsets
    ranks = np.empty(offsets[-1], np.int64)
    rows = np.sort(similarities, axis=1)
    tied = (rows[:, 1:] == rows[:, :-1]).any(axis=1)
    for query, row in enumerate(rows):
        relevant = slice(asking.first[query], asking.last[query])
        if tied[query]:
            place = np.empty(len(row), np.int64)
            place[np.lexsort((layout.order, -similarities[query]))] = np.arange(1, len(row) + 1)
            found = place[relevant]
        else:
            found = len(row) + 1 - np.searchsorted(row, similarities[query, relevant], side="right")
        ranks[offsets[query] : offsets[query + 1]] = np.sort(found)[: counts[query]]
    return ranks, np.zeros(len(asking.rows), np.bool_)
