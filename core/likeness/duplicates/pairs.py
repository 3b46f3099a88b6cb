"""Collect pairs of similar images, without duplicates and with bounded memory."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.progress import Progress

MOST_PAIRS = 10_000_000  # 20 bytes each, three times that while they are sorted
# Products of unit rows in single precision: by so much a pair may lie below the threshold and still count.
ROUNDING = 1e-6

_LOOKED_AT = 20_000  # pairs
_BLOCK = 4096  # rows of each side: 64 MB of similarities

Rows = NDArray[np.int64]
Floats = NDArray[np.float32]


class TooManyPairsError(InputError):
    """More pairs reach a threshold than the limit allows."""


@dataclass(frozen=True)
class NearPairs:
    """Pairs of images whose cosine similarity reaches a threshold, most similar first, equal ones by row.

    Attributes:
        rows: (p, 2); within one space the smaller number first; between two, the row of the first space and that of the second.
        similarities: (p,).
        exact: whether every pair was compared.
        sampled: pairs of some images drawn at random, each compared with all others; 0 where all pairs were compared.
        sampled_found: how many of these are among `rows`: the recall of the search through cells.
    """

    rows: Rows
    similarities: Floats
    threshold: float
    exact: bool = True
    sampled: int = 0
    sampled_found: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def above(self, threshold: float) -> "NearPairs":
        """The pairs whose similarity is at least a higher threshold; recall is that of the lower one."""
        many = int(np.searchsorted(-self.similarities, ROUNDING - threshold, side="right"))
        return replace(self, rows=self.rows[:many], similarities=self.similarities[:many], threshold=threshold)

    def of_images(self, numbers: Rows | None) -> "NearPairs":
        """The pairs of different images, by first rows, if a table has several rows per image: `Space.image_numbers` (n,); all if None."""
        if numbers is None:
            return self
        own = (numbers[self.rows] == self.rows).all(axis=1)
        return replace(self, rows=self.rows[own], similarities=self.similarities[own])

    def at_line(self, threshold: float, count: int) -> tuple[Rows, Rows]:
        """Positions (up to count,) of the last pairs above a threshold and the first below it, nearest to it first. On each side no image occurs
        twice, so that they show different images.
        """
        many = len(self.above(threshold))
        return _different(self.rows, range(many - 1, -1, -1), count), _different(self.rows, range(many, len(self)), count)

    @property
    def recall(self) -> float | None:
        """Measured share of pairs found; 1 if all were compared, None if the sample had no pair."""
        return 1.0 if self.exact else self.sampled_found / self.sampled if self.sampled else None

    @property
    def message(self) -> str:
        """A sentence: whether all pairs were compared, or the measured recall."""
        if self.exact:
            return "Exact: every pair of images was compared."
        if not self.sampled:
            return "Approximate: like images were compared; the images that were compared with all others had no pair, so nothing is missing there."
        return f"Approximate: {self.sampled_found:,} of {self.sampled:,} pairs of images that were compared with all others were found."


def _different(rows: Rows, places: Iterable[int], count: int) -> Rows:
    """The first positions of disjoint pairs; only the first thousands are searched, because one large group may have many pairs."""
    shown: set[int] = set()
    found: list[int] = []
    for place in islice(places, _LOOKED_AT):
        pair = set(rows[place].tolist())
        if not pair & shown:
            shown |= pair
            found.append(place)
            if len(found) == count:
                break
    return np.array(found, np.int64)


class PairCollector:
    """Pairs from several threads.

    Args:
        columns: number of images of the second side; a pair's key is `first * columns + second`.
        within: whether both sides are the same images: each pair is kept once, without self-pairs.
        most: maximum number of pairs; more raise InputError with the threshold.
    """

    def __init__(self, columns: int, threshold: float, within: bool, most: int = MOST_PAIRS) -> None:
        self._columns, self._threshold, self._within, self._most = columns, threshold, within, most
        self._keys: list[Rows] = []
        self._values: list[Floats] = []
        self._count, self._lock = 0, threading.Lock()

    def add(self, first: Rows, second: Rows, similarities: Floats) -> None:
        """Adds pairs. Duplicates are merged, with the larger of the two values, which differ by rounding."""
        if self._within:
            apart = first != second
            first, second, similarities = np.minimum(first, second)[apart], np.maximum(first, second)[apart], similarities[apart]
        if not len(first):
            return
        with self._lock:
            self._keys.append(first * self._columns + second)
            self._values.append(similarities.astype(np.float32))
            self._count += len(first)
            if self._count > 2 * self._most:
                self._compact()
            if self._count > 2 * self._most:
                raise self._too_many()

    def pairs(self) -> tuple[Rows, Floats]:
        """Rows (p, 2) and similarities (p,), most similar first."""
        self._compact()
        if self._count > self._most:
            raise self._too_many()
        if not self._count:
            return np.empty((0, 2), np.int64), np.empty(0, np.float32)
        keys, values = self._keys[0], self._values[0]
        order = np.lexsort((keys, -values))
        # rounding can lift the cosine of equal images slightly above 1
        return np.stack(np.divmod(keys[order], self._columns), axis=1), np.minimum(values[order], np.float32(1))

    def _compact(self) -> None:
        if not self._keys:
            return
        keys, values = np.concatenate(self._keys), np.concatenate(self._values)
        order = np.lexsort((-values, keys))
        keys, values = keys[order], values[order]
        first = np.append(True, keys[1:] != keys[:-1])
        self._keys, self._values, self._count = [keys[first]], [values[first]], int(first.sum())

    def _too_many(self) -> InputError:
        return TooManyPairsError(
            f"More than {self._most:,} pairs have a similarity of {self._threshold:g} or more; raise the threshold, or use a more specific notion."
        )


def join_blocks(first: Floats, second: Floats | None, threshold: float, found: PairCollector, progress: Progress | None = None) -> None:
    """Adds the pairs (i, j) with first[i] . second[j] >= threshold to `found`; of unit rows (n, d) and (m, d), which may be memory-mapped. Without
    `second` each pair within `first` is compared once. Memory is that of one block."""
    other = first if second is None else second
    begins = range(0, len(first), _BLOCK)
    total = sum(min(_BLOCK, len(first) - begin) * (len(other) - (begin if second is None else 0)) for begin in begins)
    done = 0
    for begin in begins:
        rows = np.asarray(first[begin : begin + _BLOCK])
        for start in range(begin if second is None else 0, len(other), _BLOCK):
            columns = np.asarray(other[start : start + _BLOCK])
            similarities = rows @ columns.T
            row, column = np.divmod(np.flatnonzero(similarities >= threshold - ROUNDING), len(columns))
            if second is None and start == begin:
                # the block on the diagonal has each pair twice, and every image with itself
                upper = row < column
                row, column = row[upper], column[upper]
            found.add(begin + row, start + column, similarities[row, column])
            done += similarities.size
            if progress:
                progress(done, total, "Comparing all pairs")
