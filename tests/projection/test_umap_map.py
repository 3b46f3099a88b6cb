"""UMAP: quality floors, determinism, and what it does where there is little to lay out."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from likeness.errors import InputError
from likeness.projection import pca_map, umap_map
from likeness.projection.umap_map import memberships


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_neighborhoods_survive_better_than_under_pca(vectors: np.ndarray, seed: int) -> None:
    quality = trustworthiness(vectors, umap_map(vectors, seed), n_neighbors=10, metric="cosine")
    assert quality > 0.93
    assert quality > trustworthiness(vectors, pca_map(vectors), n_neighbors=10, metric="cosine") + 0.02


def test_same_seed_same_map(vectors: np.ndarray) -> None:
    first = umap_map(vectors, 3, epochs=20)
    np.testing.assert_array_equal(umap_map(vectors, 3, epochs=20), first)
    assert not np.array_equal(umap_map(vectors, 4, epochs=20), first)
    assert (first.shape, first.dtype) == ((200, 2), np.float32)


def test_lengths_do_not_matter(vectors: np.ndarray) -> None:
    scaled = vectors * np.exp2(np.arange(200) % 5)[:, None]
    np.testing.assert_array_equal(umap_map(scaled, epochs=10), umap_map(vectors, epochs=10))


def test_a_start_from_a_map_stays_close(vectors: np.ndarray, moved: Callable[[np.ndarray, np.ndarray], float]) -> None:
    """After a small change of the vectors: closer to the old map than a new start, as a share of the map's size."""
    old = umap_map(vectors, 0)
    changed = vectors + 0.02 * np.random.default_rng(1).standard_normal(vectors.shape)
    kept = moved(umap_map(changed, 0, init=old), old)
    assert kept < 0.2
    assert kept < moved(umap_map(changed, 5), old) / 2


@pytest.mark.parametrize("min_distance", [0.0, 0.99, 1.0])
def test_minimum_distance_at_its_ends(vectors: np.ndarray, min_distance: float) -> None:
    assert np.isfinite(umap_map(vectors, min_distance=min_distance, epochs=20)).all()


def test_a_start_from_a_map_still_shows_what_is_new(vectors: np.ndarray) -> None:
    """Started from the map of other clusters, the map is about as good as one from scratch."""
    other = np.random.default_rng(2).permutation(vectors)
    quality = trustworthiness(other, umap_map(other, init=umap_map(vectors)), n_neighbors=10, metric="cosine")
    assert quality > trustworthiness(other, umap_map(other), n_neighbors=10, metric="cosine") - 0.02


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 14, 16])
def test_few_items(vectors: np.ndarray, count: int) -> None:
    found = umap_map(vectors[:count], epochs=20)
    assert found.shape == (count, 2)
    assert np.isfinite(found).all()
    if count < 4:
        np.testing.assert_array_equal(found, pca_map(vectors[:count]))


@pytest.mark.parametrize(
    "vectors", [np.ones((40, 3)), np.repeat(np.eye(3), 30, axis=0), np.linspace(1, 2, 40)[:, None]], ids=["all equal", "duplicates", "one dimension"]
)
def test_degenerate_vectors_give_a_finite_map(vectors: np.ndarray) -> None:
    assert np.isfinite(umap_map(vectors, epochs=20)).all()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"neighbors": 1}, "neighbors is 1"),
        ({"min_distance": -0.1}, "min_distance is -0.1"),
        ({"min_distance": 1.5}, "min_distance is 1.5"),
        ({"init": np.zeros((3, 2))}, r"init has shape \(3, 2\).*\(200, 2\)"),
        ({"init": np.full((200, 2), np.nan)}, "finite"),
    ],
)
def test_bad_keywords_are_named(vectors: np.ndarray, keywords: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        umap_map(vectors, **keywords)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("neighbors", [2, 5, 15])
@pytest.mark.parametrize("kind", ["apart", "all there twenty times", "some there twenty times"])
def test_memberships_are_those_of_umap_learn(kind: str, neighbors: int) -> None:
    from umap.umap_ import compute_membership_strengths, smooth_knn_dist

    rng = np.random.default_rng(0)
    doubled = np.repeat(rng.standard_normal((6, 5)), 20, axis=0)
    rows = {"apart": rng.standard_normal((90, 5)), "all there twenty times": doubled}.get(kind, np.vstack([doubled, rng.standard_normal((90, 5))]))
    distances = np.sort(np.linalg.norm(rows[:, None] - rows, axis=2), axis=1)[:, :neighbors].astype(np.float32)
    sigmas, nearest_apart = smooth_knn_dist(distances, float(neighbors))
    numbers = np.where(np.arange(neighbors) > 0, 1000, np.arange(len(rows))[:, None]).astype(np.int32)  # the first one is the item itself
    expected = compute_membership_strengths(numbers, distances, sigmas, nearest_apart)[2].reshape(distances.shape)[:, 1:]
    np.testing.assert_allclose(memberships(distances[:, 1:]), expected, atol=1e-6)
