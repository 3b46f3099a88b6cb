"""Putting a table's embeddings together from shards, against a plain dict."""

import hashlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from likeness.data import CONTENT_COLUMN, ImageTable
from likeness.encoders.store.collected import Collected
from likeness.encoders.store.keys import as_names, content_key, image_key, key_array, table_keys
from likeness.encoders.store.shards import Shard


def digest(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


@pytest.fixture
def numbers() -> np.ndarray:
    """Which image stands in each of 300 rows: 120 images, many of them several times."""
    return np.random.default_rng(0).integers(0, 120, 300)


def table_of(numbers: np.ndarray, tmp_path) -> ImageTable:
    for n in set(numbers.tolist()):
        (tmp_path / f"{n}.png").write_text(str(n))
    return ImageTable("t", tmp_path, pd.DataFrame({"path": [f"{n}.png" for n in numbers], CONTENT_COLUMN: [digest(n) for n in numbers]}))


def shard_of(images: list[int], failed: dict[int, str] | None = None) -> Shard:
    vectors = np.array([[n, n + 0.5] for n in images], dtype=np.float32).reshape(-1, 2)
    reasons = {content_key(digest(n)): reason for n, reason in (failed or {}).items()}
    return Shard(key_array([content_key(digest(n)) for n in images]), vectors, reasons)


@pytest.mark.parametrize("most_bytes", [0, 500, 1 << 20])
def test_rows_get_the_vectors_of_their_images_whatever_the_order_and_the_limit(numbers: np.ndarray, tmp_path, most_bytes: int) -> None:
    collected = Collected(table_of(numbers, tmp_path), most_bytes=most_bytes)
    assert sorted(numbers[collected.todo()].tolist()) == sorted(set(numbers.tolist()))
    images = np.random.default_rng(1).permutation(140)  # some of them are not in the table
    known: set[int] = set()
    for part in np.array_split(images[:100], 7):
        shard = shard_of(part.tolist(), {int(images[100]): "it is damaged"})
        collected.take(shard, lambda shard=shard: shard)
        known |= set(part.tolist())
    result = collected.result(False, "id", tmp_path / "packed")
    expected = [row for row, n in enumerate(numbers) if n in known]
    np.testing.assert_array_equal(result.rows, expected)
    np.testing.assert_array_equal(result.vectors, np.array([[numbers[row], numbers[row] + 0.5] for row in expected], dtype=np.float32))
    assert [failure.row for failure in result.failed] == np.flatnonzero(numbers == images[100]).tolist()
    assert collected.n_done == len(result.rows) + len(result.failed)
    assert set(numbers[collected.todo()].tolist()) == set(numbers.tolist()) - known - {int(images[100])}
    assert isinstance(result.vectors, np.memmap) == (4 * result.vectors.size > most_bytes)


@pytest.mark.parametrize(
    ("shards", "found", "dim"),
    [
        ([([5, 6], {}, 2), ([5, 6], {}, 2)], {5, 6}, 2),  # counted once
        ([([], {5: "it is damaged"}, 2), ([5], {}, 2)], {5}, 2),  # read after all, so no failure
        ([([5, 6], {}, 2), ([7], {}, 3)], {7}, 3),  # vectors of another length alone count
    ],
)
def test_a_later_shard_says_more(
    numbers: np.ndarray, tmp_path, shards: list[tuple[list[int], dict[int, str], int]], found: set[int], dim: int
) -> None:
    collected = Collected(table_of(numbers, tmp_path))
    for images, failed, width in shards:
        shard = shard_of(images, failed)
        collected.take(replace(shard, vectors=np.resize(shard.vectors, (len(images), width))), lambda: None)
    result = collected.result(False, "", tmp_path)
    assert set(numbers[result.rows].tolist()) == found
    assert (result.vectors.shape[1], result.failed) == (dim, [])
    assert dim == 3 or collected.n_done == len(result.rows)


def test_missing_files_are_told_apart(tmp_path) -> None:
    (tmp_path / "there.png").write_bytes(b"x")
    table = ImageTable("t", tmp_path, pd.DataFrame({"path": ["a.png", "there.png", "b\0.png", "a.png"]}))
    collected = Collected(table)
    assert collected.todo().tolist() == [1]
    assert collected.n_done == 3
    reasons = [(failure.row, failure.reason) for failure in collected.result(False, "", tmp_path).failed]
    assert reasons == [(0, "there is no such file"), (2, "the file cannot be opened"), (3, "there is no such file")]


def test_keys_follow_path_size_and_time(tmp_path) -> None:
    (tmp_path / "a.png").write_bytes(b"abc")
    stat, names = (tmp_path / "a.png").stat(), ["a.png", str(tmp_path / "a.png")]
    keys, reasons = table_keys(ImageTable("t", tmp_path, pd.DataFrame({"path": names})), remote=False)
    assert not reasons
    assert [key.tobytes() for key in keys] == [image_key(name, f"{stat.st_size} {stat.st_mtime_ns}") for name in names]


def test_names_compare_as_their_bytes_do() -> None:
    """NumPy drops zeros at the end of strings: of strings of one length, none falls together with another."""
    keys = np.random.default_rng(0).integers(0, 2, (2000, 16)).astype(np.uint8)
    names = as_names(keys)
    assert len(np.unique(names)) == len({key.tobytes() for key in keys})
    np.testing.assert_array_equal(keys[np.argsort(names, kind="stable")], keys[np.lexsort(keys.T[::-1])])
