"""Which spaces drifted between versions, and what changed of each value."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likeness.comparisons import VersionChanges, drift_sentence, version_drift, version_values
from likeness.comparisons.version_drift import _groups
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.space import Space

N = 200


def _space(vectors: np.ndarray, kinds: np.ndarray | None = None) -> Space:
    frame = pd.DataFrame({"path": [f"{row}.png" for row in range(len(vectors))]})
    frame["kind"] = np.array(["a", "b"])[np.arange(len(vectors)) % 2] if kinds is None else kinds
    return Space(vectors, ImageTable("version", Path(), frame))


def _vectors(n: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, 4)) * [1, 0.5, 0.5, 0.2] + np.array([3, 1, 0, 0])


def _same(n: int) -> VersionChanges:
    return VersionChanges(np.arange(n), np.arange(n), np.full(n, "same"), {})


def test_fewer_of_one_value_are_a_change_of_its_share_and_the_value_that_changed_is_first() -> None:
    vectors = _vectors(N)
    old = _space(vectors)
    changed = vectors.copy()
    changed[1::2] += [0, 3, 0, 0]
    kept = np.delete(np.arange(N), np.arange(0, 60, 2))
    new = _space(changed[kept], np.array(["a", "b"])[kept % 2])
    place = np.full(N, -1)
    place[kept] = np.arange(len(kept))
    state = np.where(place < 0, "went", np.where(np.arange(N) % 2 == 1, "changed", "same"))
    found = version_values(old.table, new.table, VersionChanges(np.arange(N), place, state, {}), "kind")
    assert found["value"].tolist() == ["b", "a"]
    b, a = found.iloc[0], found.iloc[1]
    assert (b["old"], b["new"], b["came"], b["went"], b["changed"]) == (100, 100, 0, 0, 100)
    assert (a["old"], a["new"], a["came"], a["went"], a["changed"]) == (100, 70, 0, 30, 0)
    assert a["share"] == pytest.approx(100 * (70 / 170 - 0.5))
    assert (b["turnover"], a["turnover"]) == (1, 0.3)


def test_the_same_number_is_the_same_value_however_it_is_written() -> None:
    """Floats where one is missing, texts where one is no number."""
    paths = [f"{number}.png" for number in range(6)]
    old = ImageTable("old", Path(), pd.DataFrame({"path": paths, "it": [1, 2, 3, 1, 2, 3]}))
    rows = np.arange(6)
    same = VersionChanges(rows, rows, np.full(6, "same"), {})
    for column in ([1.0, 2.0, 3.0, 1.0, 2.0, np.nan], ["1", "2", "3", "1", "2", "unknown"]):
        new = ImageTable("new", Path(), pd.DataFrame({"path": paths, "it": column}))
        found = version_values(old, new, same, "it").set_index("value")
        assert found.loc[["1", "2", "3"], ["old", "new", "went"]].to_numpy().tolist() == [[2, 2, 0], [2, 2, 0], [2, 1, 1]]
        assert found["came"].sum() == (column[-1] == "unknown")


def test_what_can_not_be_measured_is_refused() -> None:
    space = _space(_vectors(N))
    with pytest.raises(InputError, match="compare its own table"):
        version_drift([(space, space)], _same(N - 1))
    with pytest.raises(InputError, match="compare its own table"):
        version_values(space.table, space.table, _same(N - 1), "kind")
    with pytest.raises(InputError, match="no attribute 'color'; there are kind"):
        version_values(space.table, space.table, _same(N), "color")
    with pytest.raises(InputError, match="dimensions in one version and"):
        version_drift([(space, Space(np.eye(N), space.table))], _same(N))
    many = _space(_vectors(2100), np.arange(2100).astype(str))
    with pytest.raises(InputError, match="2,100 values"):
        version_values(many.table, many.table, _same(2100), "kind")


def test_what_drifted_is_named_and_what_did_not() -> None:
    rng = np.random.default_rng(3)
    hue, shape = rng.standard_normal((2, 300, 3))
    hue[150:260, 0] += 3
    spaces = {"hue": hue, "shape": shape}
    pairs = [
        tuple(Space(each[part], _space(np.ones((150, 2))).table, name=name) for part in (slice(150), slice(150, 300)))
        for name, each in spaces.items()
    ]
    rows, none = np.arange(150), np.full(150, -1)
    changes = VersionChanges(np.append(rows, none), np.append(none, rows), np.repeat(["went", "came"], 150), {})
    found = version_drift(pairs, changes)
    assert found["drifted"].tolist() == [True, False]
    assert found["images"].tolist() == [150, 150]
    said = drift_sentence(found, str.upper)
    assert said.startswith(f"Drifted: HUE ({found['auc'][0]:.0%}). Shown an image of each version, ")
    assert "Not drifted, as far as can be told: SHAPE. Where less than " in said
    assert "Not drifted" not in drift_sentence(found.iloc[:1])
    few = VersionChanges(np.arange(20), np.arange(20), np.full(20, "changed"), {})
    small = [tuple(Space(np.eye(20), _space(np.ones((20, 2))).table) for _ in range(2))]
    assert drift_sentence(version_drift(small, few)).startswith("Too few to tell whether anything drifted: 20 different images")


def test_pairs_parts_of_a_file_and_equal_vectors_are_one_group() -> None:
    def space(paths: list[str], vectors: np.ndarray) -> Space:
        return Space(vectors, ImageTable("version", Path(), pd.DataFrame({"path": paths})))

    vectors = np.eye(9)
    vectors[7] = vectors[3]  # a copy under another name
    old = space(["a.mp4#t=0", "a.mp4#t=1", "b.png", "c.png"], vectors[:4])
    new = space(["b.png", "a.mp4#t=2", "d.png", "copy.png", "p.zip#entry=e.png&xywh=1,2,3,4", "p.zip#entry=f.png"], vectors[[4, 5, 6, 7, 8, 0]])
    changes = VersionChanges(
        np.array([0, 1, 2, 3, *[-1] * 5]), np.array([-1, -1, 0, -1, 1, 2, 3, 4, 5]), np.array(["went", "went", "changed", "went", *["came"] * 5]), {}
    )
    groups = _groups(old, new, changes)
    together = [set(np.flatnonzero(groups == group)) for group in np.unique(groups)]
    assert sorted(map(sorted, together)) == [[0, 1, 5, 9], [2, 4], [3, 7], [6], [8]]  # 9: equal vectors with the film's first second
