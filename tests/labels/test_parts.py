"""Label distances that are known within parts only."""

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.labels import PartLabels, nearest_labels


@pytest.fixture
def matrices() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    points = {"train": rng.normal(size=(5, 2)), "test": rng.normal(size=(4, 2))}
    return {name: np.linalg.norm(each[:, None] - each[None], axis=2) for name, each in points.items()}


@pytest.fixture
def labels(matrices: dict[str, np.ndarray]) -> PartLabels:
    return PartLabels(matrices, np.array([1, 0, 0, 1, 0, 1]), np.array([3, 4, 0, 0, 2, 1]), "px")


def test_within_parts(labels: PartLabels, matrices: dict[str, np.ndarray]) -> None:
    train, test = np.array([4, 1, 2]), np.array([5, 0])
    found = labels.between(train, train[:2])
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, matrices["train"][np.ix_([2, 4, 0], [2, 4])].astype(np.float32))
    np.testing.assert_array_equal(labels.between(test, np.array([3])), matrices["test"][np.ix_([1, 3], [0])].astype(np.float32))
    assert (len(labels), labels.unit) == (6, "px")


def test_what_comes_back_is_a_copy(labels: PartLabels, matrices: dict[str, np.ndarray]) -> None:
    """The nearest labels are found in the blocks themselves."""
    before = matrices["train"].copy()
    labels.between(np.array([1, 2]), np.array([1, 2]))[:] = 7
    nearest_labels(labels, np.array([1, 2, 4]), 1)
    np.testing.assert_array_equal(matrices["train"], before)


def test_no_rows_are_of_every_part(labels: PartLabels) -> None:
    none = np.array([], dtype=np.int64)
    assert labels.between(none, np.arange(6)).shape == (0, 6)
    assert labels.between(np.arange(6), none).shape == (6, 0)


@pytest.mark.parametrize(("rows", "columns", "one", "two"), [([0], [1], 0, 1), ([1, 0], [1], 1, 0), ([3, 5], [0, 4, 1], 3, 4)])
def test_between_parts_nothing_is_known(labels: PartLabels, rows: list[int], columns: list[int], one: int, two: int) -> None:
    parts = ["test" if each in (0, 3, 5) else "train" for each in (one, two)]
    with pytest.raises(InputError, match=f"Image {one} is in the part '{parts[0]}' and image {two} in '{parts[1]}'; label distances are known"):
        labels.between(np.array(rows), np.array(columns))


@pytest.mark.parametrize(
    ("parts", "places", "said"),
    [
        ([0, 1], [0, 1, 2], r"The parts of the images have shape \(2,\) and their places \(3,\); give one of each per image"),
        ([0, 2], [0, 1], "Image 1 is in part 2, and there are 2; give a number from 0"),
        ([0, 1], [4, 4], "Image 1 is number 4 of the part 'test', whose matrix has 4 rows"),
        ([0, 1], [-1, 3], "Image 0 is number -1 of the part 'train'"),
    ],
)
def test_errors(matrices: dict[str, np.ndarray], parts: list[int], places: list[int], said: str) -> None:
    with pytest.raises(InputError, match=said):
        PartLabels(matrices, np.array(parts), np.array(places))
    with pytest.raises(InputError, match="distances are finite and not negative"):
        PartLabels({"a": -matrices["test"]}, np.array([0]), np.array([0]))
