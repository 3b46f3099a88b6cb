import numpy as np
import pytest

from likeness.notions import Identity, RandomEmbedding, RandomTransform

TEXT = np.eye(6)[:3]


def test_identity_keeps_directions() -> None:
    assert Identity().fit(TEXT).transform(np.array([[3.0, 4], [0, 2]])) == pytest.approx(np.array([[0.6, 0.8], [0, 1]]))


def test_random_embeddings_are_uniform_on_the_sphere_and_follow_the_seed_alone() -> None:
    rows = RandomEmbedding(3, seed=1).fit(TEXT).transform(np.ones((4000, 6)))
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(4000))
    assert np.abs(rows.mean(axis=0)).max() < 0.03
    # Archimedes: on the sphere in space, each coordinate is uniform in -1..1
    assert np.quantile(rows[:, 0], [0.25, 0.5, 0.75]) == pytest.approx([-0.5, 0, 0.5], abs=0.04)
    space = RandomEmbedding(4, seed=2).fit(TEXT)
    assert np.array_equal(space.transform(np.ones((5, 6))), space.transform(np.arange(1.0, 31).reshape(5, 6)))
    assert not np.array_equal(space.transform(np.ones((5, 6))), RandomEmbedding(4, seed=3).transform(np.ones((5, 6))))


def test_random_transform_is_the_papers_start() -> None:
    fit = RandomTransform(64, seed=0).fit(np.ones((2, 300)))
    assert fit.U.shape == (300, 64)
    assert fit.U.std() == pytest.approx(0.1, rel=0.02)
    images = np.random.default_rng(0).standard_normal((5, 300))
    expected = images @ fit.U
    assert fit.transform(images) == pytest.approx(expected / np.linalg.norm(expected, axis=1, keepdims=True))
