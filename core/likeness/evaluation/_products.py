"""Products of a block of queries with the gallery, a tile at a time, and how far they can be from the exact ones."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from likeness.evaluation._layout import TILE, Layout, lengths, rounded
from likeness.evaluation._scratch import aligned_empty

ROUNDING = 2.0**-24  # relative error of float32
HALF_ROUNDING = 2.0**-8  # and of bfloat16
SAMPLED, FEWEST_ROUNDINGS = 512, 4
SMALLEST = 2.0**-126  # of float32; processors may take smaller ones for zero


class Products(Protocol):
    """A way to take products with a gallery, and with a sample of its rows (r,).

    `rounding` is the relative error with which they are stored, `halves` whether as bfloat16, in int16.
    """

    rounding: float
    halves: bool

    def take(self, queries: NDArray[np.float32]) -> NDArray[np.float64]:
        """Takes up queries (b, e); the bound of the error of each one's products, storage apart (b,)."""
        ...

    def tile(self, begin: int, end: int) -> NDArray[Any]:
        """Of the queries with these gallery rows (b, end - begin)."""
        ...

    def sampled(self) -> NDArray[np.float32]:
        """The same with the sample of gallery rows (b, r)."""
        ...


class SinglePrecision:
    """Products in float32.

    d roundings can't add up to more than d 2^-24 |x| |y|, but then all would have to err to the same side. In fact they add up to a
    hundredth of it for vectors of encoders, and to a fourth for constant ones. So twice the largest error among products of sampled rows
    with each other and with themselves, where it is largest, is taken for the bound.
    """

    rounding = 0.0
    halves = False

    def __init__(self, layout: Layout, sample: NDArray[np.int64]) -> None:
        self._layout, self._queries, self._out = layout, layout.rows[:0], np.empty(0, np.float32)
        self._sample = layout.rows[sample]
        self._error = min(layout.rows.shape[1], max(FEWEST_ROUNDINGS, 2 * _largest_error(layout) / ROUNDING)) * ROUNDING

    def take(self, queries: NDArray[np.float32]) -> NDArray[np.float64]:
        self._queries, d = queries, queries.shape[1]
        if len(self._out) < len(queries) * TILE:
            self._out = np.empty(len(queries) * TILE, np.float32)
        return np.asarray(lengths(queries) * (self._error * self._layout.longest) + d * SMALLEST)

    def tile(self, begin: int, end: int) -> NDArray[Any]:
        out = self._out[: len(self._queries) * (end - begin)].reshape(len(self._queries), end - begin)
        return np.matmul(self._queries, self._layout.rows[begin:end].T, out=out)

    def sampled(self) -> NDArray[np.float32]:
        return np.asarray(self._queries @ self._sample.T)


def _largest_error(layout: Layout) -> float:
    """Of products in float32 of a sample of rows, relative to their lengths."""
    rows = layout.rows[np.unique(np.linspace(0, len(layout.rows) - 1, SAMPLED).astype(np.int64))]
    queries = rows.copy()
    queries[:, queries.shape[1] - layout.scaling.added :] = layout.scaling.unit
    scale = lengths(queries)[:, None] * lengths(rows)
    errors = np.abs(queries @ rows.T - queries.astype(np.float64) @ rows.astype(np.float64).T)
    return float((errors[scale > 0] / scale[scale > 0]).max(initial=0))


class HalfPrecision:
    """Products in bfloat16, by torch.

    With x = x' + r and y = y' + s, what is left of rounding to bfloat16, x.y - x'.y' = x'.s + r.y, at most |x'| |s| + |r| |y| (Cauchy and
    Schwarz). Sums are in float32, whose error is at most d 2^-24 |x'| |y'|, in whichever order.
    """

    rounding = HALF_ROUNDING
    halves = True

    def __init__(self, layout: Layout, sample: NDArray[np.int64]) -> None:
        import torch

        self._layout, self._torch = layout, torch
        self._gallery = torch.from_numpy(layout.halves.bits).view(torch.bfloat16)
        self._queries = self._gallery[:0]
        self._out = torch.empty(0, dtype=torch.bfloat16)
        self._sample = self._gallery[torch.from_numpy(sample)]

    def take(self, queries: NDArray[np.float32]) -> NDArray[np.float64]:
        halves = self._layout.halves
        bits, length, lost = self._rounded(queries, halves.bits.shape[1])
        aligned = aligned_empty(bits.shape, np.int16)
        aligned[:] = bits
        self._queries = self._torch.from_numpy(aligned).view(self._torch.bfloat16)
        if len(self._out) < len(queries) * TILE:
            self._out = self._torch.empty(len(queries) * TILE, dtype=self._torch.bfloat16)
        d = bits.shape[1]
        # a margin of a thousandth for the rounding of these lengths themselves
        bound = length * halves.lost + lost * self._layout.longest + d * ROUNDING * length * halves.longest
        return np.asarray(1.001 * bound + d * SMALLEST)

    def _rounded(self, queries: NDArray[np.float32], width: int) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.float64]]:
        """As the gallery's, except that a query's added column, a power of two, goes with all three parts of the gallery's."""
        added, unit = self._layout.scaling.added, self._layout.scaling.unit
        first = queries.shape[1] - added
        bits, length, lost = rounded(queries[:, :first], 0, width - first)
        if added:
            bits[:, first : first + 3] = rounded(np.array([[unit]], np.float32), 0, 0)[0]
            length = np.hypot(length, np.sqrt(3) * unit)
        return bits, length, lost

    def tile(self, begin: int, end: int) -> NDArray[Any]:
        out = self._out[: len(self._queries) * (end - begin)].view(len(self._queries), end - begin)
        self._torch.matmul(self._queries, self._gallery[begin:end].T, out=out)
        return out.view(self._torch.int16).numpy()

    def sampled(self) -> NDArray[np.float32]:
        return np.asarray(self._torch.matmul(self._queries, self._sample.T).float().numpy())
