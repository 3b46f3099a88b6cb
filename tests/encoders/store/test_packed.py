"""Memory-mapped vectors: whole, renewed, and put together without holding them all."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likeness.data.table import ImageTable
from likeness.embedding import embed
from likeness.encoders import embed_images, store_folder
from likeness.encoders.store.collected import packed_vectors
from likeness.errors import InputError

VECTORS = np.random.default_rng(0).normal(size=(300, 7)).astype(np.float32)


def parts(vectors: np.ndarray = VECTORS, shards: int = 5) -> Any:
    """Shards of scattered rows, each row once."""
    for rows in np.array_split(np.random.default_rng(1).permutation(len(vectors)), shards):
        yield rows, vectors[rows]


def none() -> Any:
    """Parts that must not be asked for."""
    raise AssertionError("the file was written again")
    yield


def test_what_is_packed_is_what_was_given(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "a.npy"
    vectors = packed_vectors(file, VECTORS.shape, parts())
    assert isinstance(vectors, np.memmap)
    assert not vectors.flags.writeable
    np.testing.assert_array_equal(vectors, VECTORS)
    np.testing.assert_array_equal(np.load(file), VECTORS)  # a plain .npy for every other program
    np.testing.assert_array_equal(packed_vectors(file, VECTORS.shape, none()), VECTORS)


def test_truncated_files_damaged_headers_and_other_shapes_are_noticed_and_mended(tmp_path: Path) -> None:
    file = tmp_path / "a.npy"
    packed_vectors(file, VECTORS.shape, parts())
    content = file.read_bytes()
    spoilt = [content[:position] + bytes([content[position] ^ 16]) + content[position + 1 :] for position in range(0, 64, 7)]
    for damaged in [*spoilt, *(content[:length] for length in (0, 5, 100, 128, 129, 4000, len(content) - 1))]:
        file.write_bytes(damaged)
        np.testing.assert_array_equal(packed_vectors(file, VECTORS.shape, parts()), VECTORS)
        assert file.read_bytes() == content
    np.testing.assert_array_equal(packed_vectors(file, (200, 7), parts(VECTORS[:200])), VECTORS[:200])  # of another shape
    with pytest.raises(RuntimeError, match="200 rows were given for a packed file of 300"):
        packed_vectors(tmp_path / "b.npy", VECTORS.shape, parts(VECTORS[:200]))
    assert list(tmp_path.iterdir()) == [file]


def test_the_two_files_used_last_stay(tmp_path: Path) -> None:
    for age, name in enumerate(["a", "b", "c"]):
        packed_vectors(tmp_path / f"{name}.npy", VECTORS.shape, parts())
        os.utime(tmp_path / f"{name}.npy", (1000 + age, 1000 + age))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.npy", "c.npy"]
    packed_vectors(tmp_path / "b.npy", VECTORS.shape, none())  # using it makes it young
    packed_vectors(tmp_path / "d.npy", VECTORS.shape, parts())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.npy", "d.npy"]


def packed_files(table: ImageTable, encoder: Any) -> list[Path]:
    return sorted((store_folder(table, encoder.identity) / "packed").glob("*"))


def test_many_vectors_are_memory_mapped_and_the_same(table: ImageTable, fake) -> None:
    (table.root / "0003.png").write_bytes(b"no image")
    plain = embed_images(table, fake, batch_size=3, shard_size=6)
    mapped = embed_images(table, fake, most_bytes=100)
    assert isinstance(mapped.vectors, np.memmap)
    assert not isinstance(plain.vectors, np.memmap)
    np.testing.assert_array_equal(mapped.vectors, plain.vectors)
    np.testing.assert_array_equal(mapped.rows, plain.rows)
    assert mapped.failed == plain.failed
    assert mapped.n_encoded == 0
    (file,) = packed_files(table, fake)
    before = file.stat().st_ino
    assert embed_images(table, fake, most_bytes=100).provenance_key == mapped.provenance_key != ""
    assert file.stat().st_ino == before
    turned = embed_images(ImageTable("turned", table.root, table.frame.iloc[::-1]), fake, most_bytes=100)
    np.testing.assert_array_equal(turned.vectors, plain.vectors[::-1])
    assert turned.provenance_key != mapped.provenance_key
    fresh = embed_images(table, type(fake)("fake-2"), batch_size=4, shard_size=4, most_bytes=60)  # encoded in this call
    assert isinstance(fresh.vectors, np.memmap)
    np.testing.assert_array_equal(fresh.vectors, plain.vectors)


def test_a_shard_lost_meanwhile_is_told(table: ImageTable, fake) -> None:
    embed_images(table, fake, shard_size=4, batch_size=4)

    def lose(done: int, *_: object) -> None:
        next(store_folder(table, fake.identity).glob("*.npz")).unlink()

    with pytest.raises(InputError, match=r"A file of the store of embeddings was lost or damaged .*; start again to recreate it"):
        embed_images(table, fake, most_bytes=60, progress=lose)
    assert packed_files(table, fake) == []
    assert embed_images(table, fake, most_bytes=60).n_encoded == 4


def test_a_space_of_mapped_vectors_copies_nothing(table: ImageTable, tiny_clip: Path) -> None:
    name = f"local-dir:{tiny_clip}"
    space = embed(table, name, device="cpu", most_bytes=100)
    assert isinstance(space.vectors, np.memmap)
    assert space.provenance
    assert space.key == embed(table, name, device="cpu", most_bytes=100).key
    assert space.key != embed(ImageTable("part", table.root, table.frame.iloc[:9]), name, device="cpu", most_bytes=100).key
