"""Neighbors with their distances on the unit sphere."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from likeness.projection.chords import chords


def test_equals_scikit_learn_on_unit_vectors() -> None:
    vectors = np.random.default_rng(0).standard_normal((60, 7)).astype(np.float32)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected, rows = NearestNeighbors(n_neighbors=9).fit(unit).kneighbors()
    found, distances = chords(vectors, 9)
    np.testing.assert_array_equal(found, rows)
    np.testing.assert_allclose(distances, expected, atol=1e-5)
    assert (found.dtype, distances.dtype) == (np.int32, np.float32)


def test_opposite_right_angled_and_equal_vectors() -> None:
    found, distances = chords(np.array([[1, 0], [1, 0], [0, 3], [-2, 0]], np.float32), 3)
    np.testing.assert_array_equal(found[0], [1, 2, 3])
    np.testing.assert_allclose(distances[0], [0, np.sqrt(2), 2], atol=1e-6)
