import numpy as np
import pytest
import torch
from sklearn.neighbors import NearestNeighbors

from likeness.errors import InputError
from likeness.search import expected_overlap, nearest, neighbors, overlap, scan
from made_rows import unit


def rows(n: int, d: int = 8, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)


@pytest.mark.parametrize("k", [1, 2, 7, 40, 299, 300])
def test_equals_a_full_sort(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbors, "CHUNK_BYTES", 4 * 300 * 7)
    queries, gallery = rows(20), rows(300, seed=1)
    cosine = unit(queries) @ unit(gallery).T
    found = nearest(queries, gallery, k)
    np.testing.assert_array_equal(found.rows, np.argsort(-cosine, axis=1)[:, :k])
    np.testing.assert_allclose(found.similarities, -np.sort(-cosine, axis=1)[:, :k], atol=1e-6)
    assert (found.rows.dtype, found.similarities.dtype) == (np.int64, np.float32)
    # lengths and torch make no difference
    other = nearest(torch.from_numpy(7 * queries), gallery * np.linspace(0.1, 9, 300)[:, None], k)
    np.testing.assert_array_equal(other.rows, found.rows)


@pytest.mark.parametrize("k", [1, 3, 30, 200])
def test_equal_similarities_come_in_row_order(k: int) -> None:
    """Four distinct directions, each many times over: far more ties than k."""
    which = np.random.default_rng(0).integers(0, 4, 900)
    similarity = np.array([1.0, 0.8, 0.0, -1.0])
    gallery = np.array([[1, 0], [0.8, 0.6], [0, 1], [-1, 0]])[which]
    expected = sorted(range(900), key=lambda row: (-similarity[which[row]], row))[:k]
    assert nearest([1.0, 0.0], gallery, k).rows[0].tolist() == expected


def test_exclude_hides_one_row_per_query() -> None:
    gallery = rows(50)
    everything = nearest(gallery, gallery, 50)
    assert (everything.rows[:, 0] == np.arange(50)).all()
    np.testing.assert_array_equal(nearest(gallery, gallery, 49, exclude=np.arange(50)).rows, everything.rows[:, 1:])
    assert nearest(gallery[:2], gallery, 1, exclude=[0, -1]).rows[1] == [1]


def test_a_small_gallery_gives_all_it_has() -> None:
    gallery = rows(3)
    assert nearest(gallery, gallery, 10).rows.shape == (3, 3)
    assert nearest(gallery, gallery, 10, exclude=[0, 1, 2]).rows.shape == (3, 2)
    assert nearest(gallery[:1], gallery[:1], 5, exclude=[0]).rows.shape == (1, 0)
    assert scan(rows(4), rows(2), 9, exclude=[-1, -1]).rows.shape == nearest(rows(2), rows(4), 9, exclude=[-1, -1]).rows.shape == (2, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((rows(2, 3), rows(5), 1), "The queries have 3 dimensions, the gallery 8"),
        ((rows(2), rows(5), 0), "k is 0"),
        ((rows(2), rows(5), 1, [0]), r"for each of the 2 queries; got shape \(1,\)"),
        ((rows(2), rows(5), 1, [0, 5]), "-1 to 4"),
        ((rows(2) * np.nan, rows(5), 1), "The queries row 0 holds NaN"),
        ((rows(2), rows(5) * 0, 1), "The gallery row 0 is all zeros"),
    ],
)
def test_bad_input_is_named(arguments: tuple, message: str) -> None:
    with pytest.raises(InputError, match=message):
        nearest(*arguments)


@pytest.mark.parametrize("gallery_bytes", [4 * 8 * 37, 10**9])
def test_scan_of_allowed_rows_equals_a_full_sort(gallery_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where parts of the gallery hold fewer rows that may be found than are asked for, or none."""
    monkeypatch.setattr(neighbors, "GALLERY_BYTES", gallery_bytes)
    gallery, queries = unit(rows(300)), unit(rows(9, seed=1))
    gallery[250] = 0
    allowed = (np.arange(300) % 50 < 4) | (np.arange(300) == 250)
    allowed[100:150] = False
    exclude = np.array([0, 1, 50, 250, -1, 120, 299, 3, 200])
    cosine = queries @ gallery.T
    cosine[:, ~allowed] = -np.inf
    cosine[np.flatnonzero(exclude >= 0), exclude[exclude >= 0]] = -np.inf
    for k in (1, 5, 50):
        found = scan(gallery, queries, k, exclude=exclude, allowed=allowed)
        count = min(k, int(allowed.sum()) - 1)
        np.testing.assert_array_equal(found.rows, np.argsort(-cosine, axis=1, kind="stable")[:, :count])
        np.testing.assert_allclose(found.similarities, -np.sort(-cosine, axis=1)[:, :count], atol=1e-6)


def test_overlap_is_that_of_sets_of_neighbors() -> None:
    a, b = rows(60), rows(60)[:, :3]
    near = [NearestNeighbors(n_neighbors=5).fit(unit(space)).kneighbors(return_distance=False) for space in (a, b)]
    expected = [len(set(one) & set(other)) / 5 for one, other in zip(*near, strict=True)]
    assert [overlap(a, b, 5, rows=[item]) for item in range(60)] == pytest.approx(expected)
    assert overlap(a, b, 5) == pytest.approx(np.mean(expected))
    assert 0 < overlap(a, b, 5) < 1


def test_laws_of_the_overlap() -> None:
    a, b = rows(80), rows(80, 5, seed=1)
    turn = np.linalg.qr(rows(8))[0]
    assert overlap(a, a @ turn, 10) == 1
    assert overlap(a, b, 10) == overlap(b, a, 10)
    assert overlap(a, b, 79) == 1
    # unrelated spaces agree as much as chance
    assert expected_overlap(11, 5) == 0.5
    found = np.mean([overlap(rows(60, seed=seed), rows(60, seed=seed + 1000), 12) for seed in range(100)])
    assert found == pytest.approx(expected_overlap(60, 12), abs=0.01)


@pytest.mark.parametrize(("size", "k", "message"), [(6, 2, "has 5 rows, the second 6"), (5, 5, "choose k from 1"), (5, 0, "k is 0")])
def test_what_cannot_be_compared_is_named(size: int, k: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        overlap(rows(5), rows(size), k)
