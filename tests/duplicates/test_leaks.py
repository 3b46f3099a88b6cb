"""Copies between two sets, counted by hand on a circle."""

import numpy as np
import pandas as pd
import pytest

from likeness import Space
from likeness.duplicates import leaks, leaks_by, near_copies, rarer_side
from likeness.errors import InputError

NEAR = float(np.cos(np.radians(5.5)))


def turned(degrees: list[float], **columns: list[str]) -> Space:
    angles = np.radians(degrees)
    return Space(np.stack([np.cos(angles), np.sin(angles)], axis=1), pd.DataFrame(columns) if columns else None)


def test_test_images_stand_with_their_nearest_copy_and_an_attribute_divides() -> None:
    train = turned([0, 5, 90, 180], path=["t0", "t5", "t90", "t180"])
    test = turned([45, 3, 91], path=["a", "b", "c"])
    found = leaks(train, test, NEAR)
    assert found[["row", "copies", "nearest", "path", "nearest_path"]].to_numpy().tolist() == [[2, 1, 2, "c", "t90"], [1, 2, 1, "b", "t5"]]
    np.testing.assert_allclose(found["similarity"], np.cos(np.radians([1, 2])), atol=1e-6)
    assert found.attrs["message"] == "Exact: every pair of images was compared."
    space = turned([0, 5, 8, 90, 91], path=list("abcde"), split=["train", "train", "test", "test", "test"])
    found = leaks_by(near_copies(space, NEAR), space.table, "split")
    assert found[["row", "value", "copies", "nearest", "nearest_value"]].to_numpy().tolist() == [
        [1, "train", 1, 2, "test"],
        [2, "test", 1, 1, "train"],
    ]
    assert len(leaks(turned([0]), turned([90]), NEAR)) == 0


def test_wrong_input_is_answered() -> None:
    space = turned([0, 5], path=["a", "b"], split=["train", "test"])
    with pytest.raises(InputError, match="has no attribute 'fold'"):
        leaks_by(near_copies(space, NEAR), space.table, "fold")
    with pytest.raises(InputError, match="different spaces"):
        leaks(space, Space(np.eye(3)), NEAR)


@pytest.mark.parametrize("seed", range(5))
def test_without_the_rarer_sides_no_copies_across_are_left(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.choice(["train", "val", "test"], 60, p=[0.6, 0.3, 0.1]).tolist()
    space = turned(rng.uniform(0, 90, 60).tolist(), path=[f"{number}.png" for number in range(60)], split=values)
    pairs = near_copies(space, NEAR)
    rarer = rarer_side(pairs, space.table, "split")
    common = dict(zip(*np.unique(values, return_counts=True), strict=True))
    expected = set()
    for first, second in pairs.rows.tolist():
        if values[first] != values[second]:
            expected.add(min((first, second), key=lambda row: (common[values[row]], values[row])))
    assert set(rarer.tolist()) == expected or len(set(common.values())) < 3
    kept = np.setdiff1d(np.arange(60), rarer)
    left = Space(space.vectors[kept], space.table.frame.iloc[kept].reset_index(drop=True))
    assert len(leaks_by(near_copies(left, NEAR), left.table, "split")) == 0


def test_the_nearest_copy_does_not_decide_alone_who_may_go() -> None:
    # the image at 5 degrees is nearest to one of a rarer value, and has a copy of a commoner one as well
    space = turned([0, 90, 180, 5, 200, 6], path=list("abcdef"), split=["train", "train", "train", "val", "val", "test"])
    assert rarer_side(near_copies(space, NEAR), space.table, "split").tolist() == [3, 5]
