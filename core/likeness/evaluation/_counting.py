"""Compiled: which gallery rows lie ahead of each relevant item of a query. Importing this module imports numba.

A similarity is the dot product of two float32 rows, rounded once to float32. Float64 sums decide it, and where they lie so near the middle of two
float32 numbers that their own rounding could tip it, sums of twice that precision do. So equal rows tie, on every machine, and neither the order of
summation nor the size of a block of products matters. A key joins a similarity and a row number in 64 bits, such that smaller keys rank first: larger
similarities, and of equal ones the smaller row number.

The kernels release the interpreter's lock and are called from a few threads, because numba's own must not be entered from two threads at once, as an
app with several visitors does.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.compiled import load_numba

njit = load_numba().njit

STRIP = 128
BEHIND_ALL = np.uint64(2**64 - 1)


class Block(NamedTuple):
    """A block of queries and their relevant rows ("items", those that rank first first; the items of all queries lie one after the other).

    Rows are laid out class by class. A table divides the range of a query's similarities into cells, few of which an item touches, so that
    nearly every product finds its place among hundreds of items by one look-up.
    """

    queries: NDArray[np.float32]  # (b, e)
    first: NDArray[np.int64]  # relevant are rows first to last - 1 of the gallery as laid out (b,)
    last: NDArray[np.int64]
    offsets: NDArray[np.int64]  # where each query's items begin and end (b + 1,)
    keys: NDArray[np.uint64]  # of the items
    lows: NDArray[np.float32]  # what has a smaller product is behind the item for certain (items,)
    highs: NDArray[np.float32]  # what has a larger one is ahead of it for certain (items,)
    counts: NDArray[np.int64]  # irrelevant rows ahead of the item, but not of the one before it (items,)
    errors: NDArray[np.float64]  # bound of the error of a query's products (b,)
    slack: float  # and of those in float64
    floors: NDArray[np.float32]  # product v lies in cell 1 + (v - floor) * scale, and in 0 where it is behind all items (b,)
    scales: NDArray[np.float32]
    tables: NDArray[np.int32]  # items n whose `lows` are in higher cells; ~n, which is below 0, where one lies in the cell (b, cells + 1)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})  # type: ignore[untyped-decorator]
def _dot(x: Any, y: Any) -> Any:
    """In float64, in whichever order is fast: products of float32 numbers are exact there, sums nearly."""
    total = 0.0
    for item in range(len(x)):
        total += np.float64(x[item]) * np.float64(y[item])
    return total


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _precise_dot(x: Any, y: Any) -> Any:
    """The sum and what its rounding left, carried along (Knuth's two-sum): as if in twice the precision of float64, then rounded."""
    total = rest = 0.0
    for item in range(len(x)):
        product = np.float64(x[item]) * np.float64(y[item])
        both = total + product
        part = both - total
        rest += (total - (both - part)) + (product - part)
        total = both
    return total + rest


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _key(value: Any, slack: Any, x: Any, y: Any, number: Any) -> Any:
    """The key of row y, the caller's `number`, for query x; `value` is their product in float64, at most `slack` from the exact one."""
    low, high = np.float32(value - slack), np.float32(value + slack)
    similarity = low if low == high else np.float32(_precise_dot(x, y))
    # Larger similarities have smaller bits here: of a float's bits, a negative one's are turned, then all. + 0 makes -0 a plain 0.
    bits = np.float32(similarity + np.float32(0)).view(np.int32)
    ordered = np.int64(bits) if bits >= 0 else -np.int64(bits & np.int32(0x7FFFFFFF))
    return (np.uint64(np.int64(0x80000000) - ordered) << np.uint64(32)) | np.uint64(number)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _similarity(key: Any) -> Any:
    ordered = np.int64(0x80000000) - np.int64(key >> np.uint64(32))
    bits = ordered if ordered >= 0 else np.int64(0x80000000) - ordered
    return np.float64(np.uint32(bits).view(np.float32))


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def fill_keys(products: Any, queries: Any, rows: Any, slack: Any, numbers: Any, keys: Any, begin: int, end: int) -> None:
    """Keys (b, m) of rows (m, e) with these numbers (m,), for queries `begin` to `end` - 1; `products` (b, m) in float64, or empty."""
    for query in range(begin, end):
        vector = queries[query].astype(np.float64)
        for item in range(len(rows)):
            value = products[query, item] if len(products) else _dot(vector, rows[item])
            keys[query, item] = _key(value, slack, vector, rows[item], numbers[item])


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _cell(value: Any, floor: Any, scale: Any, cells: Any) -> Any:
    """A monotone function of the value, even after rounding."""
    return np.int32(max(min((value - floor) * scale + np.float32(1), np.float32(cells)), np.float32(0)))


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def prepare(block: Any, begin: int, end: int) -> None:
    """Fills what follows from the keys of queries `begin` to `end` - 1: lows, highs and tables."""
    for query in range(begin, end):
        items, table = slice(block.offsets[query], block.offsets[query + 1]), block.tables[query]
        keys, lows, highs, cells = block.keys[items], block.lows[items], block.highs[items], len(table) - 1
        if len(keys) == 0:
            continue
        for item in range(len(keys)):
            similarity = _similarity(keys[item])
            # the error of a product, the rounding of similarities to float32, and something for that of this sum
            margin = (block.errors[query] + abs(similarity) * 4e-7) * 1.005 + 1e-37
            lows[item], highs[item] = similarity - margin, similarity + margin
        floor, span = lows[-1], highs[0] - lows[-1]
        scale = np.float32((cells - 2) / span) if span > 1e-30 else np.float32(1)
        block.floors[query], block.scales[query] = floor, scale
        top = len(table)
        for item in range(len(keys)):
            lowest, highest = _cell(lows[item], floor, scale, cells), _cell(highs[item], floor, scale, cells)
            for cell in range(lowest, top):
                table[cell] = item if cell > highest else ~item
            top = lowest
        table[:top] = len(keys)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def count_tile(block: Any, products: Any, rows: Any, numbers: Any, column: int, begin: int, end: int) -> None:
    """Counts a tile's irrelevant rows for queries `begin` to `end` - 1: rows (w, e), number `column` on, their products (b, w) with the queries,
    which are changed, and the caller's number of each (w,).
    """
    found, touched = np.empty(STRIP, np.int32), np.empty(STRIP, np.int32)
    for query in range(begin, end):
        items, table, values = slice(block.offsets[query], block.offsets[query + 1]), block.tables[query], products[query]
        keys, lows, highs = block.keys[items], block.lows[items], block.highs[items]
        floor, scale, cells, vector = block.floors[query], block.scales[query], len(table) - 1, block.queries[query].astype(np.float64)
        if len(keys) == 0:
            continue
        values[max(block.first[query] - column, 0) : max(block.last[query] - column, 0)] = -np.inf
        counts = np.zeros(len(keys) + 2, np.int64)  # the last two: rows behind all items, and rows in a cell that an item touches
        for start in range(0, len(values), STRIP):
            strip, highest = values[start : start + STRIP], np.int32(0)
            for item in range(len(strip)):
                found[item] = _cell(strip[item], floor, scale, cells)
                highest = max(highest, found[item])
            if highest == 0:
                continue
            n_touched = 0
            for item in range(len(strip)):
                place = table[found[item]]
                counts[max(place, -1)] += 1  # no branch, since processors cannot guess it
                touched[n_touched] = item
                n_touched += place < 0
            for number in range(n_touched):
                item = touched[number]
                value, place, last = strip[item], ~table[found[item]], table[found[item] - 1]
                last = max(last, ~last)
                while place < last:
                    middle = (place + last) // 2
                    if lows[middle] > value:
                        place = middle + 1
                    else:
                        last = middle
                if place < len(keys) and highs[place] >= value:
                    row = start + item
                    place = np.searchsorted(keys, _key(_dot(vector, rows[row]), block.slack, vector, rows[row], numbers[row]))
                counts[place] += 1
        block.counts[items] += counts[:-2]
