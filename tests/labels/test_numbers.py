import numpy as np
import pytest
from scipy.spatial.distance import cdist

from likeness.errors import InputError
from likeness.labels import NumberLabels, number_distances


def around(a: float, b: float) -> float:
    """The angle between two directions, by their unit vectors."""
    one, two = np.exp(1j * np.radians([a, b]))
    return float(np.degrees(abs(np.angle(one / two))))


def test_numbers_and_angles_against_scipy_and_directions() -> None:
    a, b = np.random.default_rng(0).normal(0, 50, (2, 9, 3))
    found = number_distances(a, b)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, cdist(a, b), rtol=1e-6)
    a, b = np.random.default_rng(1).uniform(-720, 720, (2, 30))
    np.testing.assert_allclose(number_distances(a, b, (360,)), [[around(x, y) for y in b] for x in a], atol=1e-4)


def test_some_numbers_are_angles_and_a_column_may_be_flat() -> None:
    """A number on a line and an angle of period 24, such as an hour."""
    found = number_distances([[3, 23]], [[0, 3], [3, 11]], [0, 24])
    np.testing.assert_allclose(found, [[5, 12]])
    labels = NumberLabels(np.array([[0.0, 0.0], [360.0, 0.0], [359.0, 90.0]]), (360, 360), "degrees")
    found = labels.between(np.arange(3), np.arange(3))
    np.testing.assert_allclose(found, [[0, 0, np.hypot(1, 90)], [0, 0, np.hypot(1, 90)], [np.hypot(1, 90), np.hypot(1, 90), 0]], rtol=1e-6)
    assert (len(labels), labels.unit) == (3, "degrees")
    labels = NumberLabels(np.array([1.0, 4.0, 6.0]))
    np.testing.assert_array_equal(labels.between(np.array([2, 0]), np.array([0, 1])), [[5, 2], [0, 3]])
    assert number_distances([], [1, 2]).shape == (0, 2)


@pytest.mark.parametrize(
    ("a", "b", "periods", "message"),
    [
        (np.zeros((2, 2)), np.zeros((2, 3)), None, "The labels have 2 and 3 numbers; pass equally many for both"),
        (np.zeros((2, 2, 1)), np.zeros((2, 2)), None, r"The labels have shape \(2, 2, 1\); give a row of numbers per image, \(n, p\)"),
        ([1, np.nan, np.inf], [1], None, "The label of image 1 is not a finite number, and 1 more; fill them in or leave these out"),
        ([[1, 2]], [[1, 2]], [360], r"The periods are \[360\.0\]; give one for each of 2 numbers, 0 for those that are not circular"),
        ([1], [2], [-360], r"The periods are \[-360\.0\]; give one for each of 1 numbers"),
        ([1], [2], [np.nan], r"The periods are \[nan\]"),
    ],
)
def test_errors(a: object, b: object, periods: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        number_distances(a, b, periods)


def test_labels_are_checked_when_they_are_made() -> None:
    for values, periods, message in (([np.nan, 1], None, "image 0 is not a finite number, and 0 more"), ([0.0, 1], (360, 360), "each of 1 numbers")):
        with pytest.raises(InputError, match=message):
            NumberLabels(np.array(values), periods)
