"""Compiled kernels that count the gallery rows ahead of each relevant item of a query. Importing this module imports numba.

A similarity is the dot product of two float32 rows, rounded once to float32. It is summed in float64, or in twice that precision if the sum is so
near the middle of two float32 numbers that its own rounding could decide. So equal rows tie on every machine, whatever the order of summation and the
size of blocks. A key packs a similarity and a row number into 64 bits so that smaller keys rank first: larger similarities, then smaller row numbers.

The kernels release the GIL and are called from our own threads: numba's parallel ones must not be entered from two threads at once, which an app with
several visitors would do.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.compiled import load_numba

njit = load_numba().njit

STRIP = 128
BEHIND_ALL = np.uint64(2**64 - 1)


class Block(NamedTuple):
    """A block of queries and their relevant rows, the "items": in rank order, one query after the other.

    The gallery is ordered by class. A table divides the range of a query's similarities into cells, few of which contain an item, so one look-up
    places nearly every product among hundreds of items.
    """

    queries: NDArray[np.float32]  # (b, e)
    first: NDArray[np.int64]  # the relevant rows are first to last - 1 of the ordered gallery (b,)
    last: NDArray[np.int64]
    offsets: NDArray[np.int64]  # bounds of each query's items (b + 1,)
    keys: NDArray[np.uint64]  # of the items (items,)
    lows: NDArray[np.float32]  # a smaller product is certainly behind the item (items,)
    highs: NDArray[np.float32]  # a larger one is certainly ahead of it (items,)
    counts: NDArray[np.int64]  # irrelevant rows ahead of the item, but not of the previous one (items,)
    errors: NDArray[np.float64]  # error bound of a query's products (b,)
    slack: float  # the same for float64
    floors: NDArray[np.float32]  # product v is in cell 1 + (v - floor) * scale, or 0 if it is behind all items (b,)
    scales: NDArray[np.float32]
    tables: NDArray[np.int32]  # number of items n with `lows` in higher cells; ~n < 0 if the cell contains one (b, cells + 1)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})  # type: ignore[untyped-decorator]
def _dot(x: Any, y: Any) -> Any:
    """In float64, with free order of summation: products of float32 numbers are exact there, sums nearly."""
    total = 0.0
    for item in range(len(x)):
        total += np.float64(x[item]) * np.float64(y[item])
    return total


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _precise_dot(x: Any, y: Any) -> Any:
    """Dot product with compensated summation (Knuth's two-sum): as if in twice the precision of float64, then rounded."""
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
    """Key of row y, numbered `number` by the caller, for query x; `value` is their product in float64, within `slack` of the exact one."""
    low, high = np.float32(value - slack), np.float32(value + slack)
    similarity = low if low == high else np.float32(_precise_dot(x, y))
    # Order of a float's bits is that of its value once those of negative ones are mirrored; negated, larger ones come first. + 0 turns -0 into 0.
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
    """Keys (b, m) of rows (m, e) numbered (m,), for queries `begin` to `end` - 1; `products` (b, m) in float64, or empty."""
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
    """Computes lows, highs and tables from the keys of queries `begin` to `end` - 1."""
    for query in range(begin, end):
        items, table = slice(block.offsets[query], block.offsets[query + 1]), block.tables[query]
        keys, lows, highs, cells = block.keys[items], block.lows[items], block.highs[items], len(table) - 1
        if len(keys) == 0:
            continue
        for item in range(len(keys)):
            similarity = _similarity(keys[item])
            # error of a product, rounding of similarities to float32, and a reserve for the rounding of this sum
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
    """Counts the irrelevant rows of a tile for queries `begin` to `end` - 1.

    Rows are (w, e), from number `column` on, `numbers` (w,) those of the caller; `products` (b, w) are overwritten.
    """
    found, touched = np.empty(STRIP, np.int32), np.empty(STRIP, np.int32)
    for query in range(begin, end):
        items, table, values = slice(block.offsets[query], block.offsets[query + 1]), block.tables[query], products[query]
        keys, lows, highs = block.keys[items], block.lows[items], block.highs[items]
        floor, scale, cells, vector = block.floors[query], block.scales[query], len(table) - 1, block.queries[query].astype(np.float64)
        if len(keys) == 0:
            continue
        # relevant rows are not counted: they fall into cell 0
        values[max(block.first[query] - column, 0) : max(block.last[query] - column, 0)] = -np.inf
        counts = np.zeros(len(keys) + 2, np.int64)  # two more: rows behind all items (last but one), and rows in a cell that contains an item (last)
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
                counts[max(place, -1)] += 1  # without a branch, which processors could not predict
                touched[n_touched] = item
                n_touched += place < 0
            for number in range(n_touched):
                item = touched[number]
                value, place, last = strip[item], ~table[found[item]], table[found[item] - 1]
                last = max(last, ~last)
                # binary search among the items of the cell
                while place < last:
                    middle = (place + last) // 2
                    if lows[middle] > value:
                        place = middle + 1
                    else:
                        last = middle
                if place < len(keys) and highs[place] >= value:
                    # too close to an item for float32: only the exact key decides
                    row = start + item
                    place = np.searchsorted(keys, _key(_dot(vector, rows[row]), block.slack, vector, rows[row], numbers[row]))
                counts[place] += 1
        block.counts[items] += counts[:-2]
