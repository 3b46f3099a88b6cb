"""The two kinds of places for shards behave alike."""

from pathlib import Path
from uuid import uuid4

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likeness.data.table import ImageTable
from likeness.encoders import embed_images
from likeness.encoders.store.shard_folder import LocalFolder, RemoteFolder, shard_folder
from likeness.errors import InputError


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


def test_a_folder_with_the_name_of_a_shard_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.npz").mkdir()
    assert LocalFolder(tmp_path).names() == []


def test_kinds(tmp_path: Path, bucket: str) -> None:
    assert isinstance(shard_folder(tmp_path), LocalFolder)
    assert isinstance(shard_folder(tmp_path.as_uri()), LocalFolder)
    assert isinstance(shard_folder(bucket), RemoteFolder)
    with pytest.raises(InputError, match=r"'nowhere://x' cannot be reached .*Protocol not known"):
        shard_folder("nowhere://x")


def test_a_store_behind_a_url_is_reused(table: ImageTable, fake, bucket: str, cache: Path) -> None:
    first = embed_images(table, fake, store_dir=bucket, batch_size=4, shard_size=4)
    again = embed_images(table, fake, store_dir=bucket, most_bytes=100)
    assert (first.n_encoded, again.n_encoded) == (20, 0)
    np.testing.assert_array_equal(first.vectors, again.vectors)
    assert list(cache.rglob("*.npz")) == []
    assert len(list(cache.rglob("packed/*.npy"))) == 1  # what is mapped into memory lies on this machine


def test_a_store_that_cannot_be_written_is_one_sentence(table: ImageTable, fake, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("Forbidden: no right to put")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "pipe_file", refuse)
    with pytest.raises(InputError, match=r"cannot be written to 'memory://.*': Forbidden: no right to put; make room"):
        embed_images(table, fake, store_dir=bucket)


def test_images_behind_urls_are_embedded_like_files(table: ImageTable, fake, bucket: str) -> None:
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


def test_a_timeout_behind_urls_fails_its_images_alone_and_is_not_remembered(table: ImageTable, fake, bucket: str, monkeypatch) -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe(f"{bucket}/photos/a.png", (table.root / "0000.png").read_bytes())
    behind = ImageTable("urls", table.root, pd.DataFrame({"path": [f"{bucket}/photos/a.png", "0001.png"]}))

    def late(*_, **__) -> None:
        raise fsspec.exceptions.FSTimeoutError

    with monkeypatch.context() as patch:
        patch.setattr(type(memory), "cat_ranges", late)
        assert [each.reason for each in embed_images(behind, fake, remote=True).failed] == ["the file cannot be opened (it took too long)"]
    result = embed_images(behind, fake, remote=True)
    assert not result.failed
    assert result.n_encoded == 1


def test_urls_are_not_followed_unless_allowed(fake, tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    Image.new("RGB", (4, 4)).save(tmp_path / "secret.png")
    table = ImageTable("t", tmp_path, pd.DataFrame({"path": ["a.png", (tmp_path / "secret.png").as_uri(), "http://127.0.0.1:1/x.png"]}))
    result = embed_images(table, fake)
    assert result.rows.tolist() == [0]
    assert {failure.reason for failure in result.failed} == {"there is no such file"}
