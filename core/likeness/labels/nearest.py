"""Nearest images by label."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from likeness.errors import InputError
from likeness.labels.protocol import BoundedDistances, Distances, LabelDistances, Rows
from likeness.progress import Progress

_ENTRIES, _BLOCKS_AT_ONCE = 4_000_000, 2
# Exact distances between two looks at the bounds.
_AT_ONCE = 32


def nearest_labels(labels: LabelDistances, rows: Rows, k: int, progress: Progress | None = None, seed: int | None = None) -> Rows:
    """The k nearest of `rows` (r,) to each of them by label distance, excluding itself: (r, k) positions in `rows`, nearest first.

    Distances are computed in blocks and not stored. With lower bounds, only candidates are computed: in the order of the bounds, until the next one
    exceeds the k-th distance found (prefetch and prune, Kusner et al., ICML 2015, section 4.3). InputError: k is below 1, or exceeds the number of
    others.

    Args:
        seed: draws the order of equal distances for each row, such as of images of one class; None: order of `rows`.
    """
    if not 1 <= k < len(rows):
        raise InputError(f"{k} nearest neighbors were asked for among {len(rows)} images; choose 1 to {len(rows) - 1}.")
    size = max(1, _ENTRIES // len(rows))
    blocks = [np.arange(start, min(start + size, len(rows))) for start in range(0, len(rows), size)]

    def of(block: Rows) -> Rows:
        bounds = labels.lower_bounds(rows[block], rows) if isinstance(labels, BoundedDistances) else None
        if bounds is not None:
            return np.stack([_pruned(labels, rows, number, own, k, seed) for number, own in zip(block, bounds, strict=True)])
        distances = labels.between(rows[block], rows)
        distances[np.arange(len(block)), block] = np.inf
        # the k-th smallest distance of each row; all ties with it are candidates
        limits = np.partition(distances, k - 1, axis=1)[:, k - 1]
        return np.stack([_first(row, limit, k, seed, number) for row, limit, number in zip(distances, limits, block, strict=True)])

    found = []
    with ThreadPoolExecutor(_BLOCKS_AT_ONCE) as pool:
        for block, nearest in zip(blocks, pool.map(of, blocks), strict=True):
            found.append(nearest)
            if progress:
                progress(int(block[-1]) + 1, len(rows), "Nearest labels")
    return np.concatenate(found)


def _pruned(labels: LabelDistances, rows: Rows, number: int, bounds: Distances, k: int, seed: int | None) -> Rows:
    # an image is not its own neighbor
    bounds[number] = np.inf
    order, distances, limit = np.argsort(bounds, kind="stable"), np.full(len(rows), np.inf, np.float32), np.float32(np.inf)
    for start in range(0, len(rows) - 1, _AT_ONCE):
        near = order[start : start + _AT_ONCE]
        near = near[(bounds[near] <= limit) & (near != number)]
        if not len(near):
            break
        distances[near] = labels.between(rows[[number]], rows[near])[0]
        solved = distances[order[: start + _AT_ONCE]]
        limit = np.partition(solved, k - 1)[k - 1] if len(solved) >= k else limit
    return _first(distances, float(limit), k, seed, number)


def _first(distances: Distances, limit: float, k: int, seed: int | None, number: int) -> Rows:
    """Positions of the k smallest values up to the limit, smallest first."""
    near = np.flatnonzero(distances <= limit)
    if seed is not None:
        # seeded per image: the order does not depend on blocks or threads
        near = np.random.default_rng([seed, int(number), 6]).permutation(near)
    return near[np.argsort(distances[near], kind="stable")][:k]
