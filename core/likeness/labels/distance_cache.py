"""Cache of expensive label distances, computed once in blocks on several cores."""

import hashlib
import os
import time
from pathlib import Path

import numpy as np

from likeness.io import cache_dir, folder_kept_out, mapped_array, open_atomic, remove_damaged_array
from likeness.labels.matrix import MatrixLabels
from likeness.labels.protocol import Distances, LabelDistances, Rows
from likeness.progress import Progress

_BLOCK = 32
# A file that grows is written to every few minutes at least; what is older was left by a process that was killed.
_LEFTOVER_SECONDS = 86_400


def stored_distances(labels: LabelDistances, key: str, progress: Progress | None = None, workers: int | None = None) -> MatrixLabels:
    """All distances of n images as a memory-mapped matrix of a cache file, which is written atomically.

    Args:
        key: of everything that determines the distances, which selects the file.
        workers: processes; None: one per core.
    """
    file = cache_dir() / "label_distances" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.npy"
    remove_damaged_array(file, np.float32, (len(labels), len(labels)))
    if not file.is_file():
        _remove_leftovers(file.parent)
        with open_atomic(file) as opened:
            matrix = np.lib.format.open_memmap(opened.name, "w+", np.float32, (len(labels), len(labels)))
            _fill(matrix, labels, progress, workers)
            matrix.flush()
            del matrix
    return MatrixLabels(mapped_array(file), labels.unit)


def _remove_leftovers(folder: Path) -> None:
    for path in folder.glob(".*.partial"):
        if time.time() - path.stat().st_mtime > _LEFTOVER_SECONDS:
            path.unlink(missing_ok=True)


@folder_kept_out()
def _fill(matrix: Distances, labels: LabelDistances, progress: Progress | None, workers: int | None) -> None:
    """Computes the upper half and mirrors it."""
    from joblib import Parallel, delayed

    starts = range(0, len(labels), _BLOCK)
    blocks = [(start, each) for start in starts for each in range(start, len(labels), _BLOCK)]
    tasks = (delayed(labels.between)(*_rows(block, len(labels))) for block in blocks)
    done, pairs = 0, len(labels) * (len(labels) + 1) // 2
    processes = min(workers or os.cpu_count() or 1, len(blocks))
    for block, found in zip(blocks, Parallel(processes, return_as="generator")(tasks), strict=True):
        rows, columns = _rows(block, len(labels))
        matrix[np.ix_(rows, columns)] = found
        matrix[np.ix_(columns, rows)] = found.T
        done += found.size if block[0] != block[1] else len(rows) * (len(rows) + 1) // 2
        if progress:
            progress(done, pairs)


def _rows(block: tuple[int, int], count: int) -> tuple[Rows, Rows]:
    first, second = (np.arange(start, min(start + _BLOCK, count)) for start in block)
    return first, second
