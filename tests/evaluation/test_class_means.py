import numpy as np
import pytest

from likeness import arrays
from likeness.errors import InputError
from likeness.evaluation import class_sums
from likeness.evaluation.class_means import class_means


def test_means_are_of_unit_length_and_point_to_the_middle() -> None:
    rows = np.array([[1.0, 0], [0, 1], [0, -1], [0, -1]], dtype=np.float32)
    np.testing.assert_allclose(class_means(rows, np.array([0, 0, 1, 1])), [[0.5**0.5, 0.5**0.5], [0, -1]])


def test_images_that_cancel_out_have_no_mean() -> None:
    rows = np.array([[0.6, 0.8], [-0.6, -0.8], [1, 0]], dtype=np.float32)
    with pytest.raises(InputError, match="images of class 1 cancel out"):
        class_means(rows, np.array([1, 1, 0]))


@pytest.mark.parametrize("part_bytes", [1, 100, 10**9])
def test_equals_a_loop(part_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "PART_BYTES", part_bytes)
    rng = np.random.default_rng(0)
    rows, labels = rng.standard_normal((200, 3)).astype(np.float32), rng.integers(0, 7, 200)
    labels[labels == 4] = 5
    expected = [np.sum([row.astype(np.float64) for row in rows[labels == each]] or [np.zeros(3)], axis=0) for each in range(8)]
    np.testing.assert_allclose(class_sums(rows, labels, 8), expected, atol=1e-12)
    np.testing.assert_allclose(class_sums(rows, labels, 8, scale=lambda part: 2 * part), 2 * np.array(expected), atol=1e-12)
