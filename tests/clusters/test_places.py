"""Tables of clusters, places of their names, and which of these can be drawn."""

import numpy as np
import pandas as pd
import pytest

from likeness.clusters import ClusterName, ClusterNames, Clusters, cluster_table, densest, with_cluster_names, without_overlap
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


def test_the_densest_place_of_a_ring_with_a_knot_is_the_knot() -> None:
    rng = np.random.default_rng(0)
    angles = rng.uniform(0, 2 * np.pi, 300)
    ring = 10 * np.column_stack([np.cos(angles), np.sin(angles)])
    knot = np.array([10, 0]) + rng.normal(size=(100, 2)) / 5
    assert np.linalg.norm(densest(np.vstack([ring, knot])) - [10, 0]) < 1
    assert densest(np.zeros((5, 2))).tolist() == [0, 0]
    assert densest(np.array([[3.0, 4.0]])).tolist() == [3, 4]


def table_of(rows: list[tuple[int, int, int, str, int, float, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["depth", "cluster", "parent", "name", "count", "x", "y"])


def test_names_do_not_cover_each_other_and_closer_views_show_more() -> None:
    rng = np.random.default_rng(0)
    every = table_of([(0, n, -1, f"name {n}", int(rng.integers(1, 99)), *rng.uniform(0, 10, 2)) for n in range(200)])
    drawn = without_overlap(every, (0, 10, 0, 10), 600, 400)
    boxes = every[drawn].assign(across=lambda t: t["x"] * 60, up=lambda t: t["y"] * 40, wide=lambda t: t["name"].str.len() * 7)
    for i, a in enumerate(boxes.itertuples()):
        for b in list(boxes.itertuples())[i + 1 :]:
            assert abs(a.across - b.across) >= (a.wide + b.wide) / 2 - 1e-9 or abs(a.up - b.up) >= 18
    left_out = every[~drawn]
    for row in left_out.itertuples():  # each is covered by a larger one
        near = boxes[(abs(boxes["across"] - row.x * 60) < (boxes["wide"] + len(row.name) * 7) / 2) & (abs(boxes["up"] - row.y * 40) < 18)]
        assert near["count"].max() >= every.loc[row.Index, "count"]
    inside = every["x"].between(0, 2.5) & every["y"].between(0, 2.5)
    assert without_overlap(every, (0, 2.5, 0, 2.5), 600, 400)[inside].sum() > drawn[inside].sum()
    assert not without_overlap(every, (0, 2.5, 0, 2.5), 600, 400)[~inside].any()


def test_a_name_is_not_drawn_twice_for_a_cluster_and_its_only_part() -> None:
    every = table_of([(0, 0, -1, "dog", 9, 1, 1), (1, 0, 0, "dog", 9, 5, 5), (1, 1, 0, "", 3, 8, 8)])
    assert without_overlap(every, (0, 10, 0, 10), 600, 400).tolist() == [True, False, False]


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
    with pytest.raises(InputError, match="no extent"):
        without_overlap(cluster_table(CLUSTERS, positions=MAP), (0, 0, 0, 1), 10, 10)
    with pytest.raises(InputError, match="no places"):
        without_overlap(cluster_table(CLUSTERS), (0, 1, 0, 1), 10, 10)
    with pytest.raises(InputError, match="pass the images"):
        with_cluster_names(ImageTable("mine", ".", pd.DataFrame({"path": ["a.jpg"]})), CLUSTERS)
