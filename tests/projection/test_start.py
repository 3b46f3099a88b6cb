import numpy as np
from sklearn.neighbors import NearestNeighbors

from likeness.projection.start import chords, jittered, resized
from made_rows import unit

POSITIONS = np.array([[0, 0], [4, 1], [2, 2]], np.float32)


def test_chords_are_those_of_scikit_learn_on_unit_vectors() -> None:
    vectors = np.random.default_rng(0).standard_normal((60, 7)).astype(np.float32)
    expected, rows = NearestNeighbors(n_neighbors=9).fit(unit(vectors)).kneighbors()
    found, distances = chords(vectors, 9)
    np.testing.assert_array_equal(found, rows)
    np.testing.assert_allclose(distances, expected, atol=1e-5)
    assert (found.dtype, distances.dtype) == (np.int32, np.float32)


def test_starts_are_resized_and_equal_points_come_apart_by_little() -> None:
    np.testing.assert_allclose(resized(POSITIONS, 10), POSITIONS * 2.5)
    np.testing.assert_array_equal(resized(np.ones((3, 2), np.float32), 10), np.ones((3, 2)))
    moved = jittered(np.zeros((50, 2), np.float32), 1, 10.0)
    assert len(np.unique(moved, axis=0)) == 50
    assert moved.dtype == np.float32
    assert 5e-4 < moved.std() < 2e-3
    np.testing.assert_array_equal(moved, jittered(np.zeros((50, 2), np.float32), 1, 10.0))
    assert not np.array_equal(moved, jittered(np.zeros((50, 2), np.float32), 2, 10.0))
    assert np.abs(jittered(POSITIONS, 0, 10.0) - POSITIONS).max() < 4e-3
