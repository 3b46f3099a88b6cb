"""Shard files and the two kinds of places for them: what is read is what was written, or nothing."""

import os
import re
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likeness.data.table import ImageTable
from likeness.encoders import embed_images
from likeness.encoders.store.encoded_batches import EncodedBatch
from likeness.encoders.store.keys import image_key, key_array
from likeness.encoders.store.shard_folder import LocalFolder, RemoteFolder, shard_folder
from likeness.encoders.store.shards import Shard, ShardWriter, _parse as parse, read_shards, write_shard
from likeness.errors import InputError


@pytest.fixture
def shard() -> Shard:
    vectors = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    return Shard(key_array([image_key(f"{i}.png", "1 2") for i in range(3)]), vectors, {image_key("ü.png", "3 4"): "it is damaged (größer)"})


def same(a: Shard, b: Shard) -> bool:
    return np.array_equal(a.keys, b.keys) and np.array_equal(a.vectors, b.vectors) and a.failed == b.failed


def test_round_trip(tmp_path: Path, shard: Shard) -> None:
    assert write_shard(LocalFolder(tmp_path), shard) == write_shard(LocalFolder(tmp_path), shard)  # equal work gives one file
    ((name, read),) = read_shards(LocalFolder(tmp_path), repair=True)
    assert same(read, shard)
    (tmp_path / name).unlink()
    write_shard(LocalFolder(tmp_path), Shard(shard.keys[:0], np.zeros((0, 0), np.float32), shard.failed))  # of failures alone
    ((_, read),) = read_shards(LocalFolder(tmp_path), repair=True)
    assert (read.failed, len(read.vectors)) == (shard.failed, 0)


def test_no_flipped_bit_and_no_truncation_passes_unnoticed(tmp_path: Path, shard: Shard) -> None:
    path = tmp_path / write_shard(LocalFolder(tmp_path), shard)
    content = path.read_bytes()
    refused = 0
    for position in range(0, len(content), 2):
        read = parse(content[:position] + bytes([content[position] ^ 4]) + content[position + 1 :])
        refused += read is None
        assert read is None or same(read, shard), position
    assert refused > len(content) / 4
    assert not [length for length in range(0, len(content), 5) if parse(content[:length]) is not None]


@pytest.mark.parametrize(("keys", "vectors"), [(0, 0), (2, 3), (3, 2)], ids=["empty", "more vectors", "more keys"])
def test_a_damaged_file_is_removed_only_when_repairing(keys: int, vectors: int, tmp_path: Path, shard: Shard) -> None:
    """An empty one, and one without a key for each vector."""
    path = tmp_path / write_shard(LocalFolder(tmp_path), Shard(shard.keys[:keys], shard.vectors[:vectors], {}))
    if not keys:
        path.write_bytes(b"")
    for repair in (False, True):
        assert list(read_shards(LocalFolder(tmp_path), repair=repair)) == []
        assert path.exists() != repair


def batch_of(vectors: np.ndarray, damaged: int = 0, unopened: int = 0) -> EncodedBatch:
    n = len(vectors)
    reasons = [(n + i, "it is damaged") for i in range(damaged)]
    return EncodedBatch(n + damaged + unopened, np.arange(n), vectors, reasons, [(n + damaged + i, "") for i in range(unopened)], n)


def test_the_writer_closes_shards_by_images_tried_at_the_end_of_a_batch_and_writes_the_rest(tmp_path: Path) -> None:
    written: list[tuple[str, Shard]] = []
    with ShardWriter(LocalFolder(tmp_path), size=4, seconds=1e9, written=lambda *shard: written.append(shard)) as writer:
        for i in range(5):
            keys = key_array([image_key(f"{i}-{j}", "") for j in range(3)])
            writer.add(batch_of(np.full((1, 3), i, np.float32), damaged=1, unopened=1), keys)
        assert len(list(tmp_path.iterdir())) == 2
    shards = dict(read_shards(LocalFolder(tmp_path), repair=False))
    assert sorted((len(shard.keys), len(shard.failed)) for shard in shards.values()) == [(1, 1), (2, 2), (2, 2)]
    assert all(same(shards[name], shard) for name, shard in written)


def test_keys_differ_where_path_or_state_do() -> None:
    pairs = [("a", "b"), ("ab", ""), ("", "ab"), ("a", "c"), ("é", ""), (os.fsdecode(b"\xff"), "")]
    assert len({image_key(*pair) for pair in pairs}) == len(pairs)


_SHARD = """
from likeness.encoders.store.keys import image_key, key_array
from likeness.encoders.store.shard_folder import LocalFolder
from likeness.encoders.store.shards import Shard, write_shard
keys = key_array([image_key(str(i), "") for i in range(1000)])
write_shard(LocalFolder(Path(sys.argv[1])), Shard(keys, np.zeros((1000, 64), np.float32), {}))
"""
_PACKED = """
from likeness.encoders.store.collected import packed_vectors
packed_vectors(Path(sys.argv[1]) / "a.npy", (1000, 64), [(np.arange(1000), np.zeros((1000, 64), np.float32))])
"""


