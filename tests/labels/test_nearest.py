import numpy as np
import pytest

from likeness.errors import InputError
from likeness.labels import ClassLabels, NumberLabels, nearest, nearest_labels


def slow(labels: NumberLabels | ClassLabels, rows: np.ndarray, k: int) -> np.ndarray:
    apart = labels.between(rows, rows)
    np.fill_diagonal(apart, np.inf)
    return np.argsort(apart, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("k", [1, 5, 39])
@pytest.mark.parametrize("entries", [1, 300, 4_000_000])
@pytest.mark.parametrize("ties", [False, True])
def test_against_a_full_order(k: int, entries: int, ties: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_ENTRIES", entries)
    rng = np.random.default_rng(k)
    labels = NumberLabels(rng.integers(0, 4, (60, 1)) if ties else rng.normal(size=(60, 2)))
    rows = rng.permutation(60)[:40]
    found = nearest_labels(labels, rows, k)
    assert (found.shape, found.dtype) == ((40, k), np.int64)
    np.testing.assert_array_equal(found, slow(labels, rows, k))


def test_equal_distances_in_an_order_of_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one for each row, the same whatever the blocks; nearer ones stay first, and each of those that tie comes now and then."""
    labels = ClassLabels(np.array([[0, 4], [4, 0]]), np.arange(60) // 20 % 2)
    rows = np.arange(60)
    found = nearest_labels(labels, rows, 5, seed=3)
    apart = labels.between(rows, rows)
    np.testing.assert_array_equal(np.take_along_axis(apart, found, axis=1), np.take_along_axis(apart, slow(labels, rows, 5), axis=1))
    assert (found != rows[:, None]).all()
    assert len({tuple(row) for row in found[:20].tolist()}) == 20
    assert set(nearest_labels(labels, rows, 15, seed=3)[labels.labels == 0].ravel()) == {*range(20), *range(40, 60)}
    monkeypatch.setattr(nearest, "_ENTRIES", 200)
    np.testing.assert_array_equal(nearest_labels(labels, rows, 5, seed=3), found)
    assert (nearest_labels(labels, rows, 5, seed=4) != found).any()


def test_places_are_those_in_the_rows_and_equal_distances_come_in_order() -> None:
    labels = NumberLabels(np.array([0.0, 100, 1, 50, 2]))
    np.testing.assert_array_equal(nearest_labels(labels, np.array([4, 1, 0]), 1), [[2], [0], [0]])
    classes = ClassLabels(1 - np.eye(2), np.array([0, 1, 0, 0, 1, 0]))
    np.testing.assert_array_equal(nearest_labels(classes, np.arange(6), 4)[[0, 1, 5]], [[2, 3, 5, 1], [4, 0, 2, 3], [0, 2, 3, 1]])


def test_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_ENTRIES", 90)
    labels, seen = NumberLabels(np.random.default_rng(0).normal(size=(30, 2))), []
    found = nearest_labels(labels, np.arange(30), 4, lambda done, total, stage: seen.append((done, total)))
    np.testing.assert_array_equal(found, slow(labels, np.arange(30), 4))
    assert seen == [(done, 30) for done in range(3, 31, 3)]


@pytest.mark.parametrize(("k", "count"), [(0, 5), (5, 5), (-1, 5), (1, 1)])
def test_errors(k: int, count: int) -> None:
    with pytest.raises(InputError, match=f"{k} nearest neighbors were asked for among {count} images; choose 1 to {count - 1}"):
        nearest_labels(NumberLabels(np.arange(5.0)), np.arange(count), k)
