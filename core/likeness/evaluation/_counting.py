"""Ranks of the relevant items of a block of queries by counting what lies ahead of each, compiled; importing this module imports numba.

The rank of a relevant item is 1 + the relevant items ahead of it + the irrelevant ones ahead of it. Products of the block with one tile of
the gallery after the other come in, with a bound on their errors. An irrelevant item whose product is farther than that from every relevant
similarity is counted at its place at once, found by a table look-up. Any other stays pending until its exact similarity places it; meanwhile
it is counted at the last place that it may have, so that counts so far never exceed the true ones. Where only the first ranks matter, they
tell which relevant items lie beyond, and what is behind all others is not looked at again.

The kernels release the interpreter's lock and are called from a few threads, because numba's own threads must not be entered from two
threads at once, as an app with several visitors does.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from likeness.evaluation._layout import Asking
from likeness.evaluation._similarity import pair_key

FEWEST_CELLS, MOST_CELLS, CELLS_PER_ITEM = 512, 16384, 32
MOST_PENDING = 4096
STRIP = 128


class Block(NamedTuple):
    """A block of queries and how far it is.

    "Items" are a query's relevant rows of the gallery, those that rank first first; the items of all queries lie one after the other. Place i
    is just ahead of a query's item i, its last place behind all of them.
    """

    queries: NDArray[np.float32]  # (b, d)
    gallery: NDArray[np.float32]  # (n, d)
    numbers: NDArray[np.int64]  # the caller's number of each gallery row (n,)
    slack: float  # of their float64 products
    first: NDArray[np.int64]  # relevant gallery rows are first to last - 1 (b,)
    last: NDArray[np.int64]
    offsets: NDArray[np.int64]  # where each query's items begin and end (b + 1,)
    keys: NDArray[np.uint64]  # of the items
    lows: NDArray[np.float32]  # products below are behind the item for certain (items,)
    highs: NDArray[np.float32]  # products above are ahead of it for certain (items,)
    counts: NDArray[np.int32]  # irrelevant rows at each place; one more per query than items
    errors: NDArray[np.float64]  # bound of the error of a query's products (b,)
    rounding: float  # relative error with which they are stored
    limits: NDArray[np.int64]  # larger ranks need not be exact (b,)
    alive: NDArray[np.int64]  # how many items may have a rank within the limit (b,)
    reaches: NDArray[np.float32]  # smaller products are behind all items alive (b,)
    floors: NDArray[np.float32]  # product v lies in cell 1 + (v - floor) * scale (b,)
    scales: NDArray[np.float32]
    tables: NDArray[np.signedinteger[Any]]  # the place of what lies in a cell, or -1 - the first one that it may have (b, cells + 1)
    pending: NDArray[np.int32]  # gallery row, first and last place that it may have (b, m, 3)
    waiting: NDArray[np.int64]  # how many are pending (b,)


def new_block(
    asking: Asking,
    offsets: NDArray[np.int64],
    gallery: NDArray[np.float32],
    numbers: NDArray[np.int64],
    slack: float,
    keys: NDArray[np.uint64],
    errors: NDArray[np.float64],
    rounding: float,
) -> Block:
    """A block to `prepare`; arguments as in `Block`."""
    count, items = len(asking.rows), int(np.diff(offsets).max(initial=1))
    cells = max(FEWEST_CELLS, min(CELLS_PER_ITEM * items, MOST_CELLS))
    return Block(
        queries=asking.rows,
        gallery=gallery,
        numbers=numbers,
        slack=slack,
        first=asking.first,
        last=asking.last,
        offsets=offsets,
        keys=keys,
        lows=np.empty(len(keys), np.float32),
        highs=np.empty(len(keys), np.float32),
        counts=np.zeros(len(keys) + count, np.int32),
        errors=errors,
        rounding=rounding,
        limits=asking.limits,
        alive=np.diff(offsets),
        reaches=np.full(count, np.inf, np.float32),
        floors=np.zeros(count, np.float32),
        scales=np.zeros(count, np.float32),
        tables=np.empty((count, cells + 1), np.int16 if items < 2**15 else np.int32),
        pending=np.empty((count, min(MOST_PENDING, len(gallery)), 3), np.int32),
        waiting=np.zeros(count, np.int64),
    )


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _similarity(key: Any) -> Any:
    ordered = np.int64(0x80000000) - np.int64(key >> np.uint64(32))
    bits = ordered if ordered >= 0 else np.int64(0x80000000) + -ordered
    return np.uint32(bits).view(np.float32)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _edges(similarity: Any, error: Any, rounding: Any) -> Any:
    """The smallest and the largest product, rounded outwards, of a row that may turn out as similar as this.

    The error of the product, its rounding when it was stored, the rounding of similarities to float32, and something for that of this sum.
    """
    value = np.float64(similarity)
    margin = (error + abs(value) * (rounding + 4e-7)) * 1.005 + 1e-37
    return np.float32(value - margin), np.float32(value + margin)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _find_cells(values: Any, count: int, floor: Any, scale: Any, cells: int, found: Any) -> None:
    """The cell of each value: 0 below `floor`, 1 at it, up to `cells`. A monotone function of the value, even after rounding."""
    for item in range(count):
        cell = (values[item] - floor) * scale + np.float32(1)
        cell = min(cell, np.float32(cells))
        found[item] = np.int32(max(cell, np.float32(0)))


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _items(block: Any, query: int) -> Any:
    """Keys and edges of a query's items."""
    begin, end = block.offsets[query], block.offsets[query + 1]
    return block.keys[begin:end], block.lows[begin:end], block.highs[begin:end]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def prepare(block: Any, begin: int, end: int) -> None:
    """Fills what follows from the keys of queries `begin` to `end` - 1: edges, reaches and tables."""
    cells, most = block.tables.shape[1] - 1, 0
    for query in range(begin, end):
        most = max(most, block.offsets[query + 1] - block.offsets[query])
    low_cells, high_cells = np.empty(most, np.int32), np.empty(most, np.int32)
    for query in range(begin, end):
        items = block.offsets[query + 1] - block.offsets[query]
        if items == 0:
            continue
        keys, lows, highs = _items(block, query)
        for item in range(items):
            lows[item], highs[item] = _edges(_similarity(keys[item]), block.errors[query], block.rounding)
        floor, span = lows[items - 1], highs[0] - lows[items - 1]
        scale = np.float32((cells - 2) / span) if span > 1e-30 else np.float32(0)
        block.reaches[query], block.floors[query], block.scales[query] = floor, floor, scale
        _find_cells(lows, items, floor, scale, cells, low_cells)
        _find_cells(highs, items, floor, scale, cells, high_cells)
        table = block.tables[query]
        table[0], top = items, cells
        for item in range(items):
            low, high = low_cells[item], high_cells[item]
            for cell in range(high + 1, top + 1):
                table[cell] = item
            top = min(top, high)
            for cell in range(low, top + 1):
                table[cell] = -1 - item
            top = min(top, low - 1)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _passed(edges: Any, value: Any, item: int) -> int:
    """The first of these descending edges, this one or later, that is not above the value; their number if none. Mostly it is near."""
    beyond, step = item, 1
    while beyond < len(edges) and edges[beyond] > value:
        item = beyond + 1
        beyond += step
        step *= 2
    beyond = min(beyond, len(edges))
    while item < beyond:
        middle = (item + beyond) // 2
        if edges[middle] > value:
            item = middle + 1
        else:
            beyond = middle
    return item


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _defer(block: Any, query: int, row: int, place: int, last: int) -> None:
    """Keeps a row pending."""
    entry = block.pending[query, block.waiting[query]]
    entry[0], entry[1], entry[2] = row, place, last
    block.waiting[query] += 1
    if block.waiting[query] == block.pending.shape[1]:
        _advance(block, query)
        if 2 * block.waiting[query] > block.pending.shape[1]:
            _resolve(block, query)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _advance(block: Any, query: int) -> None:
    """Drops the items whose rank is beyond the limit for certain, but never the first, and the pending rows that count for none but them."""
    begin, ahead, alive = block.offsets[query] + query, 0, 0
    while alive < block.alive[query]:
        ahead += block.counts[begin + alive]
        if alive > 0 and alive + 1 + ahead > block.limits[query]:
            break
        alive += 1
    if alive < block.alive[query]:
        block.alive[query] = alive
        block.reaches[query] = block.lows[block.offsets[query] + alive - 1]
        kept = 0
        for number in range(block.waiting[query]):
            if block.pending[query, number, 1] < alive:
                block.pending[query, kept] = block.pending[query, number]
                kept += 1
        block.waiting[query] = kept


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _resolve(block: Any, query: int) -> None:
    """Gives the pending rows their places."""
    begin, vector = block.offsets[query], block.queries[query].astype(np.float64)
    for number in range(block.waiting[query]):
        row, place, last = block.pending[query, number]
        key = pair_key(vector, block.gallery[row], block.slack, block.numbers[row])
        beyond = last
        while place < beyond:
            middle = (place + beyond) // 2
            if block.keys[begin + middle] < key:
                place = middle + 1
            else:
                beyond = middle
        block.counts[begin + query + last] -= 1
        block.counts[begin + query + place] += 1
    block.waiting[query] = 0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def count_tile(block: Any, products: Any, halves: bool, column: int, begin: int, end: int) -> None:
    """Counts a tile's rows for queries `begin` to `end` - 1.

    Args:
        products: (b, w), of the queries with the gallery rows from number `column` on; float32, or int16 that hold bfloat16.
        halves: whether they are bfloat16, a float32's upper 16 bits.
    """
    bits, found, inside = np.empty(STRIP, np.int32), np.empty(STRIP, np.int32), np.empty(STRIP, np.int64)
    values, width, cells = bits.view(np.float32), products.shape[1], block.tables.shape[1] - 1
    for query in range(begin, end):
        if block.alive[query] == 0:
            continue
        counts, table = block.counts[block.offsets[query] + query : block.offsets[query + 1] + query + 1], block.tables[query]
        _, lows, highs = _items(block, query)
        floor, scale = block.floors[query], block.scales[query]
        for part in range(2):
            start = 0 if part == 0 else min(max(block.last[query] - column, 0), width)
            stop = min(max(block.first[query] - column, 0), width) if part == 0 else width
            for strip in range(start, stop, STRIP):
                size, reach, reached = min(STRIP, stop - strip), block.reaches[query], np.int32(0)
                row = products[query, strip : strip + size]
                if halves:
                    for item in range(size):
                        bits[item] = np.int32(row[item]) << np.int32(16)
                else:
                    for item in range(size):
                        values[item] = row[item]
                # a counter as wide as the values keeps the loop in vector instructions of full width
                for item in range(size):
                    reached = np.int32(reached + np.int32(values[item] >= reach))
                if reached == 0:
                    continue
                _find_cells(values, size, floor, scale, cells, found)
                # gathering them first leaves no branch to be guessed wrong
                hits = 0
                for item in range(size):
                    inside[hits] = item
                    hits += found[item] > 0
                for item in inside[:hits]:
                    place = table[np.uint32(found[item])]
                    if place >= 0:
                        counts[np.uint32(place)] += 1
                        continue
                    place = _passed(lows, values[item], -1 - place)
                    if place < block.alive[query]:
                        last = _passed(highs, values[item], place)
                        counts[last] += 1
                        if last > place:
                            _defer(block, query, column + strip + item, place, last)
        if block.limits[query] < len(block.gallery):
            _advance(block, query)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def fill_ranks(block: Any, ranks: Any, begin: int, end: int) -> None:
    """Places what is pending and writes the ranks, from 1, of the items of queries `begin` to `end` - 1; of items not alive, one beyond the limit."""
    for query in range(begin, end):
        _resolve(block, query)
        ahead = 0
        for item in range(block.offsets[query + 1] - block.offsets[query]):
            ahead += block.counts[block.offsets[query] + query + item]
            ranks[block.offsets[query] + item] = item + 1 + ahead