@pytest.mark.parametrize("write", [_SHARD, _PACKED], ids=["shard", "packed"])
def test_a_real_write_that_the_system_refuses(write: str, tmp_path: Path) -> None:
    """A limit on the size of files makes a real write fail half-way, as a full disk does."""
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); signal.signal(signal.SIGXFSZ, signal.SIG_IGN)"
    code = f"import resource, signal, sys\nfrom pathlib import Path\nimport numpy as np\n{limit}\n{write}"
    run = subprocess.run([sys.executable, "-B", "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert re.search(r"InputError: .*cannot be written to .*the disk is full", run.stderr)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def bucket() -> str:
    """A place of its own in fsspec's memory."""
    return f"memory://bucket-{uuid4().hex}"


@pytest.mark.parametrize("kind", ["local", "memory"])
def test_files_come_back_whole(kind: str, tmp_path: Path, bucket: str) -> None:
    folder = shard_folder(tmp_path / "store" if kind == "local" else f"{bucket}/store/")
    assert folder.names() == []
    folder.remove("none.npz")
    folder.write("b.npz", b"2")
    folder.write("a.npz", b"1")
    folder.write("a.npz", b"one")
    folder.write(".x.partial", b"")
    assert folder.names() == ["a.npz", "b.npz"]
    assert (folder.read("a.npz"), folder.read("none.npz")) == (b"one", None)
    folder.remove("a.npz")
    folder.remove_leftovers(-1.0)
    assert folder.names() == ["b.npz"]


def test_kinds(tmp_path: Path, bucket: str) -> None:
    (tmp_path / "a.npz").mkdir()
    assert LocalFolder(tmp_path).names() == []
    assert [type(shard_folder(each)) for each in (tmp_path, tmp_path.as_uri(), bucket)] == [LocalFolder, LocalFolder, RemoteFolder]
    with pytest.raises(InputError, match=r"'nowhere://x' cannot be reached .*Protocol not known"):
        shard_folder("nowhere://x")


def test_a_store_behind_a_url_is_reused(table: ImageTable, fake, bucket: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    first = embed_images(table, fake, store_dir=bucket, batch_size=4, shard_size=4)
    again = embed_images(table, fake, store_dir=bucket, most_bytes=100)
    assert (first.n_encoded, again.n_encoded) == (20, 0)
    np.testing.assert_array_equal(first.vectors, again.vectors)
    assert list(cache.rglob("*.npz")) == []
    assert len(list(cache.rglob("packed/*.npy"))) == 1  # what is mapped into memory lies on this machine

    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("Forbidden: no right to put")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "pipe_file", refuse)
    with pytest.raises(InputError, match=r"cannot be written to 'memory://.*': Forbidden: no right to put; make room"):
        embed_images(table, type(fake)("fake-2"), store_dir=bucket)


def test_images_behind_urls_are_embedded_like_files(table: ImageTable, fake, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    for path in table.paths():
        memory.pipe(f"{bucket}/photos/{path.name}", path.read_bytes())
    memory.pipe(f"{bucket}/photos/0003.png", b"no image")
    urls = [f"{bucket}/photos/{name}" for name in table.frame["path"]]
    behind = ImageTable("urls", table.root, pd.DataFrame({"path": [*urls, f"{bucket}/photos/none.png"]}))
    result = embed_images(behind, fake, remote=True, batch_size=4)
    reasons = [(failure.row, failure.reason) for failure in result.failed]
    assert reasons == [(3, "it is empty or not an image in a known format"), (20, "there is no such file")]
    rest = ImageTable("rest", table.root, table.frame.drop(index=3))
    np.testing.assert_array_equal(result.vectors, embed_images(rest, fake, batch_size=4).vectors)
    memory.pipe(f"{bucket}/photos/0003.png", (table.root / "0004.png").read_bytes())
    assert embed_images(behind, fake, remote=True).n_encoded == 1

    def late(*_, **__) -> None:
        raise fsspec.exceptions.FSTimeoutError

    other, mixed = type(fake)("fake-2"), ImageTable("urls", table.root, pd.DataFrame({"path": [urls[0], "0001.png"]}))
    with monkeypatch.context() as patch:  # a timeout fails its images alone and is not remembered
        patch.setattr(type(memory), "cat_ranges", late)
        assert [each.reason for each in embed_images(mixed, other, remote=True).failed] == ["the file cannot be opened (it took too long)"]
    result = embed_images(mixed, other, remote=True)
    assert (result.failed, result.n_encoded) == ([], 1)


def test_urls_are_not_followed_unless_allowed(fake, tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    Image.new("RGB", (4, 4)).save(tmp_path / "secret.png")
    table = ImageTable("t", tmp_path, pd.DataFrame({"path": ["a.png", (tmp_path / "secret.png").as_uri(), "http://127.0.0.1:1/x.png"]}))
    result = embed_images(table, fake)
    assert result.rows.tolist() == [0]
    assert {failure.reason for failure in result.failed} == {"there is no such file"}
