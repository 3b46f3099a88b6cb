"""t-SNE: its loss against scikit-learn's, quality floors, determinism, and what it does where there is little to lay out."""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.manifold import TSNE

from likeness.projection import pca_map, tsne_map
from likeness.projection.tsne_map import _affinities
from made_rows import unit


def plain_affinities(vectors: np.ndarray, perplexity: float) -> np.ndarray:
    """Equations 1 and 2 of the paper over all pairs, the width of each row found by halving."""
    squared = cdist(unit(vectors), unit(vectors), "sqeuclidean")
    conditional = np.zeros_like(squared)
    for row, distances in enumerate(squared):
        others = np.delete(distances, row)
        low, high = 0.0, 1e6
        for _ in range(200):
            beta = (low + high) / 2
            p = np.exp(-beta * (others - others.min()))
            p /= p.sum()
            entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
            low, high = (beta, high) if entropy > np.log(perplexity) else (low, beta)
        conditional[row] = np.insert(p, row, 0)
    return (conditional + conditional.T) / (2 * len(squared))


def plain_loss(affinities: np.ndarray, positions: np.ndarray) -> float:
    """The Kullback-Leibler divergence of the map's similarities from the affinities."""
    kernel = 1 / (1 + cdist(positions, positions, "sqeuclidean"))
    np.fill_diagonal(kernel, 0)
    q = kernel / kernel.sum()
    drawn = affinities > 0
    return float((affinities[drawn] * np.log(affinities[drawn] / q[drawn])).sum())


def test_affinities_and_loss_against_the_papers_equations_and_scikit_learn(vectors: np.ndarray) -> None:
    """With every other item as a neighbor, nothing is cut off: 40 items, perplexity 13."""
    found = _affinities(unit(vectors[::5]).astype(np.float32), 13.0).P.toarray()
    np.testing.assert_allclose(found, plain_affinities(vectors[::5], 13.0), atol=1e-6)
    affinities = plain_affinities(vectors, 30.0)
    theirs = TSNE(2, perplexity=30, init="pca", random_state=0).fit_transform(unit(vectors))
    assert plain_loss(affinities, tsne_map(vectors)) < 1.05 * plain_loss(affinities, theirs)
    assert plain_loss(affinities, theirs) < plain_loss(affinities, pca_map(vectors))


def test_more_exaggeration_makes_clusters_denser(vectors: np.ndarray) -> None:
    def within(positions: np.ndarray) -> float:
        centred = positions - positions.mean(axis=0)
        clusters = positions.reshape(8, 25, 2)
        return float(((clusters - clusters.mean(axis=1, keepdims=True)) ** 2).sum() / (centred**2).sum())

    assert within(tsne_map(vectors, exaggeration=4)) < 0.8 * within(tsne_map(vectors))
