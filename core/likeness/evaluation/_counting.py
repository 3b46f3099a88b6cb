"""Ranks of a query's relevant items by counting what lies ahead of each, compiled; importing this module imports numba.

The rank of a relevant item is 1 + the relevant items ahead of it + the irrelevant ones ahead of it. The relevant similarities come
sorted; each irrelevant similarity is put between two of them by a table look-up, some five times as fast as sorting the row. The
kernels release the interpreter's lock and are called from a few threads, because numba's own threads must not be entered from two
threads at once, as an app with several visitors does.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

MOST_CELLS = 16384
CELLS_PER_ITEM = 32
FEW = 32
TILE = 512


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _ties_before(row: Any, first: int, last: int, order: Any, column: int) -> int:
    """How many relevant columns, first to last - 1, are just as similar as `column` and come before it in the caller's order."""
    before = 0
    for other in range(first, last):
        if row[other] == row[column] and order[other] < order[column]:
            before += 1
    return before


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _ahead_of_one(values: Any, relevant: Any) -> tuple[Any, Any]:
    """How many values are larger than one relevant similarity, and how many at least as large.

    Counters as wide as the values keep the loop in vector instructions of full width, three times as fast as with numba's own integers.
    """
    larger = np.int32(0)
    not_smaller = np.int32(0)
    for item in range(len(values)):
        larger = np.int32(larger + np.int32(values[item] > relevant))
        not_smaller = np.int32(not_smaller + np.int32(values[item] >= relevant))
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
    """Few relevant items: one vectorised comparison of the row with each, a tile that fits the nearest cache at a time.

    The smallest relevant similarity comes first: a tile in which nothing reaches it reaches none of the others.
    """
    tied = False
    for item in range(len(relevant)):
        ranks[item] = item + 1
    for part in range(2):
        begin, end = (0, first) if part == 0 else (last, len(row))
        for tile in range(begin, end, TILE):
            values = row[tile : min(tile + TILE, end)]
            for item in range(len(relevant) - 1, -1, -1):
                larger, not_smaller = _ahead_of_one(values, relevant[item])
                if not_smaller == 0:
                    break
                ranks[item] += larger
                tied |= larger != not_smaller
    if tied:
        _break_ties(row, first, last, order, relevant, ranks)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _find_cells(values: Any, smallest: Any, scale: Any, cells: int, found: Any) -> None:
    """The cell of each value: 0 below `smallest`, 1 at it, up to `cells`. A monotone function of the value, even after rounding."""
    for item in range(len(values)):
        cell = (values[item] - smallest) * scale + np.float32(1)
        cell = min(cell, np.float32(cells))
        found[item] = np.int32(max(cell, np.float32(0)))


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _fill_places(item_cells: Any, cells: int, places: Any) -> None:
    """places[c] = how many relevant items are in cells higher than c; written as -1 - that number where c holds some itself."""
    item = 0
    for cell in range(cells, 0, -1):
        higher = item
        while item < len(item_cells) and item_cells[item] == cell:
            item += 1
        places[cell] = higher if higher == item else -1 - higher


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _place(row: Any, column: int, first: int, last: int, order: Any, relevant: Any, place: int) -> int:
    """The first relevant item that `column` is ahead of, or their number if there is none; at least `place` and rarely far beyond."""
    value = row[column]
    beyond, step = place, 1
    while beyond < len(relevant) and relevant[beyond] > value:
        place = beyond + 1
        beyond += step
        step *= 2
    beyond = min(beyond, len(relevant))
    while place < beyond:
        middle = (place + beyond) // 2
        if relevant[middle] > value:
            place = middle + 1
        else:
            beyond = middle
    if place < len(relevant) and relevant[place] == value:
        place += _ties_before(row, first, last, order, column)
    return place


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _rank_many(row: Any, first: int, last: int, order: Any, relevant: Any, places: Any, found: Any, ranks: Any) -> None:
    """Many relevant items: their range is cut into equal cells, most of which hold none, so that a value's cell gives its place."""
    cells = 512
    while cells < CELLS_PER_ITEM * len(relevant) and cells < MOST_CELLS:
        cells *= 2
    smallest, span = relevant[-1], relevant[0] - relevant[-1]
    scale = np.float32((cells - 2) / span) if span > 1e-30 else np.float32(0)
    _find_cells(relevant, smallest, scale, cells, found)
    _fill_places(found[: len(relevant)], cells, places)
    ranks[:] = 0
    for part in range(2):
        begin, end = (0, first) if part == 0 else (last, len(row))
        for tile in range(begin, end, TILE):
            values = row[tile : min(tile + TILE, end)]
            if _ahead_of_one(values, smallest)[1] == 0:
                continue
            _find_cells(values, smallest, scale, cells, found)
            for item in range(len(values)):
                cell = found[item]
                if cell > 0:
                    place = places[np.uint32(cell)]
                    if place < 0:
                        place = _place(row, tile + item, first, last, order, relevant, -1 - place)
                        if place == len(relevant):
                            continue
                    ranks[np.uint32(place)] += 1
    ahead = 0
    for item in range(len(ranks)):
        ahead += ranks[item]
        ranks[item] = item + 1 + ahead


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _rank_rows(similarities: Any, first: Any, last: Any, order: Any, relevant: Any, offsets: Any, ranks: Any, begin: int, end: int) -> None:
    places = np.zeros(MOST_CELLS + 1, np.int32)
    found = np.zeros(max(similarities.shape[1], TILE), np.int32)
    for query in range(begin, end):
        low, high = offsets[query], offsets[query + 1]
        if high - low > FEW:
            _rank_many(similarities[query], first[query], last[query], order, relevant[low:high], places, found, ranks[low:high])
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
    # A few parts per thread, since the work of a query depends on where its relevant items lie.
    bounds = np.linspace(0, len(similarities), 4 * threads + 1).astype(np.int64)
    work = [pool.submit(_rank_rows, similarities, first, last, order, relevant, offsets, ranks, begin, end) for begin, end in pairwise(bounds)]
    for part in work:
        part.result()
    return ranks
