"""All pairs above a similarity, by comparing every image with every other, a block of both sides at a time."""

import numpy as np

from likeness.duplicates.pairs import ROUNDING, Floats, PairCollector
from likeness.progress import Progress

_BLOCK = 4096  # rows of each side: 64 MB of similarities


def join_blocks(first: Floats, second: Floats | None, threshold: float, found: PairCollector, progress: Progress | None = None) -> None:
    """Adds the pairs (i, j) with first[i] . second[j] >= threshold to `found`; memory is that of one block.

    Args:
        first: (n, d) unit rows, which may be memory-mapped.
        second: (m, d); None: `first` itself, of which each pair is compared once.
        threshold: similarity.
        progress: called with (pairs compared, all).
    """
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
                upper = row < column
                row, column = row[upper], column[upper]
            found.add(begin + row, start + column, similarities[row, column])
            done += similarities.size
            if progress:
                progress(done, total, "Comparing all pairs")
