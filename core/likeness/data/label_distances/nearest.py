"""Nearest images by label."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from likeness.data.label_distances.protocol import LabelDistances, Rows
from likeness.errors import InputError

_ENTRIES = 4_000_000


def nearest_labels(labels: LabelDistances, rows: Rows, k: int, report: Callable[[int, int], None] | None = None, workers: int = 2) -> Rows:
    """The k nearest of `rows` to each of them by label distance, itself left out: (r, k) places in `rows`, equal distances in order.

    Distances are computed in blocks and not kept.

    Args:
        labels: of all images.
        rows: (r,) row numbers.
        k: how many.
        report: called with (rows done, r).
        workers: blocks computed at once.

    Raises:
        InputError: k is below 1, or there are not that many others.
    """
    if not 1 <= k < len(rows):
        raise InputError(f"{k} nearest neighbors were asked for among {len(rows)} images; choose 1 to {len(rows) - 1}.")
    size = max(1, _ENTRIES // len(rows))
    blocks = [np.arange(start, min(start + size, len(rows))) for start in range(0, len(rows), size)]

    def of(block: Rows) -> Rows:
        apart = labels.between(rows[block], rows)
        apart[np.arange(len(block)), block] = np.inf
        # a stable order of the few that are near enough, rather than of all
        limit = np.partition(apart, k - 1, axis=1)[:, k - 1, None]
        apart[apart > limit] = np.inf
        return np.asarray(np.argsort(apart, axis=1, kind="stable")[:, :k], dtype=np.int64)

    found = []
    with ThreadPoolExecutor(workers) as pool:
        for block, nearest in zip(blocks, pool.map(of, blocks), strict=True):
            found.append(nearest)
            if report:
                report(int(block[-1]) + 1, len(rows))
    return np.concatenate(found)
