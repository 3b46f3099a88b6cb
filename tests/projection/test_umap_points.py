"""UMAP in several dimensions keeps neighborhoods apart."""

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.projection import umap_points


def test_groups_stay_apart_and_the_same_seed_gives_the_same() -> None:
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
def test_few_or_equal_items_give_finite_points(vectors: np.ndarray) -> None:
    points = umap_points(vectors)
    assert points.shape == (len(vectors), min(10, *vectors.shape))
    assert np.isfinite(points).all()


@pytest.mark.parametrize("options", [{"dim": 0}, {"neighbors": 1}])
def test_too_small_numbers_are_refused(options: dict) -> None:
    with pytest.raises(InputError, match="at least 1 and 2"):
        umap_points(np.eye(5), **options)
