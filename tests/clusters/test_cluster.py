"""Clusters at several depths nest, and agree with scikit-learn's where that has but one depth."""

from importlib import import_module

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN

from likeness import Space
from likeness.clusters import Clusters, cluster
from likeness.errors import InputError


def blobs(seed: int, count: int = 400) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(int(rng.integers(3, 12)), 2)) * 8
    return centers[rng.integers(0, len(centers), count)] + rng.normal(size=(count, 2)) * rng.uniform(0.3, 2)


def is_nested(found: Clusters) -> bool:
    return all((found.parents[depth][found.labels[:, depth]] == found.labels[:, depth - 1]).all() for depth in range(1, found.depths))


@pytest.mark.parametrize("seed", range(8))
def test_every_fine_cluster_lies_in_one_coarse_cluster(seed: int) -> None:
    found = cluster(blobs(seed), smallest=[60, 20, 7])
    assert is_nested(found)
    assert found.labels.shape == found.core.shape == (400, found.depths)
    for depth, parents in enumerate(found.parents):
        assert set(found.labels[:, depth]) == set(range(len(parents)))
        assert found.counts(depth).sum() == 400


def test_the_finest_depth_is_that_of_scikit_learn_and_noise_follows_its_nearest_neighbor() -> None:
    points = blobs(3)
    found = cluster(points, smallest=[20])
    leaves = HDBSCAN(20, min_samples=5, cluster_selection_method="leaf", copy=True).fit(points).labels_
    assert (found.core[:, 0] == (leaves >= 0)).all()
    assert (found.labels[found.core[:, 0], 0] == leaves[leaves >= 0]).all()
    known = np.flatnonzero(leaves >= 0)
    for row in np.flatnonzero(leaves < 0):
        assert found.labels[row, 0] == leaves[known[np.linalg.norm(points[known] - points[row], axis=1).argmin()]]


def test_what_does_not_divide_is_one_cluster() -> None:
    apart = np.repeat([[0, 0], [50, 0], [0, 50]], 60, axis=0) + np.random.default_rng(1).normal(size=(180, 2))
    assert cluster(apart, smallest=[50, 49, 48]).depths == 1  # further depths divide nothing more
    for points in (np.ones((40, 2)), np.random.default_rng(0).normal(size=(4, 2)), np.zeros((1, 3))):
        found = cluster(points)
        assert found.depths == 1
        assert set(found.labels.ravel()) == {0}


def test_of_a_space_directions_count_and_rows_of_zeros_are_no_obstacle() -> None:
    rng = np.random.default_rng(0)
    centers, truth = rng.normal(size=(4, 64)), np.repeat(np.arange(4), 60)
    space = Space((centers[truth] + rng.normal(size=(240, 64)) / 3) * rng.uniform(0.5, 2, (240, 1)))
    found = cluster(space, smallest=[40])
    assert len({(a, b) for a, b in zip(truth, found.labels[:, 0], strict=True)}) == 4
    assert (cluster(space, smallest=[40]).labels == found.labels).all()
    vectors = np.random.default_rng(0).normal(size=(80, 8))
    base = Space(vectors)

    class FirstTwo:
        def fit(self, rows: np.ndarray) -> "FirstTwo":
            return self

        def transform(self, rows: np.ndarray) -> np.ndarray:
            return np.where(np.arange(len(rows))[:, None] < 3, 0, rows[:, :2])

    for sample in (80, 40):  # all, or half of them that the others join
        found = cluster(base.project(FirstTwo(), "first two"), sample=sample)
        assert len(found) == 80
        assert is_nested(found)


def test_beyond_the_sample_images_join_the_nearest_of_it() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 200)
    points = np.array([[0, 0], [30, 0], [0, 30]])[truth] + rng.normal(size=(600, 2))
    found = cluster(points, smallest=[30], sample=150)
    assert len({(a, b) for a, b in zip(truth, found.labels[:, 0], strict=True)}) == len(set(found.labels[:, 0])) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depths": 0}, "take at least 1"),
        ({"smallest": [10, 10]}, "each below the one before"),
        ({"smallest": []}, "each below the one before"),
        ({"smallest": [5, 1]}, "at least 2"),
        ({"sample": 3}, "take at least 10 images"),
    ],
)
def test_wrong_options_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cluster(blobs(0), **options)
    with pytest.raises(InputError):
        cluster(np.full((20, 2), np.nan))


def test_a_depth_of_one_cluster_above_others_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smaller coarse cluster is the minor part of both finer ones, which then lie in the larger one: that depth divides nothing."""
    coarse = np.array([0, 0, 0, 1, 0, 0, 0, 1])
    found = {4: coarse, 2: np.array([0, 0, 0, 0, 1, 1, 1, 1])}
    monkeypatch.setattr(import_module("likeness.clusters.cluster"), "_leaves", lambda points, size: found[size])
    clusters = cluster(np.arange(16, dtype=float).reshape(8, 2), smallest=[4, 2])
    assert [len(each) for each in clusters.parents] == [2]
    assert clusters.labels[:, 0].tolist() == found[2].tolist()
