"""Ranks of a query's relevant items by counting what lies ahead of each, compiled; importing this module imports numba.

The rank of a relevant item is 1 + the relevant items ahead of it + the irrelevant ones ahead of it. The relevant similarities come
sorted; each irrelevant similarity is put between two of them, which takes a table look-up instead of a place in a sorted row. The
kernels release the interpreter's lock and are called from a few threads, because numba's own threads must not be entered from two
threads at once, as an app with several visitors does.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

MOST_CELLS = 4096
CELLS_PER_ITEM = 32
FEW = 12
TILE = 4096


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _ties_before(row: Any, first: int, last: int, order: Any, column: int) -> int:
    """How many relevant columns, first to last - 1, are just as similar as `column` and come before it in the caller's order."""
    before = 0
    for other in range(first, last):
        if row[other] == row[column] and order[other] < order[column]:
            before += 1
    return before


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _ahead_of_one(row: Any, begin: int, end: int, value: Any) -> tuple[int, int]:
    """How many of row[begin:end] are larger than `value`, and how many at least as large. Compiles to vector instructions."""
    larger = np.int32(0)
    not_smaller = np.int32(0)
    for column in range(begin, end):
        larger += np.int32(row[column] > value)
        not_smaller += np.int32(row[column] >= value)
    return larger, not_smaller


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _break_ties(row: Any, first: int, last: int, order: Any, relevant: Any, ranks: Any) -> None:
    """Adds to each rank the irrelevant columns that are exactly as similar and come first in the caller's order."""
    for column in range(len(row)):
        if column < first or column >= last:
            for item in range(len(relevant)):
                if relevant[item] == row[column]:
                    item += _ties_before(row, first, last, order, column)
                    while item < len(relevant) and relevant[item] == row[column]:
                        ranks[item] += 1
                        item += 1
                    break


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _rank_few(row: Any, first: int, last: int, order: Any, relevant: Any, ranks: Any) -> None:
    """Few relevant items: one vectorised comparison of the row with each, a tile that fits the nearest cache at a time."""
    tied = False
    for item in range(len(relevant)):
        ranks[item] = item + 1
    for part in range(2):
        begin, end = (0, first) if part == 0 else (last, len(row))
        for tile in range(begin, end, TILE):
            stop = min(tile + TILE, end)
            for item in range(len(relevant)):
                larger, not_smaller = _ahead_of_one(row, tile, stop, relevant[item])
                ranks[item] += larger
                tied |= larger != not_smaller
    if tied:
        _break_ties(row, first, last, order, relevant, ranks)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _fill_cells(relevant: Any, scale: Any, above: Any, cells: int) -> None:
    """above[c + 1] = number of relevant items in cells higher than c; above[c] - above[c + 1] of them are in cell c."""
    item = 0
    for cell in range(cells - 1, -1, -1):
        while item < len(relevant) and np.int32((relevant[item] - relevant[-1]) * scale) > cell:
            item += 1
        above[cell + 1] = item
    above[0] = len(relevant)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _place(value: Any, relevant: Any, low: int, high: int) -> int:
    """The number of relevant items larger than `value`, known to lie between low and high."""
    while low < high:
        middle = (low + high) // 2
        if relevant[middle] > value:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _rank_many(row: Any, first: int, last: int, order: Any, relevant: Any, above: Any, ranks: Any) -> None:
    """Many relevant items: their range is cut into equal cells, most of which hold none, so that a value's cell gives its place.

    The cell is a monotone function of the value even after rounding, so an item in a higher cell is larger for certain.
    """
    count, smallest, largest = len(relevant), relevant[-1], relevant[0]
    cells = 512
    while cells < CELLS_PER_ITEM * count and cells < MOST_CELLS:
        cells *= 2
    span = largest - smallest
    scale = np.float32((cells - 1) / span) if span > 1e-30 else np.float32(0)
    _fill_cells(relevant, scale, above, cells)
    ranks[:] = 0
    for part in range(2):
        begin, end = (0, first) if part == 0 else (last, len(row))
        for column in range(begin, end):
            value = row[column]
            if value > largest:
                ranks[0] += 1
            elif value >= smallest:
                cell = np.uint32(np.int32((value - smallest) * scale))
                place = np.int64(above[cell + np.uint32(1)])
                if place != above[cell]:
                    place = _place(value, relevant, place, above[cell])
                    if place < count and relevant[place] == value:
                        place += _ties_before(row, first, last, order, column)
                        if place >= count:
                            continue
                ranks[place] += 1
    ahead = 0
    for item in range(count):
        ahead += ranks[item]
        ranks[item] = item + 1 + ahead


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _rank_rows(similarities: Any, first: Any, last: Any, order: Any, relevant: Any, offsets: Any, ranks: Any, begin: int, end: int) -> None:
    above = np.zeros(MOST_CELLS + 2, np.int32)
    for query in range(begin, end):
        low, high = offsets[query], offsets[query + 1]
        if high - low > FEW:
            _rank_many(similarities[query], first[query], last[query], order, relevant[low:high], above, ranks[low:high])
        elif high > low:
            _rank_few(similarities[query], first[query], last[query], order, relevant[low:high], ranks[low:high])


def ranks_by_counting(
    similarities: NDArray[np.float32],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    order: NDArray[np.int64],
    relevant: NDArray[np.float32],
    offsets: NDArray[np.int64],
    pool: ThreadPoolExecutor,
    threads: int,
) -> NDArray[np.int64]:
    """Ranks, from 1, of the relevant similarities of each query, in the form of `_ranks.ranks_by_sorting`, which it equals."""
    ranks = np.empty(len(relevant), np.int64)
    bounds = np.linspace(0, len(similarities), threads + 1).astype(np.int64)
    work = [
        pool.submit(_rank_rows, similarities, first, last, order, relevant, offsets, ranks, begin, end)
        for begin, end in zip(bounds[:-1], bounds[1:], strict=True)
    ]
    for part in work:
        part.result()
    return ranks
