"""The map that keeps neighbourhoods: UMAP."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.projection.pca_map import pca_map
from likeness.search import checked_rows, nearest

# Beyond this many items umap-learn's own settings take 200 passes instead of 500.
LARGE = 10_000


def umap_map(
    vectors: Any, seed: int = 0, *, neighbours: int = 15, min_distance: float = 0.1, init: Any = None, epochs: int | None = None
) -> NDArray[np.float32]:
    """UMAP (McInnes et al. 2018) with cosine similarity, the same for the same vectors and seed.

    Args:
        vectors: (n, d).
        seed: of the sampling.
        neighbours: size of the neighbourhood that is kept; cut to n - 1.
        min_distance: how close items may come on the map, in map units.
        init: positions to start from (n, 2), such as the map before a refit; None: the PCA map. A start from a map keeps the new one
            close to it and takes fewer passes.
        epochs: passes of the optimiser; None: 500 from PCA (200 beyond 10,000 items), 100 from a given map.

    Returns:
        Positions (n, 2), finite. Fewer than four items get the PCA map, since there is no neighbourhood to keep.

    Raises:
        InputError: if a vector is not finite or all zeros, `neighbours` is below 2, or `init` does not fit.

    Neighbours are exact (`likeness.search.nearest`), which for up to some 30,000 items is faster than compiling the approximate search.
    """
    rows = checked_rows(vectors, "The vectors")
    if neighbours < 2:
        raise InputError(f"neighbours is {neighbours}, but a neighbourhood has at least 2 items; 15 is usual.")
    start = _start(pca_map(rows) if init is None else init, len(rows))
    if len(rows) < 4:
        return start if init is not None else pca_map(rows)
    if epochs is None:
        epochs = 100 if init is not None else 500 if len(rows) <= LARGE else 200
    return _optimise(rows, min(neighbours, len(rows) - 1), min_distance, start, epochs, seed)


def _start(init: Any, count: int) -> NDArray[np.float32]:
    positions = np.asarray(init, np.float32)
    if positions.shape != (count, 2) or not np.isfinite(positions).all():
        raise InputError(f"init has shape {positions.shape}, but finite positions of shape ({count}, 2) are needed, one per vector.")
    return positions


def _apart(start: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """Shifts positions by a ten-thousandth of the map: items that start on the same point would stay there, or divide zero by zero."""
    size = float(np.ptp(start, axis=0).max()) or 1.0
    shifts = np.random.default_rng(seed).normal(scale=1e-4 * size, size=start.shape)
    return (start + shifts).astype(np.float32)


def _optimise(
    rows: NDArray[np.float32], neighbours: int, min_distance: float, start: NDArray[np.float32], epochs: int, seed: int
) -> NDArray[np.float32]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from umap import UMAP

        found = nearest(rows, rows, neighbours - 1, exclude=np.arange(len(rows)))
        itself = np.arange(len(rows))[:, None]
        indices = np.hstack([itself, found.rows]).astype(np.int32)
        distances = np.hstack([np.zeros_like(itself, np.float32), np.maximum(1 - found.similarities, 0)])
        model = UMAP(
            n_neighbors=neighbours,
            min_dist=min_distance,
            metric="cosine",
            init=_apart(start, seed),
            n_epochs=epochs,
            random_state=seed,
            n_jobs=1,
            precomputed_knn=(indices, distances.astype(np.float32), None),
        )
        return np.asarray(model.fit_transform(rows), np.float32)
