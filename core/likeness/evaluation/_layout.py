"""The gallery in the form that products are taken of: class by class, in float32 and, where that is faster, in bfloat16."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import row_slices
from likeness.evaluation._inputs import Scaling
from likeness.evaluation._scratch import scratch_array

TILE = 8192  # gallery rows whose products are taken at once


@dataclass(frozen=True)
class Asking:
    """A block of queries.

    Attributes:
        rows: (b, e), scaled.
        first, last: rows first to last - 1 of the layout are of the query's class (b,).
        own: which of them is the query itself and does not count (b,), or None.
        limits: ranks beyond it are not needed (b,).
    """

    rows: NDArray[np.float32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    own: NDArray[np.int64] | None
    limits: NDArray[np.int64]

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where each query's relevant items begin and end, one query after the other (b + 1,)."""
        return np.concatenate([[0], np.cumsum(self.last - self.first - (self.own is not None))])


class Layout:
    """The gallery's rows laid out class by class, so that the relevant rows of a query are one slice.

    Attributes:
        order: the caller's number of each row laid out (n,).
        starts: where each class begins, and the end of the last (c + 1,).
        rows: (n, e), scaled for the metric. In memory where they are small, else mapped from a scratch file.
        longest: the largest length of a row.
    """

    def __init__(self, gallery: NDArray[np.float32], codes: NDArray[np.intp], classes: int, scaling: Scaling) -> None:
        self.scaling = scaling
        self.order = np.argsort(codes, kind="stable")
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=classes))])
        self.longest = 0.0
        self.rows = scratch_array(self._scaled(gallery), (len(gallery), gallery.shape[1] + scaling.added), np.float32)

    def _scaled(self, gallery: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
        for part in row_slices(*gallery.shape):
            rows = self.scaling.gallery(gallery[self.order[part]])
            self.longest = max(self.longest, float(lengths(rows).max()))
            yield rows

    @cached_property
    def halves(self) -> "Halves":
        """The rows in bfloat16."""
        return Halves(self.rows, self.scaling.added)


class Halves:
    """Rows in bfloat16, as int16 of the same bits, and what was lost.

    A column that the metric added is split into three, which together lose nothing, and zeros fill up to a multiple of 32 columns.

    Attributes:
        bits: (n, f), f >= e.
        longest, lost: the largest length of a row of these, and of what rounding took from one.
    """

    def __init__(self, rows: NDArray[np.float32], added: int) -> None:
        self.longest = self.lost = 0.0
        self._rows, self._added = rows, added
        width = rows.shape[1] + 2 * added
        self.bits = scratch_array(self._rounded(-width % 32), (len(rows), width + -width % 32), np.int16)

    def _rounded(self, padding: int) -> Iterator[NDArray[np.int16]]:
        for part in row_slices(*self._rows.shape):
            bits, longest, lost = rounded(self._rows[part], self._added, padding)
            self.longest, self.lost = max(self.longest, float(longest.max())), max(self.lost, float(lost.max()))
            yield bits


def rounded(rows: NDArray[np.float32], added: int, padding: int) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.float64]]:
    """Rows (m, e) in bfloat16 as for `Halves`, their lengths (m,) and the lengths of what rounding took from them (m,)."""
    main, extra = np.split(rows, [rows.shape[1] - added], axis=1)
    parts, rest = [_nearest(main)], extra
    for _ in range(3 if added else 0):
        parts.append(_nearest(rest))
        rest = rest - parts[-1]
    low = np.hstack([*parts, np.zeros((len(rows), padding), np.float32)])
    return (low.view(np.uint32) >> 16).astype(np.uint16).view(np.int16), lengths(low), np.hypot(lengths(main - parts[0]), lengths(rest))


def _nearest(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The nearest bfloat16 of each value, halves to even."""
    bits = np.ascontiguousarray(rows).view(np.uint32)
    nearest: NDArray[np.float32] = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return nearest


def lengths(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Of each row (m,)."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64)))
