"""Exact nearest neighbors against a full sort, faiss, and their laws."""

from pathlib import Path

import numpy as np
import pytest
import torch

from likeness.arrays import unit_rows
from likeness.errors import InputError
from likeness.search import nearest, neighbors, scan


def rows(n: int, d: int = 8, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)


@pytest.mark.parametrize("k", [1, 2, 7, 40, 299, 300])
def test_equals_a_full_sort(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbors, "CHUNK_BYTES", 4 * 300 * 7)
    queries, gallery = rows(20), rows(300, seed=1)
    cosine = (queries / np.linalg.norm(queries, axis=1, keepdims=True)) @ (gallery / np.linalg.norm(gallery, axis=1, keepdims=True)).T
    found = nearest(queries, gallery, k)
    np.testing.assert_array_equal(found.rows, np.argsort(-cosine, axis=1)[:, :k])
    np.testing.assert_allclose(found.similarities, -np.sort(-cosine, axis=1)[:, :k], atol=1e-6)
    assert (found.rows.dtype, found.similarities.dtype) == (np.int64, np.float32)


def test_equals_faiss() -> None:
    import faiss

    gallery = unit_rows(rows(2000, 16), "Rows")
    index = faiss.IndexFlatIP(16)
    index.add(gallery)
    similarities, expected = index.search(gallery[:50], 10)
    found = nearest(gallery[:50], gallery, 10)
    np.testing.assert_array_equal(found.rows, expected)
    np.testing.assert_allclose(found.similarities, similarities, atol=1e-6)


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


def test_lengths_and_torch_make_no_difference() -> None:
    gallery = rows(40)
    expected = nearest(gallery[:5], gallery, 6)
    found = nearest(torch.from_numpy(7 * gallery[:5]), gallery * np.linspace(0.1, 9, 40)[:, None], 6)
    np.testing.assert_array_equal(found.rows, expected.rows)


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
    gallery, queries = unit_rows(rows(300), "Rows"), unit_rows(rows(9, seed=1), "Rows")
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


def test_scan_takes_unit_rows_as_nearest_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a memory-mapped file, a few rows at a time."""
    np.save(tmp_path / "x.npy", unit_rows(rows(500), "Rows"))
    store = np.load(tmp_path / "x.npy", mmap_mode="r")
    expected = nearest(store[:40], store, 7, exclude=np.arange(40))
    monkeypatch.setattr(neighbors, "GALLERY_BYTES", 4 * 8 * 60)
    monkeypatch.setattr(neighbors, "CHUNK_BYTES", 4 * 60 * 11)
    np.testing.assert_array_equal(scan(store, store[:40], 7, exclude=np.arange(40)).rows, expected.rows)
