"""PaCMAP, which preserves neighborhoods and the arrangement of clusters."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.compiled import load_numba
from likeness.errors import InputError
from likeness.projection.start import chords, jittered, rows_and_starts
from likeness.threads import threads_for

# iterations of the paper's three phases: global order, then clusters, then neighborhoods
PHASES = (100, 100, 250)
# from given positions, the first phase, which ignores where the points are, is skipped, and the second is short
REFIT_PHASES = (0, 50, 200)
# the paper's initial weight of mid-near pairs, and the settings of its optimizer, Adam
MID_WEIGHT, ADAM = 1000.0, (0.9, 0.999, 1.0)
# size of the start, as a share of the PCA map's
START_SHARE = 0.01
# extra neighbors, from which those that are near relative to the local density are chosen; as in the library
SPARE = 50
# a mid-near pair is the second nearest of so many random items
DRAWN = 6


class _Pairs(NamedTuple):
    """Row numbers (pairs, 2) of each kind."""

    near: NDArray[np.int32]
    mid: NDArray[np.int32]
    far: NDArray[np.int32]


def pacmap_map(
    vectors: Any, seed: int = 0, *, neighbors: int = 10, mid_near_ratio: float = 0.5, further_ratio: float = 2.0, init: Any = None
) -> NDArray[np.float32]:
    """PaCMAP (Wang et al. 2021) of vectors (n, d), scaled to unit length: finite positions (n, 2), the same for the same vectors and seed on the same
    machine.

    Fewer than four items get the PCA map (or `init`). The package's compiled steps are called directly, since its PaCMAP class shrinks every start to
    a point and centers the vectors before computing angles, which are then not cosines. Neighbors are exact (`likeness.search.nearest`). The first
    import compiles for about half a minute of CPU time, once per installation. InputError: a vector that is not finite or all zeros, `neighbors`
    below 1, a negative ratio, `further_ratio` below 0.1, or `init` that does not fit.

    Args:
        neighbors: nearest items that attract each item; reduced if these and the further pairs would exceed n - 1.
        mid_near_ratio: pairs of medium distance per neighbor, which arrange the clusters in the beginning.
        further_ratio: pairs of any distance per neighbor, which repel.
        init: initial positions (n, 2), such as the map before a refit, which keeps unchanged points in place. None: the PCA map, scaled down.
    """
    rows, flat, start = rows_and_starts(vectors, init)
    if neighbors < 1:
        raise InputError(f"neighbors is {neighbors}, but must be at least 1; 10 is usual.")
    if not 0 <= mid_near_ratio < float("inf"):
        raise InputError(f"mid_near_ratio is {mid_near_ratio}, but must be at least 0; 0.5 is usual.")
    if not 0.1 <= further_ratio < float("inf"):
        raise InputError(f"further_ratio is {further_ratio}, but must be at least 0.1, or nothing repels; 2 is usual.")
    if len(rows) < 4:
        return flat if start is None else start
    with warnings.catch_warnings(), _one_thread():
        # numba warns that some of the package's loops stay serial
        warnings.simplefilter("ignore")
        pairs = _pairs(rows, neighbors, mid_near_ratio, further_ratio, seed)
        if start is None:
            return _optimized(pairs, jittered(START_SHARE * flat, seed, START_SHARE), PHASES)
        return _optimized(pairs, jittered(start, seed, START_SHARE), REFIT_PHASES)


@contextmanager
def _one_thread() -> Iterator[None]:
    """The gradient is a serial loop; threads that wait for it cost far more than the rest of an iteration."""
    numba = load_numba()
    # numba passes its number of threads to OpenMP even if it is only queried; torch shares OpenMP, so its number is restored afterwards
    with threads_for(0):
        before = numba.get_num_threads()
        numba.set_num_threads(1)
        try:
            yield
        finally:
            numba.set_num_threads(before)


def _pairs(rows: NDArray[np.float32], neighbors: int, mid_near_ratio: float, further_ratio: float, seed: int) -> _Pairs:
    from pacmap.pacmap import sample_FP_pair_deterministic, sample_MN_pair_deterministic, sample_neighbors_pair, scale_dist

    others = len(rows) - 1
    # near and further pairs of an item are distinct items; draws for a mid-near pair are distinct, too
    near_count = max(1, min(neighbors, int(others / (1 + further_ratio))))
    far_count = min(max(1, round(further_ratio * near_count)), others - near_count)
    mid_count = max(0, min(round(mid_near_ratio * near_count), others - DRAWN))
    found, distances = chords(rows, min(others, near_count + SPARE))
    local = np.maximum(distances[:, min(3, distances.shape[1] - 1) : 6].mean(axis=1), 1e-10).astype(np.float32)
    near = sample_neighbors_pair(rows, scale_dist(distances, local, found), found, near_count)
    # the package adds the item's number to the seed: seeds 0 and 1 would draw nearly the same
    state = int(np.random.default_rng(seed).integers(2**30))
    mid = sample_MN_pair_deterministic(rows, mid_count, state, 0)
    return _Pairs(near, mid, sample_FP_pair_deterministic(rows, near, near_count, far_count, state))


def _optimized(pairs: _Pairs, start: NDArray[np.float32], phases: tuple[int, int, int]) -> NDArray[np.float32]:
    from pacmap.pacmap import find_weight, pacmap_grad, update_embedding_adam

    positions = start.copy()
    mean, variance = np.zeros_like(positions), np.zeros_like(positions)
    for step in range(sum(phases)):
        mid_weight, near_weight, far_weight = find_weight(MID_WEIGHT, step, num_iters=phases)
        gradient = pacmap_grad(positions, *pairs, near_weight, mid_weight, far_weight)
        update_embedding_adam(positions, gradient, mean, variance, *ADAM, step)
    return positions
