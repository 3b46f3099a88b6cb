"""Copies between two sets, counted by hand on a circle."""

import numpy as np
import pandas as pd
import pytest

from likeness import Space
from likeness.duplicates import leaks, leaks_by
from likeness.errors import InputError

NEAR = float(np.cos(np.radians(5.5)))


def turned(degrees: list[float], **columns: list[str]) -> Space:
    angles = np.radians(degrees)
    return Space(np.stack([np.cos(angles), np.sin(angles)], axis=1), pd.DataFrame(columns) if columns else None)


def test_each_test_image_stands_with_its_nearest_copy_of_the_training_images() -> None:
    train = turned([0, 5, 90, 180], path=["t0", "t5", "t90", "t180"])
    test = turned([45, 3, 91], path=["a", "b", "c"])
    found = leaks(train, test, NEAR)
    assert found[["row", "copies", "nearest", "path", "nearest_path"]].to_numpy().tolist() == [[2, 1, 2, "c", "t90"], [1, 2, 1, "b", "t5"]]
    np.testing.assert_allclose(found["similarity"], np.cos(np.radians([1, 2])), atol=1e-6)
    assert found.attrs["message"] == "Exact: every pair of images was compared."


def test_sets_without_copies_have_no_row() -> None:
    assert len(leaks(turned([0]), turned([90]), NEAR)) == 0


def test_an_attribute_divides_the_images() -> None:
    space = turned([0, 5, 8, 90, 91], path=list("abcde"), split=["train", "train", "test", "test", "test"])
    found = leaks_by(space, "split", NEAR)
    assert found[["row", "value", "copies", "nearest", "nearest_value"]].to_numpy().tolist() == [
        [1, "train", 1, 2, "test"],
        [2, "test", 1, 1, "train"],
    ]
    assert leaks_by(space, "split", NEAR, of="test")["path"].tolist() == ["c"]


def test_wrong_input_is_answered() -> None:
    space = turned([0, 5], path=["a", "b"], split=["train", "test"])
    with pytest.raises(InputError, match="No image has 'dev' as split; choose from test, train"):
        leaks_by(space, "split", NEAR, of="dev")
    with pytest.raises(InputError, match="has no attribute 'fold'"):
        leaks_by(space, "fold", NEAR)
    with pytest.raises(InputError, match="different spaces"):
        leaks(space, Space(np.eye(3)), NEAR)
