"""t-SNE, which shows the finest neighborhoods."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.projection.start import chords, jittered, rows_and_starts

# standard deviation of the first axis at the start, so small that no initial distance repels (Kobak and Berens 2019)
START_SPREAD = 1e-4
# early exaggeration: factor on the attraction, and its number of iterations, in which clusters find their place before they unfold
EARLY_EXAGGERATION, EARLY_EPOCHS = 12.0, 250


def tsne_map(
    vectors: Any, seed: int = 0, *, perplexity: float = 30.0, exaggeration: float = 1.0, init: Any = None, epochs: int | None = None
) -> NDArray[np.float32]:
    """t-SNE (van der Maaten and Hinton 2008) of vectors (n, d), scaled to unit length: finite positions (n, 2), the same for the same vectors and
    seed on the same machine.

    Fewer than four items get the PCA map (or `init`).

    openTSNE is faster than scikit-learn's t-SNE (CPU time on one thread: 6.2 s against 11.5 s for 2,000 x 128; 25 s against 126 s for 10,000 x 512,
    where it interpolates the gradient), and a refit can skip its early exaggeration, which would tear the given map apart. It runs on one thread,
    since more would sum in random order. Neighbors are exact (`likeness.search.nearest`); another processor or number of BLAS threads rounds
    distances differently, which the descent amplifies. InputError: a vector that is not finite or all zeros, `perplexity` below 2, `exaggeration`
    below 1, or `init` that does not fit.

    Args:
        seed: of the jitter at the start; the optimizer is deterministic.
        perplexity: effective number of neighbors; at most (n - 1) / 3.
        exaggeration: factor on the attraction: above 1, clusters are denser and farther apart.
        init: initial positions (n, 2), such as the map before a refit, which keeps unchanged points in place. None: the PCA map, scaled down.
        epochs: iterations; None: 500 after 250 of early exaggeration from PCA, 250 from given positions.
    """
    rows, flat, start = rows_and_starts(vectors, init)
    if not 2 <= perplexity < float("inf"):
        raise InputError(f"perplexity is {perplexity}, but must be at least 2; 30 is usual.")
    if not 1 <= exaggeration < float("inf"):
        raise InputError(f"exaggeration is {exaggeration}, but must be at least 1; 1 is plain t-SNE, 4 gives very dense clusters.")
    if len(rows) < 4:
        return flat if start is None else start
    with warnings.catch_warnings():
        # warnings for direct users of the library, such as changed defaults
        warnings.simplefilter("ignore")
        affinities = _affinities(rows, min(perplexity, (len(rows) - 1) / 3))
        spread = float(flat[:, 0].std())
        small = flat * np.float32(START_SPREAD / spread) if spread > 0 else flat
        return _optimized(affinities, small if start is None else start, start is None, exaggeration, epochs, seed)


def _affinities(rows: NDArray[np.float32], perplexity: float) -> Any:
    """Symmetric joint probabilities of the nearest neighbors, three times as many as the perplexity."""
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    found, distances = chords(rows, min(len(rows) - 1, int(3 * perplexity)))
    return PerplexityBasedNN(perplexity=perplexity, knn_index=PrecomputedNeighbors(found, distances), n_jobs=1)


def _optimized(affinities: Any, start: NDArray[np.float32], fresh: bool, exaggeration: float, epochs: int | None, seed: int) -> NDArray[np.float32]:
    from openTSNE import TSNEEmbedding

    embedding = TSNEEmbedding(jittered(start, seed, START_SPREAD), affinities, n_jobs=1)
    if fresh:
        embedding = embedding.optimize(EARLY_EPOCHS, exaggeration=max(EARLY_EXAGGERATION, exaggeration))
    if epochs is None:
        epochs = 500 if fresh else 250
    return np.asarray(embedding.optimize(epochs, exaggeration=exaggeration), np.float32)
