"""Shard files: what is read is what was written, or nothing."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from likeness.encoders.store.encoded_batches import EncodedBatch
from likeness.encoders.store.keys import image_key, key_array
from likeness.encoders.store.shard_folder import LocalFolder
from likeness.encoders.store.shards import Shard, ShardWriter, _parse as parse, read_shards, write_shard


@pytest.fixture
def shard() -> Shard:
    vectors = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    return Shard(key_array([image_key(f"{i}.png", "1 2") for i in range(3)]), vectors, {image_key("ü.png", "3 4"): "it is damaged (größer)"})


def same(a: Shard, b: Shard) -> bool:
    return np.array_equal(a.keys, b.keys) and np.array_equal(a.vectors, b.vectors) and a.failed == b.failed


def test_round_trip(tmp_path: Path, shard: Shard) -> None:
    write_shard(LocalFolder(tmp_path), shard)
    ((_, read),) = read_shards(LocalFolder(tmp_path), repair=True)
    assert same(read, shard)


def test_a_shard_of_failures_alone(tmp_path: Path, shard: Shard) -> None:
    failures = Shard(shard.keys[:0], np.zeros((0, 0), np.float32), shard.failed)
    write_shard(LocalFolder(tmp_path), failures)
    ((_, read),) = read_shards(LocalFolder(tmp_path), repair=True)
    assert read.failed == shard.failed
    assert len(read.vectors) == 0


def test_no_flipped_bit_passes_unnoticed(tmp_path: Path, shard: Shard) -> None:
    path = tmp_path / write_shard(LocalFolder(tmp_path), shard)
    content = path.read_bytes()
    refused = 0
    for position in range(0, len(content), 2):
        read = parse(content[:position] + bytes([content[position] ^ 4]) + content[position + 1 :])
        refused += read is None
        assert read is None or same(read, shard), position
    assert refused > len(content) / 4


def test_every_truncation_is_noticed(tmp_path: Path, shard: Shard) -> None:
    path = tmp_path / write_shard(LocalFolder(tmp_path), shard)
    content = path.read_bytes()
    for length in range(0, len(content), 5):
        assert parse(content[:length]) is None, length


def test_damaged_files_are_removed_only_when_repairing(tmp_path: Path, shard: Shard) -> None:
    path = tmp_path / write_shard(LocalFolder(tmp_path), shard)
    path.write_bytes(b"")
    assert list(read_shards(LocalFolder(tmp_path), repair=False)) == []
    assert path.exists()
    assert list(read_shards(LocalFolder(tmp_path), repair=True)) == []
    assert not path.exists()


@pytest.mark.parametrize(("keys", "vectors"), [(2, 3), (3, 2)])
def test_a_key_for_each_vector_or_the_file_is_damaged(keys: int, vectors: int, tmp_path: Path, shard: Shard) -> None:
    write_shard(LocalFolder(tmp_path), Shard(shard.keys[:keys], shard.vectors[:vectors], {}))
    assert list(read_shards(LocalFolder(tmp_path), repair=False)) == []


def test_equal_work_gives_one_file(tmp_path: Path, shard: Shard) -> None:
    assert write_shard(LocalFolder(tmp_path), shard) == write_shard(LocalFolder(tmp_path), shard)
    assert len(list(tmp_path.iterdir())) == 1


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
from likeness.encoders.store.packed import packed_vectors
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
