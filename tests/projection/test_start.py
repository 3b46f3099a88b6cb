"""Positions that a layout starts from."""

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.projection.start import checked_start, jittered, resized

POSITIONS = np.array([[0, 0], [4, 1], [2, 2]], np.float32)


def test_the_longer_side_becomes_the_size() -> None:
    np.testing.assert_allclose(resized(POSITIONS, 10), POSITIONS * 2.5)
    np.testing.assert_array_equal(resized(np.ones((3, 2), np.float32), 10), np.ones((3, 2)))


def test_equal_points_come_apart_by_little_and_the_same_for_a_seed() -> None:
    moved = jittered(np.zeros((50, 2), np.float32), 1, 10.0)
    assert len(np.unique(moved, axis=0)) == 50
    assert moved.dtype == np.float32
    assert 5e-4 < moved.std() < 2e-3
    np.testing.assert_array_equal(moved, jittered(np.zeros((50, 2), np.float32), 1, 10.0))
    assert not np.array_equal(moved, jittered(np.zeros((50, 2), np.float32), 2, 10.0))
    assert np.abs(jittered(POSITIONS, 0, 10.0) - POSITIONS).max() < 4e-3


def test_a_start_that_does_not_fit_is_named() -> None:
    assert checked_start(POSITIONS.tolist(), 3).dtype == np.float32
    with pytest.raises(InputError, match=r"init has shape \(3, 2\).*\(4, 2\)"):
        checked_start(POSITIONS, 4)
    with pytest.raises(InputError, match="finite positions"):
        checked_start(np.full((3, 2), np.inf), 3)
