import numpy as np
import pytest

from likeness.errors import InputError
from likeness.evaluation.class_means import class_means


def test_means_are_of_unit_length_and_point_to_the_middle() -> None:
    rows = np.array([[1.0, 0], [0, 1], [0, -1], [0, -1]], dtype=np.float32)
    np.testing.assert_allclose(class_means(rows, np.array([0, 0, 1, 1])), [[0.5**0.5, 0.5**0.5], [0, -1]])


def test_images_that_cancel_out_have_no_mean() -> None:
    rows = np.array([[0.6, 0.8], [-0.6, -0.8], [1, 0]], dtype=np.float32)
    with pytest.raises(InputError, match="images of class 1 cancel out"):
        class_means(rows, np.array([1, 1, 0]))
