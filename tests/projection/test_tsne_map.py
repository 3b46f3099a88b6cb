import numpy as np
from scipy.spatial.distance import cdist, squareform
from scipy.special import rel_entr
from sklearn.manifold import TSNE
from sklearn.manifold._t_sne import _joint_probabilities

from likeness.projection import pca_map, tsne_map
from likeness.projection.tsne_map import _affinities
from made_rows import unit


def plain_affinities(vectors: np.ndarray, perplexity: float) -> np.ndarray:
    return squareform(_joint_probabilities(cdist(unit(vectors), unit(vectors), "sqeuclidean").astype(np.float32), perplexity, 0))


def plain_loss(affinities: np.ndarray, positions: np.ndarray) -> float:
    """The Kullback-Leibler divergence of the map's similarities from the affinities."""
    kernel = 1 / (1 + cdist(positions, positions, "sqeuclidean"))
    np.fill_diagonal(kernel, 0)
    return float(rel_entr(affinities, kernel / kernel.sum()).sum())


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
        centered = positions - positions.mean(axis=0)
        clusters = positions.reshape(8, 25, 2)
        return float(((clusters - clusters.mean(axis=1, keepdims=True)) ** 2).sum() / (centered**2).sum())

    assert within(tsne_map(vectors, exaggeration=4)) < 0.8 * within(tsne_map(vectors))
