from pathlib import Path

import numpy as np
import psutil
import pytest
from scipy.spatial.distance import pdist, squareform

from likeness.errors import InputError
from likeness.labels import ClassLabels, MatrixLabels, PartLabels, matrix, nearest_labels, read_matrix


def distances(n: int, seed: int = 0) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return squareform(pdist(points))


def broken(row: int, column: int, value: float, both: bool = True) -> np.ndarray:
    found = distances(30)
    found[row, column], found[column, row] = value, value if both else found[column, row]
    return found


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.uint8])
def test_entries(dtype: type) -> None:
    given = (10 * distances(9)).astype(dtype)
    labels = MatrixLabels(given, "km")
    rows, columns = np.array([8, 0, 8]), np.array([3, 8])
    found = labels.between(rows, columns)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, given[np.ix_(rows, columns)].astype(np.float32))
    assert (len(labels), labels.unit) == (9, "km")
    found[:] = 0
    np.testing.assert_array_equal(labels.matrix, given)
    assert len(MatrixLabels(np.zeros((0, 0), dtype))) == 0


@pytest.mark.parametrize("block", [7, 1024])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (broken(29, 3, -0.5), "The label distance of 3 and 29 is -0.5; distances are finite and not negative"),
        (broken(8, 7, np.nan, both=False), "The label distance of 8 and 7 is nan; distances are finite"),
        (broken(0, 29, np.inf), "The label distance of 0 and 29 is inf; distances are finite"),
        (broken(28, 28, 0.25), "The label distance of 28 to itself is 0.25; it must be 0"),
        (broken(4, 25, 100, both=False), "The label distance of 4 and 25 is 100 one way and .* the other; give a symmetric matrix, such as the mean"),
        (broken(25, 4, 100, both=False), "The label distance of 4 and 25 is .* one way and 100 the other"),
    ],
)
def test_what_is_no_distance(given: np.ndarray, message: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the entry lies in the blocks that are looked at."""
    monkeypatch.setattr(matrix, "_BLOCK", block)
    with pytest.raises(InputError, match=message):
        MatrixLabels(given)


@pytest.mark.parametrize("block", [1, 4, 1024])
@pytest.mark.parametrize(("large", "uneven"), [((8, 9), (0, 1)), ((0, 1), (8, 9))])
def test_symmetry_is_measured_by_the_largest_of_all_entries(
    block: int, large: tuple[int, int], uneven: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by the largest of a block: rounding of a sum is as large as the sum's parts."""
    monkeypatch.setattr(matrix, "_BLOCK", block)
    given = np.full((10, 10), 1e-3)
    given[large] = given[large[::-1]] = 1000
    np.fill_diagonal(given, 0)
    given[uneven] += 9e-4
    assert len(MatrixLabels(given)) == 10
    given[uneven] += 2e-4
    with pytest.raises(InputError, match=rf"The label distance of {uneven[0]} and {uneven[1]} is 0\.0021 one way and 0\.001 the other"):
        MatrixLabels(given)


@pytest.mark.parametrize(
    "given", [np.zeros((2, 3)), np.zeros(4), np.zeros((2, 2, 2)), np.zeros((2, 2), bool), np.zeros((2, 2), "U1"), np.zeros((2, 2), complex)]
)
def test_what_is_no_matrix(given: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"The label distances have shape \(.*\) and type .*; give a square matrix of numbers"):
        MatrixLabels(given)


def test_of_classes_as_in_a_loop() -> None:
    classes, labels = distances(5), np.random.default_rng(1).integers(0, 5, 20)
    found = ClassLabels(classes, labels, within=0.01).between(np.arange(20), np.arange(20))
    loop = [[0 if i == j else 0.01 if a == b else classes[a, b] for j, b in enumerate(labels)] for i, a in enumerate(labels)]
    np.testing.assert_allclose(found, loop, rtol=1e-6)
    assert found.dtype == np.float32


def test_within_a_class_it_is_half_of_the_smallest_above_0() -> None:
    labels = ClassLabels(np.array([[0, 4, 6], [4, 0, 9], [6, 9, 0]]), np.array([0, 1, 1, 2]))
    np.testing.assert_array_equal(labels.between(np.arange(4), np.arange(4)), [[0, 4, 4, 6], [4, 0, 2, 9], [4, 2, 0, 9], [6, 9, 9, 0]])
    np.testing.assert_array_equal(labels.between(np.array([2, 2]), np.array([2, 1])), [[0, 2], [0, 2]])
    labels = ClassLabels(np.array([[0, 0, 6], [0, 0, 6], [6, 6, 0]]), np.array([0, 0, 1, 2]))
    assert labels.within_distance == 3
    np.testing.assert_array_equal(labels.between(np.array([0]), np.arange(4)), [[0, 3, 0, 6]])
    for size in (1, 3):  # nothing is apart
        labels = ClassLabels(np.zeros((size, size)), np.array([0, 0]))
        assert labels.within_distance == 0
        np.testing.assert_array_equal(labels.between(np.arange(2), np.arange(2)), 0)
    assert ClassLabels(distances(2), np.array([0, 0, 1]), within=0).between(np.array([0]), np.array([1])) == 0


@pytest.mark.parametrize(
    ("classes", "label", "within", "message"),
    [
        *[(distances(2), 1, within, f"The distance within a class is {within}; choose 0 or more") for within in (-1.0, np.inf, np.nan)],
        *[(distances(2), label, None, f"Image 1 has the class {label}, and there are 2 from 0; number them so") for label in (-1, 2)],
        (np.zeros((2, 3)), 1, None, "give a square matrix of numbers"),
    ],
)
def test_classes_that_do_not_fit(classes: np.ndarray, label: int, within: float | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ClassLabels(classes, np.array([0, label]), within)


def test_a_file_is_mapped(tmp_path: Path) -> None:
    given = distances(20).astype(np.float32)
    np.save(tmp_path / "x.npy", given)
    labels = read_matrix(tmp_path / "x.npy", 20)
    assert isinstance(labels.matrix, np.memmap)
    np.testing.assert_array_equal(labels.between(np.arange(20), np.arange(20)), given)
    assert len(read_matrix(str(tmp_path / "x.npy"))) == 20


def test_files_that_hold_no_matrix_of_these_images(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", distances(3))
    np.savez(tmp_path / "several.npz", distances(3))
    np.save(tmp_path / "objects.npy", np.array([{}, {}]), allow_pickle=True)
    (tmp_path / "empty.npy").touch()
    (tmp_path / "text.npy").write_text("0 1\n1 0\n")
    for name, message in (
        ("none.npy", r"There is no file of label distances '.*none\.npy'; give a \.npy file with a matrix \(n, n\)"),
        ("x.npy", r"'x\.npy' has shape \(3, 3\), and there are 4 images; give a matrix \(4, 4\)"),
        ("several.npz", r"'several\.npz' holds several arrays; save one of them with numpy\.save"),
        ("objects.npy", r"'objects\.npy' cannot be read as an array \(.*\); save it with numpy\.save"),
        *((name, rf"'{name}' cannot be read as an array \(") for name in ("empty.npy", "text.npy")),
    ):
        with pytest.raises(InputError, match=message) as caught:
            read_matrix(tmp_path / name, 4)
        assert len(str(caught.value).splitlines()) == 1
        assert str(tmp_path / "several.npz") not in [each.path for each in psutil.Process().open_files()]


@pytest.fixture
def matrices() -> dict[str, np.ndarray]:
    return {"train": distances(5), "test": distances(4, seed=1)}


@pytest.fixture
def labels(matrices: dict[str, np.ndarray]) -> PartLabels:
    return PartLabels(matrices, np.array([1, 0, 0, 1, 0, 1]), np.array([3, 4, 0, 0, 2, 1]), "px")


def test_within_parts_by_copies(labels: PartLabels, matrices: dict[str, np.ndarray]) -> None:
    train, test = np.array([4, 1, 2]), np.array([5, 0])
    found = labels.between(train, train[:2])
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, matrices["train"][np.ix_([2, 4, 0], [2, 4])].astype(np.float32))
    np.testing.assert_array_equal(labels.between(test, np.array([3])), matrices["test"][np.ix_([1, 3], [0])].astype(np.float32))
    assert (len(labels), labels.unit) == (6, "px")
    # The nearest labels are found in the blocks themselves.
    before = matrices["train"].copy()
    labels.between(np.array([1, 2]), np.array([1, 2]))[:] = 7
    nearest_labels(labels, np.array([1, 2, 4]), 1)
    np.testing.assert_array_equal(matrices["train"], before)
    none = np.array([], dtype=np.int64)
    assert labels.between(none, np.arange(6)).shape == (0, 6)
    assert labels.between(np.arange(6), none).shape == (6, 0)


@pytest.mark.parametrize(("rows", "columns", "one", "two"), [([0], [1], 0, 1), ([1, 0], [1], 1, 0), ([3, 5], [0, 4, 1], 3, 4)])
def test_between_parts_nothing_is_known(labels: PartLabels, rows: list[int], columns: list[int], one: int, two: int) -> None:
    parts = ["test" if each in (0, 3, 5) else "train" for each in (one, two)]
    with pytest.raises(InputError, match=f"Image {one} is in the part '{parts[0]}' and image {two} in '{parts[1]}'; label distances are only known"):
        labels.between(np.array(rows), np.array(columns))
