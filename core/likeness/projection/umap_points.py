"""UMAP in more than two dimensions: no map to look at, but points in which clusters are found."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, unit_rows
from likeness.errors import InputError
from likeness.projection.start import jittered, resized
from likeness.projection.umap_map import LARGE, START_SIZE, neighborhood_graph, optimized


def umap_points(vectors: Any, dim: int = 10, seed: int = 0, *, neighbors: int = 15) -> NDArray[np.float32]:
    """UMAP (McInnes et al. 2018) with cosine similarity and no least distance, from the principal components.

    Points of a neighborhood may lie on each other (minimum distance 0), as umap-learn's documentation advises where clusters are looked for.

    Args:
        vectors: (n, d).
        dim: dimensions of the result; vectors of fewer dimensions, or fewer items, give as many as there are.
        seed: of the sampling.
        neighbors: size of the neighborhood that is kept, the item included; cut to n - 1.

    Returns:
        Points (n, dim), finite. Fewer than four items: their principal components.

    Raises:
        InputError: if a vector is not finite or all zeros, or `dim` or `neighbors` is too small.
    """
    if dim < 1 or neighbors < 2:
        raise InputError(f"UMAP was asked for {dim} dimensions and {neighbors} neighbors; it takes at least 1 and 2.")
    rows = unit_rows(checked_rows(vectors, "The vectors"), "The vectors")
    start = resized(_components(rows, dim), START_SIZE)
    if len(rows) < 4:
        return start
    epochs = 200 if len(rows) > LARGE else 500
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in `umap_map`
        graph = neighborhood_graph(rows, min(neighbors, len(rows) - 1), epochs)
        return optimized(graph, np.ascontiguousarray(jittered(start, seed, START_SIZE)), 0.0, epochs, 1.0, seed)


def _components(rows: NDArray[np.float32], dim: int) -> NDArray[np.float32]:
    """Scores on the leading principal components, the sign of each fixed by its largest loading."""
    centered = rows - rows.mean(axis=0)
    axes = np.linalg.eigh(centered.T @ centered)[1][:, ::-1][:, : min(dim, len(rows))]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return np.asarray(centered @ axes, np.float32)
