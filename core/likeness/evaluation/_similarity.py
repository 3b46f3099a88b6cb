"""The similarity of two rows, the same however it is computed; importing this module imports numba.

A similarity is the dot product of two float32 rows, rounded to float32. Float64 sums decide, and where they lie so near the middle of two
float32 numbers that their own rounding could tip it, sums of twice that precision do. So equal rows tie, on every machine, and neither the
order of summation nor the size of a block of products matters.

An item's key joins its similarity and its row number in 64 bits, such that smaller keys rank first: larger similarities, and of equal ones
the smaller row number.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

UNIT = 2.0**-53  # of float64: relative error of a rounding
BEHIND_ALL = np.uint64(2**64 - 1)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})  # type: ignore[untyped-decorator]
def _dot(x: Any, rows: Any, row: Any) -> Any:
    """With this row, in float64, in whichever order is fast: products of float32 numbers are exact there, sums nearly."""
    total = 0.0
    for item in range(len(x)):
        total += np.float64(x[item]) * np.float64(rows[row, item])
    return total


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _precise_dot(x: Any, rows: Any, row: Any) -> Any:
    """The sum and what its rounding left, carried along (Knuth's two-sum): as if in twice the precision of float64, then rounded."""
    total = rest = 0.0
    for item in range(len(x)):
        product = np.float64(x[item]) * np.float64(rows[row, item])
        both = total + product
        part = both - total
        rest += (total - (both - part)) + (product - part)
        total = both
    return total + rest


@njit(cache=True, nogil=True, inline="always")  # type: ignore[untyped-decorator]
def _key(similarity: Any, row: Any) -> Any:
    """Larger similarities have smaller bits here: of a float's bits, a negative one's are turned, then all."""
    bits = np.float32(similarity + np.float32(0)).view(np.int32)  # + 0 makes -0 a plain 0
    ordered = np.int64(bits) if bits >= 0 else -np.int64(bits & np.int32(0x7FFFFFFF))
    return (np.uint64(np.int64(0x80000000) - ordered) << np.uint64(32)) | np.uint64(row)


@njit(cache=True, nogil=True, inline="always")  # type: ignore[untyped-decorator]
def _settled(value: Any, slack: Any, x: Any, rows: Any, row: Any) -> Any:
    """The similarity of x and a row, whose product in float64 is `value`, at most `slack` from the exact one."""
    low, high = np.float32(value - slack), np.float32(value + slack)
    return low if low == high else np.float32(_precise_dot(x, rows, row))


@njit(cache=True, nogil=True, inline="always")  # type: ignore[untyped-decorator]
def pair_key(x: Any, rows: Any, row: Any, slack: Any, number: Any) -> Any:
    """The key of a row (of all (n, d)), whose number with the caller is this, for the query x (d,)."""
    return _key(_settled(_dot(x, rows, row), slack, x, rows, row), number)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def fill_class_keys(
    queries: Any, rows: Any, slack: Any, numbers: Any, first: Any, last: Any, own: Any, offsets: Any, keys: Any, most: int, begin: int, end: int
) -> None:
    """The keys of the relevant rows, the smallest first, of queries `begin` to `end` - 1 whose classes have no more than `most` rows.

    Relevant are rows first to last - 1 but `own` (b,); a query's keys go where `offsets` (b + 1,) says.
    """
    for query in range(begin, end):
        if last[query] - first[query] > most:
            continue
        vector, place = queries[query].astype(np.float64), offsets[query]
        for row in range(first[query], last[query]):
            if row != own[query]:
                keys[place] = pair_key(vector, rows, row, slack, numbers[row])
                place += 1
        keys[offsets[query] : place].sort()


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _fill_keys(products: Any, queries: Any, rows: Any, slack: Any, numbers: Any, keys: Any) -> None:
    for query in range(len(queries)):
        for item in range(len(rows)):
            keys[query, item] = _key(_settled(products[query, item], slack, queries[query], rows, item), numbers[item])


def slack_of(dimensions: int, longest_query: float, longest_row: float) -> float:
    """How far a float64 product of rows of at most these lengths can be from the exact one, whatever the order of summation."""
    return 2 * dimensions * UNIT * longest_query * longest_row


def block_keys(queries: NDArray[np.float32], rows: NDArray[np.float32], slack: float, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Keys (b, m) of gallery rows (m, d) with these numbers (m,), for queries (b, d)."""
    products = queries.astype(np.float64) @ rows.astype(np.float64).T
    keys = np.empty(products.shape, np.uint64)
    _fill_keys(products, queries, rows, slack, numbers, keys)
    return keys
