import numpy as np
import pytest

from likeness.errors import InputError
from likeness.projection import umap_points
from likeness.projection.umap_map import memberships


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


def test_points_of_groups_stay_apart_and_the_same_seed_gives_the_same() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 40)
    vectors = rng.normal(size=(4, 32))[truth] + rng.normal(size=(160, 32)) / 4
    points = umap_points(vectors, 5)
    assert points.shape == (160, 5)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2) + np.diag(np.full(160, np.inf))
    assert (truth[distances.argmin(axis=1)] == truth).all()
    assert (umap_points(vectors, 5) == points).all()
    assert (umap_points(vectors, 5, seed=1) != points).any()


@pytest.mark.parametrize("vectors", [np.ones((30, 4)), np.eye(3), np.ones((1, 2)), np.random.default_rng(0).normal(size=(20, 3))])
def test_points_of_few_or_equal_items_are_finite(vectors: np.ndarray) -> None:
    points = umap_points(vectors)
    assert points.shape == (len(vectors), min(10, *vectors.shape))
    assert np.isfinite(points).all()
    for options in ({"dim": 0}, {"neighbors": 1}):
        with pytest.raises(InputError, match="at least 1 and 2"):
            umap_points(vectors, **options)
