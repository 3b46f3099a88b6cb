"""UMAP: quality floors, determinism, and what it does where there is little to lay out."""

import numpy as np
import pytest

from likeness.projection import umap_map
from likeness.projection.umap_map import memberships


@pytest.mark.parametrize("min_distance", [0.0, 0.99, 1.0])
def test_minimum_distance_at_its_ends(vectors: np.ndarray, min_distance: float) -> None:
    assert np.isfinite(umap_map(vectors, min_distance=min_distance, epochs=20)).all()


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
