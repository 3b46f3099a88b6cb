"""TriMap, which preserves the arrangement of clusters: the map of the InDiReCT paper's appendix."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.projection.start import chords, jittered, rows_and_starts

# as in TriMap's own package: size of the start as a share of the PCA map's, extra neighbors, steps, step size
START_SHARE, SPARE, STEPS, RATE = 0.01, 50, 400, 0.05  # its rate is 0.1 and its gradient half of this one
# from given positions half the steps, all with the final momentum
REFIT_STEPS = 200
_FIRST_MOMENTUM, _MOMENTUM, _SWITCH = 0.5, 0.8, 250
_GAIN_UP, _GAIN_DOWN, _LEAST_GAIN = 0.2, 0.8, 0.01
# minimum neighborhood width, as a share of the mean, so that duplicates have finite weights
_LEAST_SIGMA = 1e-3
_RANDOM_SHARE = 0.1  # weight of a random triplet


class _Triplets(NamedTuple):
    """Row numbers (t, 3) of item, near and far one, and weights (t,)."""

    rows: NDArray[np.int32]
    weights: NDArray[np.float32]


def trimap_map(vectors: Any, seed: int = 0, *, neighbors: int = 12, outliers: int = 4, random: int = 3, init: Any = None) -> NDArray[np.float32]:
    """TriMap (Amid and Warmuth 2019, arXiv:1910.00204) of vectors (n, d), scaled to unit length: finite positions (n, 2), the same for the same
    vectors and seed on the same machine.

    Triplets (i, j, k) say that i is nearer to j than to k; the map minimizes their weighted violation. Fewer than four items get the PCA map (or
    `init`).

    The package `trimap` is not used: it needs annoy, which has no wheels and requires a compiler; it compiles its loops in every process; and its
    draws, made by several threads, ignore the seed. Weights, start and steps are those of version 1.2: the same triplets give the same map. Here
    neighbors are exact (`likeness.search.nearest`), and vectors are not reduced to 100 dimensions first. InputError: a vector that is not finite or
    all zeros, `neighbors` or `outliers` below 1, `random` below 0, or `init` that does not fit.

    Args:
        neighbors: nearest neighbors j of each item; at most n - 2.
        outliers: items k farther than j, drawn for each j.
        random: random triplets for each item, with a tenth of the weight.
        init: initial positions (n, 2), such as the map before a refit, which keeps unchanged points in place. None: the PCA map, scaled down.
    """
    rows, flat, start = rows_and_starts(vectors, init)
    for name, value, least in (("neighbors", neighbors, 1), ("outliers", outliers, 1), ("random", random, 0)):
        if value < least:
            raise InputError(f"{name} is {value}, but must be at least {least}.")
    if len(rows) < 4:
        return flat if start is None else start
    triplets = _triplets(rows, neighbors, outliers, random, np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba warns on its first import
        if start is None:
            return _optimized(triplets, jittered(START_SHARE * flat, seed, START_SHARE), STEPS, _SWITCH)
        return _optimized(triplets, jittered(start, seed, START_SHARE), REFIT_STEPS, -1)


def _triplets(rows: NDArray[np.float32], neighbors: int, outliers: int, random: int, generator: np.random.Generator) -> _Triplets:
    """Triplets of nearest neighbors, by item and neighbor, then random ones, with weights."""
    n = len(rows)
    found, distances = chords(rows, min(n - 1, neighbors + SPARE))
    # the package counts the item itself as its first neighbor, so these are its fourth to sixth
    widths = distances[:, min(2, distances.shape[1] - 1) : 5].mean(axis=1)
    widths = np.maximum(widths, max(_LEAST_SIGMA * float(widths.mean()), 1e-10))
    likeness = -(distances**2) / (widths[:, None] * widths[found])
    order = np.argsort(-likeness, axis=1, kind="stable")[:, : min(neighbors, n - 2)]
    near, near_likeness = np.take_along_axis(found, order, axis=1), np.take_along_axis(likeness, order, axis=1)
    far = _farther(near, outliers, generator)
    item = np.broadcast_to(np.arange(n, dtype=np.int32)[:, None, None], far.shape)
    weights = near_likeness[:, :, None] - _likeness(rows, widths, item, far)
    kept = np.stack([item, np.broadcast_to(near[:, :, None], far.shape), far], axis=-1).reshape(-1, 3)
    drawn, drawn_weights = _any_two(rows, widths, random, generator)
    found = np.concatenate([weights.ravel(), _RANDOM_SHARE * drawn_weights])
    tempered = 2 * (np.sqrt(1 + found - found.min()) - 1)  # the tempered logarithm at 1/2 of the weights minus the smallest
    return _Triplets(np.concatenate([kept, drawn]).astype(np.int32), tempered.astype(np.float32))


def _farther(near: NDArray[np.int32], outliers: int, generator: np.random.Generator) -> NDArray[np.int32]:
    """For each item and neighbor (n, k), items (n, k, outliers) that are neither the item itself nor among its neighbors up to this one."""
    n, k = near.shape
    far = generator.integers(n, size=(n, k, outliers), dtype=np.int32)
    excluded = np.concatenate([np.arange(n, dtype=np.int32)[:, None], near], axis=1)
    upto = np.arange(k + 1) <= np.arange(1, k + 1)[:, None]  # (k, k + 1): the item, and its neighbors up to this one
    todo = np.ones(far.shape, bool)
    while todo.any():
        item, rank, place = np.nonzero(todo)
        clash = ((far[item, rank, place][:, None] == excluded[item]) & upto[rank]).any(axis=1)
        todo[item[~clash], rank[~clash], place[~clash]] = False
        far[item[clash], rank[clash], place[clash]] = generator.integers(n, size=int(clash.sum()), dtype=np.int32)
    return far


def _any_two(rows: NDArray[np.float32], widths: NDArray[np.float32], count: int, generator: np.random.Generator) -> tuple[Any, Any]:
    """`count` triplets of each item with two random items, the likelier neighbor first: (n count, 3), and the difference of their log-likelihoods."""
    n = len(rows)
    item = np.repeat(np.arange(n, dtype=np.int32), count)
    first = generator.integers(n - 1, size=len(item), dtype=np.int32)
    first += first >= item
    low, high = np.minimum(item, first), np.maximum(item, first)
    second = generator.integers(n - 2, size=len(item), dtype=np.int32)
    second += second >= low
    second += second >= high
    one, other = (_likeness(rows, widths, item, each) for each in (first, second))
    swapped = one < other
    near, far = np.where(swapped, second, first), np.where(swapped, first, second)
    return np.stack([item, near, far], axis=1), np.abs(one - other)


def _likeness(rows: NDArray[np.float32], widths: NDArray[np.float32], item: Any, other: Any) -> NDArray[np.float64]:
    """-|x_i - x_j|^2 / (width_i width_j), the log-likelihood that two items are neighbors, for row numbers of any shape."""
    cosines = np.empty(item.size)
    items, others = item.ravel(), other.ravel()
    for begin in range(0, item.size, 1 << 16):
        part = slice(begin, begin + (1 << 16))
        cosines[part] = np.einsum("td,td->t", rows[items[part]], rows[others[part]])
    found = -np.maximum(2 - 2 * cosines, 0) / (widths[items].astype(float) * widths[others])
    return np.asarray(found.reshape(item.shape))


def _optimized(triplets: _Triplets, start: NDArray[np.float32], steps: int, switch: int) -> NDArray[np.float32]:
    """Gradient descent with momentum and a gain per coordinate that grows while its direction persists (delta-bar-delta)."""
    from likeness.projection.trimap_steps import gradient

    positions, velocity, gain = start, np.zeros_like(start), np.ones_like(start)
    for step in range(steps):
        momentum = np.float32(_MOMENTUM if step > switch else _FIRST_MOMENTUM)
        slope = gradient(positions + momentum * velocity, *triplets)
        turned = np.sign(velocity) == np.sign(slope)
        gain = np.where(turned, np.maximum(gain * np.float32(_GAIN_DOWN), np.float32(_LEAST_GAIN)), gain + np.float32(_GAIN_UP))
        velocity = momentum * velocity - np.float32(RATE) * gain * slope
        positions = positions + velocity
    return np.asarray(positions, np.float32)
