"""Places of the names of known groups, and of clusters some of whose images have no place."""

from importlib import import_module

import numpy as np
import pytest

from likeness.clusters import Clusters, cluster, cluster_table, densest, group_table
from likeness.errors import InputError


def test_groups_stand_on_one_of_their_images_the_largest_first() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 4, 500)
    positions = rng.normal(size=(500, 2))
    found = group_table(codes, ["a", "b", "c", "d", "nobody"], positions)
    assert found["count"].tolist() == sorted(np.bincount(codes[codes >= 0], minlength=4).tolist(), reverse=True)
    for row in found.itertuples():
        own = positions[codes == "abcd".index(str(row.name))]
        assert [row.x, row.y] == densest(own).tolist()
    with pytest.raises(InputError, match="the groups are of 500 images"):
        group_table(codes, ["a"], positions[:-1])


def test_images_without_a_place_do_not_count() -> None:
    positions = np.array([[np.nan, np.nan], [5, 5], [5, 6], [5, 5.5], [np.nan, np.nan]])
    assert densest(positions).tolist() == [5, 5.5]
    assert np.isnan(densest(positions[[0, 4]])).all()
    assert np.isnan(densest(positions[:0])).all()
    clusters = Clusters(np.array([[0], [0], [0], [0], [1]]), np.ones((5, 1), bool), (np.array([-1, -1]),))
    found = cluster_table(clusters, None, positions)
    assert found["x"].tolist()[0] == 5
    assert np.isnan(found["x"].tolist()[1])


def test_a_depth_of_one_cluster_above_others_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smaller coarse cluster is the minor part of both finer ones, which then lie in the larger one: that depth divides nothing."""
    coarse = np.array([0, 0, 0, 1, 0, 0, 0, 1])
    found = {4: coarse, 2: np.array([0, 0, 0, 0, 1, 1, 1, 1])}
    monkeypatch.setattr(import_module("likeness.clusters.cluster"), "_leaves", lambda points, size: found[size])
    clusters = cluster(np.arange(16, dtype=float).reshape(8, 2), smallest=[4, 2])
    assert [len(each) for each in clusters.parents] == [2]
    assert clusters.labels[:, 0].tolist() == found[2].tolist()
