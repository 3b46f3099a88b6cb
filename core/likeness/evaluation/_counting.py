"""Ranks of the relevant items of a block of queries by counting what lies ahead of each, compiled; importing this module imports numba.

The rank of a relevant item is 1 + the relevant items ahead of it + the irrelevant ones ahead of it. Products of the block with one tile of
the gallery after the other come in, with a bound on their errors. An irrelevant item whose product is farther than that from every relevant
similarity is counted at its place at once, found by a table look-up. Any other stays pending until its exact similarity places it.
Where only the first ranks matter, a sample of the gallery tells which items may have them, and what is behind those is not looked at.

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
CELLS_PER_ROUNDING = 4
MOST_PENDING = 1024
STRIP, PIECE = 128, 32


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
    alive: NDArray[np.int64]  # how many items are to be ranked, the first ones (b,)
    reaches: NDArray[np.float32]  # smaller products are behind all of them (b,)
    floors: NDArray[np.float32]  # product v lies in cell 1 + (v - floor) * scale (b,)
    scales: NDArray[np.float32]
    tables: NDArray[np.signedinteger[Any]]  # the place of what lies in a cell, or -1 - the first one that it may have (b, cells + 1)
    pending: NDArray[np.int32]  # gallery row and the first place that it may have (b, m, 2)
    waiting: NDArray[np.int64]  # how many are pending (b,)


def new_block(
    asking: Asking,
    gallery: NDArray[np.float32],
    numbers: NDArray[np.int64],
    slack: float,
    keys: NDArray[np.uint64],
    errors: NDArray[np.float64],
    rounding: float,
    alive: NDArray[np.int64] | None = None,
) -> Block:
    """A block to `prepare`; arguments as in `Block`. All items are alive unless said otherwise."""
    count, items = len(asking.rows), int(np.diff(asking.offsets).max(initial=1))
    # cells much finer than the products tell nothing, and larger tables are farther away
    finest = MOST_CELLS if rounding == 0 else int(CELLS_PER_ROUNDING / rounding)
    cells = max(FEWEST_CELLS, min(CELLS_PER_ITEM * items, finest))
    return Block(
        queries=asking.rows,
        gallery=gallery,
        numbers=numbers,
        slack=slack,
        first=asking.first,
        last=asking.last,
        offsets=asking.offsets,
        keys=keys,
        lows=np.empty(len(keys), np.float32),
        highs=np.empty(len(keys), np.float32),
        counts=np.zeros(len(keys) + count, np.int32),
        errors=errors,
        rounding=rounding,
        alive=np.diff(asking.offsets) if alive is None else alive,
        reaches=np.full(count, np.inf, np.float32),
        floors=np.zeros(count, np.float32),
        scales=np.zeros(count, np.float32),
        tables=np.empty((count, cells + 1), np.int16 if items < 2**15 else np.int32),
        pending=np.empty((count, min(MOST_PENDING, len(gallery)), 2), np.int32),
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
        block.reaches[query], block.floors[query], block.scales[query] = lows[block.alive[query] - 1], floor, scale
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
def _resolve(block: Any, query: int) -> None:
    """Gives the pending rows their places."""
    if block.waiting[query] == 0:
        return
    begin, vector = block.offsets[query], block.queries[query].astype(np.float64)
    keys, counts = block.keys[begin : block.offsets[query + 1]], block.counts[begin + query :]
    gallery, numbers, slack, pending = block.gallery, block.numbers, block.slack, block.pending[query]
    for number in range(block.waiting[query]):
        row, place = pending[number, 0], pending[number, 1]
        key = pair_key(vector, gallery, row, slack, numbers[row])
        beyond, step = place, 1
        while beyond < len(keys) and keys[beyond] < key:
            place = beyond + 1
            beyond += step
            step *= 2
        beyond = min(beyond, len(keys))
        while place < beyond:
            middle = (place + beyond) // 2
            if keys[middle] < key:
                place = middle + 1
            else:
                beyond = middle
        counts[place] += 1
    block.waiting[query] = 0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def cut(block: Any, products: Any, wanted: Any, pending: Any, begin: int, end: int) -> None:
    """Estimates by a sample which items of queries `begin` to `end` - 1 are to be ranked; those behind are not alive from here on.

    Args:
        block: whose `first` and `last` are numbers of the sample.
        products: (b, s) with all of it, float32.
        wanted: so many rows of the sample ahead of an item make its rank too large (b,); the first such item is ranked too.
        pending: receives how many of the sample would be pending (b,).
    """
    cells = block.tables.shape[1] - 1
    found = np.empty(products.shape[1], np.int32)
    for query in range(begin, end):
        items, table = block.offsets[query + 1] - block.offsets[query], block.tables[query]
        if items == 0:
            continue
        _find_cells(products[query], len(found), block.floors[query], block.scales[query], cells, found)
        found[block.first[query] : block.last[query]] = 0
        counts, ahead, alive = np.zeros(items + 1, np.int64), 0, 0
        for cell in found:
            place = table[np.uint32(cell)]
            counts[place if place >= 0 else -1 - place] += 1
        while alive < items and ahead < wanted[query]:
            ahead += counts[alive]
            alive += 1
        block.alive[query] = alive
        block.reaches[query] = block.lows[block.offsets[query] + alive - 1]
        for item in range(len(found)):
            pending[query] += table[np.uint32(found[item])] < 0 and products[query, item] >= block.reaches[query]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def count_tile(block: Any, products: Any, halves: bool, column: int, begin: int, end: int) -> None:
    """Counts a tile's rows for queries `begin` to `end` - 1.

    Args:
        products: (b, w), of the queries with the gallery rows from number `column` on; float32, or int16 that hold bfloat16.
        halves: whether they are bfloat16, a float32's upper 16 bits.
    """
    bits, found, inside = np.empty(STRIP, np.int32), np.empty(STRIP, np.int32), np.empty(STRIP, np.int64)
    near, reached = np.empty(STRIP, np.float32), np.int32(0)
    values, columns, cells = bits.view(np.float32), products.shape[1], block.tables.shape[1] - 1
    for query in range(begin, end):
        if block.alive[query] == 0:
            continue
        counts, table = block.counts[block.offsets[query] + query : block.offsets[query + 1] + query + 1], block.tables[query]
        _, lows, highs = _items(block, query)
        floor, scale, reach, pending = block.floors[query], block.scales[query], block.reaches[query], block.pending[query]
        alive, waiting = block.alive[query], 0
        for part in range(2):
            start = 0 if part == 0 else min(max(block.last[query] - column, 0), columns)
            stop = min(max(block.first[query] - column, 0), columns) if part == 0 else columns
            for strip in range(start, stop, STRIP):
                size, reached = min(STRIP, stop - strip), np.int32(0)
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
                width = PIECE if 8 * reached < size else size
                for piece in range(0, size, width):
                    stop_piece, hits, reached = min(piece + width, size), 0, np.int32(0)
                    for item in range(piece, stop_piece):
                        reached = np.int32(reached + np.int32(values[item] >= reach))
                    if reached == 0:
                        continue
                    # gathered first, so that there is no branch to be guessed wrong
                    for item in range(piece, stop_piece):
                        inside[hits], near[hits] = item, values[item]
                        hits += values[item] >= reach
                    _find_cells(near, hits, floor, scale, cells, found)
                    for hit in range(hits):
                        place = table[np.uint32(found[hit])]
                        if place >= 0:
                            counts[np.uint32(place)] += 1
                            continue
                        place = -1 - place
                        if not halves:
                            place = _passed(lows, near[hit], place)
                            if place == len(highs) or highs[place] < near[hit]:
                                counts[place] += 1
                                continue
                        if place < alive:
                            pending[waiting, 0], pending[waiting, 1] = column + strip + inside[hit], place
                            waiting += 1
                            if waiting == len(pending):
                                block.waiting[query] = waiting
                                _resolve(block, query)
                                waiting = 0
        block.waiting[query] = waiting
        # while the tile's rows are in the cache
        _resolve(block, query)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def fill_ranks(block: Any, ranks: Any, limits: Any, missed: Any, begin: int, end: int) -> None:
    """Writes the ranks, from 1, of the items of queries `begin` to `end` - 1.

    Those not alive come out beyond the last that is. Where that one's rank is below the query's limit, more should have been ranked: missed.
    """
    for query in range(begin, end):
        ahead, rank, alive, start = 0, 0, block.alive[query], block.offsets[query]
        items = block.offsets[query + 1] - start
        for item in range(items):
            if item < alive:
                ahead += block.counts[start + query + item]
                rank = item + 1 + ahead
                missed[query] = rank < limits[query] and alive < items
            else:
                rank = max(rank, limits[query]) + 1
            ranks[start + item] = rank
