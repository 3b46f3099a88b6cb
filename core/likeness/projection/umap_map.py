"""UMAP, as a map and as points in more dimensions, for clustering."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, unit_rows
from likeness.compiled import load_numba
from likeness.errors import InputError
from likeness.projection.pca_map import pca_map
from likeness.projection.start import checked_start, jittered, resized
from likeness.search import nearest

# umap-learn's choice: 200 iterations instead of 500 above this number of items
LARGE = 10_000
# size of the map at the start, umap-learn's choice
START_SIZE = 10.0
# Learning rate from given positions. At umap-learn's 1.0, a map of hardly changed vectors moves twice as far; at 0.1, one of entirely different
# vectors does not converge in 200 iterations.
REFIT_RATE = 0.3
# as umap-learn: iterations and tolerance of the search for a neighborhood's width, and the minimum width as a share of the mean distance
_HALVINGS, _TOLERANCE, _LEAST_SIGMA = 64, 1e-5, 1e-3


def umap_map(
    vectors: Any, seed: int = 0, *, neighbors: int = 15, min_distance: float = 0.1, init: Any = None, epochs: int | None = None
) -> NDArray[np.float32]:
    """UMAP (McInnes et al. 2018) of vectors (n, d) with cosine similarity: finite positions (n, 2), the same for the same vectors and seed on the
    same machine.

    Fewer than four items get the PCA map (or `init`). umap-learn's optimizer is called directly, since its UMAP class stretches every start to a
    square, which moves a map even if nothing has changed. Neighbors are exact (`likeness.search.nearest`), which for up to about 30,000 items is
    faster than importing and compiling the approximate search. InputError: a vector that is not finite or all zeros, `neighbors` below 2,
    `min_distance` outside 0 to 1, or `init` that does not fit.

    Args:
        neighbors: size of the neighborhood, the item included; at most n - 1.
        min_distance: minimum distance of items on the map, 0 to 1 in map units.
        init: initial positions (n, 2), such as the map before a refit, which keeps unchanged points in place. None: the PCA map.
        epochs: iterations; None: 500 from PCA (200 above 10,000 items), 200 from given positions.
    """
    rows = checked_rows(vectors, "The vectors")
    if neighbors < 2:
        raise InputError(f"neighbors is {neighbors}, but must be at least 2; 15 is usual.")
    if not 0 <= min_distance <= 1:
        raise InputError(f"min_distance is {min_distance}, but must be between 0 and 1; 0.1 is usual.")
    flat = pca_map(rows)
    start = resized(flat, START_SIZE) if init is None else checked_start(init, len(rows))
    if len(rows) < 4:
        return flat if init is None else start
    if epochs is None:
        epochs = 200 if init is not None or len(rows) > LARGE else 500
    return _laid_out(rows, start, neighbors, min_distance, epochs, 1.0 if init is None else REFIT_RATE, seed)


def umap_points(vectors: Any, dim: int = 10, seed: int = 0, *, neighbors: int = 15) -> NDArray[np.float32]:
    """UMAP (McInnes et al. 2018) of vectors (n, d) with cosine similarity, starting at the principal components: finite points (n, dim).

    The minimum distance is 0, as umap-learn's documentation recommends for clustering. Vectors of fewer dimensions, or fewer items, give fewer
    dimensions; fewer than four items give their principal components. InputError: a vector that is not finite or all zeros, or `dim` or `neighbors`
    that is too small.

    Args:
        neighbors: size of the neighborhood, the item included; at most n - 1.
    """
    if dim < 1 or neighbors < 2:
        raise InputError(f"Got {dim} dimensions and {neighbors} neighbors; UMAP needs at least 1 and 2.")
    rows = unit_rows(checked_rows(vectors, "The vectors"), "The vectors")
    start = resized(_components(rows, dim), START_SIZE)
    if len(rows) < 4:
        return start
    return _laid_out(rows, start, neighbors, 0.0, 200 if len(rows) > LARGE else 500, 1.0, seed)


def _components(rows: NDArray[np.float32], dim: int) -> NDArray[np.float32]:
    """Scores on the leading principal components; the largest loading of each is positive."""
    centered = rows - rows.mean(axis=0)
    axes = np.linalg.eigh(centered.T @ centered)[1][:, ::-1][:, : min(dim, len(rows))]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return np.asarray(centered @ axes, np.float32)


def _laid_out(
    rows: NDArray[np.float32], start: NDArray[np.float32], neighbors: int, min_distance: float, epochs: int, rate: float, seed: int
) -> NDArray[np.float32]:
    with warnings.catch_warnings():
        # importing umap warns that TensorFlow is absent; numba warns that some loops stay serial
        warnings.simplefilter("ignore")
        graph = neighborhood_graph(rows, min(neighbors, len(rows) - 1), epochs)
        return optimized(graph, np.ascontiguousarray(jittered(start, seed, START_SIZE)), min_distance, epochs, rate, seed)


def neighborhood_graph(rows: NDArray[np.float32], neighbors: int, epochs: int) -> Any:
    """The fuzzy neighborhood graph as a sparse (n, n) matrix, without edges too weak to be sampled once in `epochs` iterations.

    Equals umap-learn's `fuzzy_simplicial_set` up to float32 rounding, without its six seconds of compilation in every process.
    """
    from scipy.sparse import coo_array

    found = nearest(rows, rows, neighbors - 1, exclude=np.arange(len(rows)))
    members = memberships(np.maximum(1 - found.similarities, 0).astype(np.float32))
    origins = np.repeat(np.arange(len(rows), dtype=np.int32), neighbors - 1)
    one_way = coo_array((members.ravel(), (origins, found.rows.ravel().astype(np.int32))), shape=(len(rows), len(rows))).tocsr()
    # symmetric: the probabilistic sum of both directions (McInnes et al. 2018, section 3.1)
    graph = (one_way + one_way.T - one_way * one_way.T).tocoo()
    graph.data[graph.data < graph.data.max() / epochs] = 0
    graph.eliminate_zeros()
    return graph


def memberships(distances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Membership strengths (n, k) in [0, 1] of neighbors in each item's neighborhood, from ascending distances (n, k).

    1 up to the first distance rho above 0, then exp(-(d - rho) / sigma), with sigma such that a row sums to log2(k + 1) (McInnes et al. 2018,
    Algorithms 2 and 3).
    """
    first = np.where(distances > 0, distances, np.inf).min(axis=1, keepdims=True)
    beyond = np.maximum(distances - np.where(np.isfinite(first), first, 0), 0)
    n, k = distances.shape
    sigma, low, high = np.ones((n, 1)), np.zeros((n, 1)), np.full((n, 1), np.inf)
    active = np.arange(n)
    for _ in range(_HALVINGS):
        off = np.exp(-beyond[active] / sigma[active]).sum(axis=1, keepdims=True) - np.log2(k + 1)
        unsettled = np.abs(off[:, 0]) >= _TOLERANCE
        active, off = active[unsettled], off[unsettled]
        high[active], low[active] = np.where(off > 0, sigma[active], high[active]), np.where(off > 0, low[active], sigma[active])
        sigma[active] = np.where(np.isfinite(high[active]), (low[active] + high[active]) / 2, 2 * sigma[active])
    # the item itself counts in means, at distance 0
    mean = np.where(np.isfinite(first), distances.sum(axis=1, keepdims=True) / (k + 1), distances.sum() / (n * (k + 1)))
    sigma = np.maximum(np.maximum(sigma, _LEAST_SIGMA * mean), np.finfo(np.float32).tiny)
    found: NDArray[np.float32] = np.exp(-beyond / sigma).astype(np.float32)
    return found


def optimized(graph: Any, start: NDArray[np.float32], min_distance: float, epochs: int, rate: float, seed: int) -> NDArray[np.float32]:
    load_numba()
    from umap import layouts
    from umap.umap_ import find_ab_params, make_epochs_per_sample

    layouts._nb_optimize_layout_euclidean_single_epoch.enable_caching()  # otherwise every process compiles it for a second
    a, b = find_ab_params(1.0, min_distance)
    state = np.random.default_rng(seed).integers(-(2**31) + 1, 2**31 - 2, 3)
    edges = graph.row, graph.col, epochs, len(start), make_epochs_per_sample(graph.data, epochs)
    positions = layouts.optimize_layout_euclidean(start, start, *edges, a, b, state, initial_alpha=rate, move_other=True)
    return np.asarray(positions, np.float32)
