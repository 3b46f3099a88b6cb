"""Tables of clusters and of known groups, and places of their names."""

import numpy as np
import pandas as pd
import pytest

from likeness.clusters import ClusterName, ClusterNames, Clusters, cluster_table, densest, group_table, with_cluster_names
from likeness.data import ImageTable
from likeness.errors import InputError

FINE = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
CLUSTERS = Clusters(np.column_stack([np.minimum(FINE, 1), FINE]), np.ones((9, 2), bool), (np.array([-1, -1]), np.array([0, 1, 1])))
MAP = np.array([[0, 0], [0, 1], [9, 9], [20, 0], [20, 1], [40, 0], [40, 0.1], [40, 0.2], [60, 60]], float)


def names(*texts: str) -> ClusterNames:
    made = [ClusterName(text, 0.9 if text else 0.5, (text or "guess", "other")) for text in texts]
    return ClusterNames((tuple(made[:2]), tuple(made[2:])), "words")


def test_a_row_for_each_cluster_the_largest_first() -> None:
    found = cluster_table(CLUSTERS, names("a", "b", "c", "", "e"), MAP)
    assert found["depth"].tolist() == [0, 0, 1, 1, 1]
    assert found["count"].tolist() == [6, 3, 4, 3, 2]
    assert found["name"].tolist() == ["b", "a", "e", "c", ""]
    assert found["parent"].tolist() == [-1, -1, 1, 0, 1]
    assert found["words"].tolist()[-1] == "guess, other"
    assert (found.loc[2, "x"], found.loc[2, "y"]) == (40, 0.1)
    for _, row in found.iterrows():  # a name stands on one of its images
        own = MAP[CLUSTERS.labels[:, row["depth"]] == row["cluster"]]
        assert [row["x"], row["y"]] in own.tolist()


def test_the_densest_place_of_those_that_have_one() -> None:
    rng = np.random.default_rng(0)
    angles = rng.uniform(0, 2 * np.pi, 300)
    ring = 10 * np.column_stack([np.cos(angles), np.sin(angles)])
    knot = np.array([10, 0]) + rng.normal(size=(100, 2)) / 5
    assert np.linalg.norm(densest(np.vstack([ring, knot])) - [10, 0]) < 1
    assert densest(np.zeros((5, 2))).tolist() == [0, 0]
    assert densest(np.array([[3.0, 4.0]])).tolist() == [3, 4]
    positions = np.array([[np.nan, np.nan], [5, 5], [5, 6], [5, 5.5], [np.nan, np.nan]])
    assert densest(positions).tolist() == [5, 5.5]
    assert np.isnan(densest(positions[[0, 4]])).all()
    assert np.isnan(densest(positions[:0])).all()
    clusters = Clusters(np.array([[0], [0], [0], [0], [1]]), np.ones((5, 1), bool), (np.array([-1, -1]),))
    found = cluster_table(clusters, None, positions)
    assert found["x"].tolist()[0] == 5
    assert np.isnan(found["x"].tolist()[1])


def test_columns_hold_the_names_and_number_what_has_none() -> None:
    table = ImageTable("mine", ".", pd.DataFrame({"path": [f"{n}.jpg" for n in range(9)]}))
    found = with_cluster_names(table, CLUSTERS, names("a", "b", "c", "", "e"))
    assert found.attributes == ["cluster 1", "cluster 2"]
    assert found.frame["cluster 2"].tolist() == ["c"] * 3 + ["unnamed 2"] * 2 + ["e"] * 4
    assert with_cluster_names(table, CLUSTERS).frame["cluster 1"].tolist() == ["unnamed 1"] * 3 + ["unnamed 2"] * 6
    again = with_cluster_names(found, CLUSTERS).frame
    assert again["cluster 1"].tolist() == found.frame["cluster 1"].tolist()
    assert again["cluster 1 (found)"].tolist() == ["unnamed 1"] * 3 + ["unnamed 2"] * 6


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="pass their map"):
        cluster_table(CLUSTERS, positions=MAP[:3])
    with pytest.raises(InputError, match="other clusters"):
        cluster_table(CLUSTERS, ClusterNames((), "words"))
    with pytest.raises(InputError, match="pass the images"):
        with_cluster_names(ImageTable("mine", ".", pd.DataFrame({"path": ["a.jpg"]})), CLUSTERS)


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
