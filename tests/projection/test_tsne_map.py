"""t-SNE: its loss against scikit-learn's, quality floors, determinism, and what it does where there is little to lay out."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.manifold import TSNE, trustworthiness
from threadpoolctl import threadpool_limits

from likeness.errors import InputError
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


def test_affinities_equal_the_papers_equations(vectors: np.ndarray) -> None:
    """With every other item as a neighbor, nothing is cut off: 40 items, perplexity 13."""
    found = _affinities(unit(vectors[::5]).astype(np.float32), 13.0).P.toarray()
    np.testing.assert_allclose(found, plain_affinities(vectors[::5], 13.0), atol=1e-6)


def test_the_loss_is_no_larger_than_scikit_learns(vectors: np.ndarray) -> None:
    affinities = plain_affinities(vectors, 30.0)
    theirs = TSNE(2, perplexity=30, init="pca", random_state=0).fit_transform(unit(vectors))
    assert plain_loss(affinities, tsne_map(vectors)) < 1.05 * plain_loss(affinities, theirs)
    assert plain_loss(affinities, theirs) < plain_loss(affinities, pca_map(vectors))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_neighborhoods_survive_better_than_under_pca(vectors: np.ndarray, seed: int) -> None:
    quality = trustworthiness(vectors, tsne_map(vectors, seed), n_neighbors=10, metric="cosine")
    assert quality > 0.95
    assert quality > trustworthiness(vectors, pca_map(vectors), n_neighbors=10, metric="cosine") + 0.02


def test_same_seed_same_map_also_in_another_process(vectors: np.ndarray, in_another_process: Callable[[str], np.ndarray]) -> None:
    with threadpool_limits(limits=1, user_api="blas"):
        first = tsne_map(vectors, 3, epochs=20)
        np.testing.assert_array_equal(tsne_map(vectors, 3, epochs=20), first)
    np.testing.assert_array_equal(in_another_process("tsne_map(vectors, 3, epochs=20)"), first)
    assert not np.array_equal(tsne_map(vectors, 4, epochs=20), first)
    assert (first.shape, first.dtype) == ((200, 2), np.float32)


def test_lengths_do_not_matter(vectors: np.ndarray) -> None:
    scaled = vectors * np.exp2(np.arange(200) % 5)[:, None]
    np.testing.assert_array_equal(tsne_map(scaled, epochs=10), tsne_map(vectors, epochs=10))


def test_more_exaggeration_makes_clusters_denser(vectors: np.ndarray) -> None:
    def within(positions: np.ndarray) -> float:
        centred = positions - positions.mean(axis=0)
        clusters = positions.reshape(8, 25, 2)
        return float(((clusters - clusters.mean(axis=1, keepdims=True)) ** 2).sum() / (centred**2).sum())

    assert within(tsne_map(vectors, exaggeration=4)) < 0.8 * within(tsne_map(vectors))


def test_a_start_from_a_map_stays_close(vectors: np.ndarray, moved: Callable[[np.ndarray, np.ndarray], float]) -> None:
    """After a small change of the vectors: closer to the old map than a new start, as a share of the map's size."""
    old = tsne_map(vectors)
    changed = vectors + 0.02 * np.random.default_rng(1).standard_normal(vectors.shape)
    kept = moved(tsne_map(changed, init=old), old)
    assert kept < 0.1
    assert kept < moved(tsne_map(changed, 5), old)


def test_a_start_from_a_map_still_shows_what_is_new(vectors: np.ndarray) -> None:
    """Started from the map of other clusters, the map is about as good as one from scratch."""
    other = np.random.default_rng(2).permutation(vectors)
    quality = trustworthiness(other, tsne_map(other, init=tsne_map(vectors)), n_neighbors=10, metric="cosine")
    assert quality > trustworthiness(other, tsne_map(other), n_neighbors=10, metric="cosine") - 0.02


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 14, 16])
def test_few_items(vectors: np.ndarray, count: int) -> None:
    found = tsne_map(vectors[:count], epochs=20)
    assert found.shape == (count, 2)
    assert np.isfinite(found).all()
    if count < 4:
        np.testing.assert_array_equal(found, pca_map(vectors[:count]))
        np.testing.assert_array_equal(tsne_map(vectors[:count], init=found + 1), found + 1)


@pytest.mark.parametrize(
    "degenerate",
    [np.ones((40, 3)), np.repeat(np.eye(3), 30, axis=0), np.linspace(1, 2, 40)[:, None]],
    ids=["all equal", "duplicates", "one dimension"],
)
def test_degenerate_vectors_give_a_finite_map(degenerate: np.ndarray) -> None:
    assert np.isfinite(tsne_map(degenerate, epochs=20)).all()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"perplexity": 1.5}, "perplexity is 1.5"),
        ({"perplexity": float("nan")}, "perplexity is nan"),
        ({"exaggeration": 0.5}, "exaggeration is 0.5"),
        ({"init": np.zeros((3, 2))}, r"init has shape \(3, 2\).*\(200, 2\)"),
    ],
)
def test_bad_keywords_are_named(vectors: np.ndarray, keywords: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tsne_map(vectors, **keywords)


def test_bad_vectors_are_named() -> None:
    with pytest.raises(InputError, match="The vectors row 1 holds NaN"):
        tsne_map([[1.0, 0.0], [np.nan, 1.0]])
