"""The embedding store: reuse, invalidation, damage, kills, stops, several processes."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments import shipped_files
from experiments.shipped_files import ship_embeddings
from likeness.data import CONTENT_COLUMN, ImageTable
from likeness.encoders import embed_images, store_folder
from likeness.encoders.store.encoding_pass import shuffled
from likeness.errors import InputError
from likeness.io import TransientError

# A process that embeds with a slow encoder and notes each batch it encodes before it returns.
WORKER = """
import sys, time
from pathlib import Path
import numpy as np, pandas as pd
from likeness.data import CONTENT_COLUMN, ImageTable
from likeness.encoders import embed_images

class Slow:
    name, identity = "slow", "slow-1"
    def encode_images(self, images):
        time.sleep(0.01)
        colors = np.array([np.asarray(image, dtype=np.float32).mean((0, 1)) + 1 for image in images])
        with open(sys.argv[2], "a") as log:
            log.write(f"{len(images)}\\n")
        return colors / np.linalg.norm(colors, axis=1, keepdims=True)

folder = Path(sys.argv[1])
table = ImageTable("colors", folder, pd.DataFrame({"path": sorted(path.name for path in folder.iterdir())}))
result = embed_images(table, Slow(), batch_size=4, shard_size=8)
np.save(sys.argv[3], result.vectors)
"""


def shards(table: ImageTable, encoder) -> list[Path]:
    return sorted(store_folder(table, encoder.identity).glob("*.npz"))


def expected(table: ImageTable) -> np.ndarray:
    colors = np.array([np.asarray(Image.open(path), dtype=np.float64).mean((0, 1)) + 1 for path in table.paths()])
    return colors / np.linalg.norm(colors, axis=1, keepdims=True)


def test_vectors_stand_in_the_order_of_the_table(table, fake) -> None:
    turned = ImageTable("turned", table.root, table.frame.iloc[::-1])
    reports: list[tuple[int, int]] = []
    embed_images(ImageTable("half", table.root, table.frame.iloc[5:15]), fake, batch_size=3)
    result = embed_images(turned, fake, batch_size=4, shard_size=4, progress=lambda *report: reports.append(report))
    assert reports == [(10, 20), (14, 20), (18, 20), (20, 20)]  # with what is stored first
    np.testing.assert_allclose(result.vectors, expected(turned), atol=1e-6)
    np.testing.assert_array_equal(result.rows, np.arange(20))
    assert result.vectors.dtype == np.float32
    assert result.complete
    assert not result.failed
    assert result.n_encoded == 10


def test_nothing_is_encoded_twice_and_another_encoder_shares_nothing(table, fake) -> None:
    doubled = ImageTable("doubled", table.root, pd.concat([table.frame, table.frame]))
    first = embed_images(doubled, fake, shard_size=6, batch_size=6)
    assert fake.images == 20
    np.testing.assert_array_equal(first.rows, np.arange(40))
    np.testing.assert_array_equal(first.vectors[:20], first.vectors[20:])
    assert len(shards(table, fake)) == 4
    assert embed_images(table, type(fake)("fake-2")).n_encoded == 20
    second = embed_images(table, fake)
    assert (fake.images, second.n_encoded) == (20, 0)
    np.testing.assert_array_equal(first.vectors[:20], second.vectors)
    third = type(fake)("fake-3")
    embed_images(table, third, batch_size=5, shard_size=1000, shard_seconds=0.0)
    assert len(shards(table, third)) == 4  # each closed after its time


def test_only_changed_and_new_images_are_encoded(table, fake) -> None:
    embed_images(table, fake)
    Image.new("RGB", (8, 8), (1, 2, 3)).save(table.root / "0004.png")
    Image.new("RGB", (8, 8), (9, 2, 3)).save(table.root / "new.png")
    os.utime(table.root / "0000.png", ns=(1, 1))  # another time alone counts as a change
    grown = ImageTable("colors", table.root, pd.DataFrame({"path": [*table.frame["path"], "new.png"]}))
    result = embed_images(grown, fake)
    assert result.n_encoded == 3
    np.testing.assert_allclose(result.vectors, expected(grown), atol=1e-6)


def test_unreadable_images_are_listed_remembered_and_tried_again_when_they_change(table, fake, photo) -> None:
    (table.root / "0003.png").write_bytes(b"no image")
    photo(64, 64).save(table.root / "0005.png")
    (table.root / "0005.png").write_bytes((table.root / "0005.png").read_bytes()[:5000])
    (table.root / "0007.png").unlink()
    result = embed_images(table, fake)
    assert [(failure.row, failure.path) for failure in result.failed] == [(3, "0003.png"), (5, "0005.png"), (7, "0007.png")]
    assert "not an image" in result.failed[0].reason
    assert "damaged" in result.failed[1].reason
    assert "no such file" in result.failed[2].reason
    assert result.complete
    np.testing.assert_array_equal(result.rows, [row for row in range(20) if row not in (3, 5, 7)])
    np.testing.assert_allclose(result.vectors, expected(ImageTable("rest", table.root, table.frame.iloc[result.rows])), atol=1e-6)
    again = embed_images(table, fake)
    assert again.failed == result.failed
    assert fake.images == 17
    Image.new("RGB", (8, 8)).save(table.root / "0003.png")
    assert [failure.row for failure in embed_images(table, fake).failed] == [5, 7]
    none = embed_images(ImageTable("bad", table.root, table.frame.iloc[[5, 7]]), fake)
    assert (len(none.vectors), len(none.rows), len(none.failed), none.complete) == (0, 0, 2, True)


def test_an_image_without_finite_vector_is_listed(table, fake, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = fake.encode_images
    monkeypatch.setattr(fake, "encode_images", lambda images: np.where(np.arange(len(images))[:, None] == 2, np.nan, encode(images)))
    result = embed_images(table, fake)
    assert [(failure.row, failure.reason) for failure in result.failed] == [(2, "the encoder returns no finite vector for it")]
    assert np.isfinite(result.vectors).all()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TransientError("The image '0002.png'", MemoryError()), "there is not enough memory now"),
        (MemoryError(), "there is not enough memory now"),
        *((OSError(number, os.strerror(number)), os.strerror(number).lower()) for number in (errno.EMFILE, errno.ENFILE, errno.EIO, errno.ETIMEDOUT)),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "there is not enough memory now"),
        (TimeoutError(), "it took too long"),
        (PermissionError(errno.EACCES, "Permission denied"), "the file cannot be opened (permission denied)"),
    ],
    ids=["decoding", "preparing", "EMFILE", "ENFILE", "EIO", "ETIMEDOUT", "ENOMEM", "timeout", "EACCES"],
)
def test_what_passes_is_told_and_only_those_images_are_read_again(table, fake, monkeypatch: pytest.MonkeyPatch, error, reason: str) -> None:
    from likeness.encoders.store import pipeline

    read = pipeline.read_image

    def fail(path: Path, least: int | None) -> Image.Image:
        if path.name == "0002.png":
            raise error
        return read(path, least)

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "read_image", fail)
        result = embed_images(table, fake)
    assert [failure.row for failure in result.failed] == [2]
    assert reason in result.failed[0].reason
    result = embed_images(table, fake)
    assert not result.failed
    assert result.n_encoded == 1


_MEMORY = "There is not enough memory to encode 4 images at once; choose a smaller batch size"


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (MemoryError(), InputError, _MEMORY),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes."), InputError, _MEMORY),
        (RuntimeError("a defect"), RuntimeError, "a defect"),
    ],
)
def test_an_error_of_the_encoder_keeps_what_is_done(table, fake, monkeypatch: pytest.MonkeyPatch, error, kind, said: str) -> None:
    encode = fake.encode_images

    def fail(images: list) -> np.ndarray:
        if fake.images >= 8:
            raise error
        return encode(images)

    with monkeypatch.context() as patch:
        patch.setattr(fake, "encode_images", fail)
        with pytest.raises(kind, match=said):
            embed_images(table, fake, batch_size=4, shard_size=100)
    assert embed_images(table, fake).n_encoded == 12


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.EMFILE, "Too many open files"), OSError(errno.EIO, "Input/output error")])
def test_stored_embeddings_that_cannot_be_read_now_stay(table, fake, monkeypatch: pytest.MonkeyPatch, error) -> None:
    def fail(*_, **__) -> None:
        raise error

    embed_images(table, fake)
    before = shards(table, fake)
    with monkeypatch.context() as patch:
        patch.setattr(np, "load", fail) if isinstance(error, MemoryError) else patch.setattr(Path, "read_bytes", fail)
        with pytest.raises(TransientError, match=r"The embeddings in '.*' cannot be read now: .*; try again"):
            embed_images(table, fake)
    assert shards(table, fake) == before
    assert embed_images(table, fake).n_encoded == 0


@pytest.fixture
def known(table) -> ImageTable:
    """The table with the digest of each image."""
    digests = [sha256(path.read_bytes()).hexdigest() for path in table.paths()]
    return ImageTable("known", table.root, table.frame.assign(**{CONTENT_COLUMN: digests}))


def test_a_digest_counts_only_where_the_file_has_it(table, known: ImageTable, fake) -> None:
    """Whatever the time of the file; a table may be read again after images changed or went.

    A person's own column "sha256" is an attribute like all others: img2dataset writes the digest of the original there, and tables of crops that of
    their parent.
    """
    parents = ImageTable("crops", table.root, table.frame.assign(sha256=sha256(b"parent").hexdigest()))
    np.testing.assert_allclose(embed_images(parents, type(fake)("fake-2")).vectors, expected(table), atol=1e-6)
    assert parents.attributes[-1] == "sha256"
    embed_images(known, fake)
    for path in table.paths():
        os.utime(path, ns=(1, 1))
    assert embed_images(known, fake).n_encoded == 0
    assert CONTENT_COLUMN not in known.attributes
    table.paths()[0].unlink()
    Image.new("RGB", (8, 8), (1, 250, 3)).save(table.paths()[1])
    result = embed_images(known, fake)
    assert [failure.row for failure in result.failed] == [0]
    assert result.n_encoded == 1
    whole = ImageTable("rest", table.root, table.frame.iloc[1:])
    np.testing.assert_allclose(result.vectors, expected(whole), atol=1e-6)


@pytest.mark.parametrize("spoil", ["truncate", "empty", "flip a bit", "garbage", "another array"])
def test_a_damaged_shard_is_encoded_again_and_no_other(table, fake, spoil: str) -> None:
    first = embed_images(table, fake, batch_size=5, shard_size=5)
    part = first.vectors[5:10].tobytes()
    (path,) = (path for path in shards(table, fake) if part in path.read_bytes())
    content = bytearray(path.read_bytes())
    if spoil == "flip a bit":
        content[content.index(part)] ^= 1
    path.write_bytes({"truncate": content[:-30], "empty": b"", "garbage": b"x" * 500}.get(spoil, content))
    if spoil == "another array":
        none = np.zeros((0, 16), np.uint8)
        np.savez(path, keys=np.zeros((2, 16), np.uint8), vectors=np.zeros((3, 3)), failed_keys=none, reasons=np.array([], dtype=str))
    again = embed_images(table, fake, batch_size=5)
    assert again.n_encoded == 5
    np.testing.assert_array_equal(first.vectors, again.vectors)
    assert embed_images(table, fake).n_encoded == 0


def test_stopping_keeps_what_is_done(table, fake, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = embed_images(table, fake, batch_size=4, should_stop=lambda: fake.images >= 8)
    assert not stopped.complete
    np.testing.assert_array_equal(stopped.rows, np.arange(8))
    with monkeypatch.context() as patch:
        patch.setattr(fake, "encode_images", None)  # what is stored is had without the encoder
        part = embed_images(table, fake, should_stop=lambda: True)
    assert (len(part.rows), part.complete, part.n_encoded) == (8, False, 0)
    rest = embed_images(table, fake, batch_size=4)
    assert rest.complete
    assert rest.n_encoded == 12
    np.testing.assert_allclose(rest.vectors, expected(table), atol=1e-6)


def test_a_full_disk_is_one_clear_error_and_loses_nothing(table, fake, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.encoders.store import shard_folder as module

    write = module.write_atomic

    def fill_up(path: Path, content: bytes) -> None:
        if len(shards(table, fake)) >= 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, content)

    message = r"cannot be written to .*: the disk is full; make room, or set LIKENESS_CACHE"
    with monkeypatch.context() as patch:
        patch.setattr(module, "write_atomic", fill_up)
        with pytest.raises(InputError, match=message):
            embed_images(table, fake, batch_size=5, shard_size=5)
    assert embed_images(table, fake).n_encoded == 10


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"batch_size": 0}, "must be at least 1"),
        ({"shard_size": -1}, "must be at least 1"),
        ({"store_dir": Path(__file__)}, r"Embeddings cannot be written to .*not a directory"),
        ({"engine": "spark"}, "There is no engine 'spark'; choose from local, ray"),
        ({"engine": "ray", "workers": 0}, "cannot use 0 workers"),
        ({"workers": 2}, "The engine 'local' cannot use 2 workers"),
    ],
)
def test_wrong_options(table, fake, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        embed_images(table, fake, **options)


def test_shipped_embeddings_need_no_encoding(table, known: ImageTable, fake, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.encoders.store import images as store

    for each in (store, shipped_files):
        monkeypatch.setattr(each, "assets_dir", lambda: tmp_path / "assets")
    ship_embeddings(known, fake)
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "another cache"))
    shipped = embed_images(known, fake)
    assert shipped.n_encoded == 0
    np.testing.assert_allclose(shipped.vectors, expected(table), atol=1e-6)
    assert not (tmp_path / "another cache").exists()
    assert embed_images(known, type(fake)("fake-2")).n_encoded == 20
    with pytest.raises(InputError, match="no column 'likeness:sha256'"):
        ship_embeddings(table, fake)


def test_leftovers_of_a_killed_writer_are_removed_later(table, fake) -> None:
    embed_images(ImageTable("half", table.root, table.frame.iloc[:10]), fake)
    old, young = (store_folder(table, fake.identity) / name for name in (".old.partial", ".young.partial"))
    old.touch()
    young.touch()
    os.utime(old, (1, 1))
    embed_images(table, fake)
    assert not old.exists()
    assert young.exists()


def run_worker(folder: Path, log: Path, out: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", WORKER, str(folder), str(log), str(out)])


def test_a_kill_at_any_moment_loses_at_most_the_shard_in_work(write_images, tmp_path: Path) -> None:
    n, shard, batch = 200, 8, 4
    table, log, out = write_images(tmp_path / "many", n), tmp_path / "log", tmp_path / "out.npy"
    rng, kills = random.Random(0), 0
    while not out.exists():
        before = encoded(log)
        worker = run_worker(table.root, log, out)
        deadline = time.monotonic() + 600
        # Some way into the work (the first kills hit a store that is still empty), then at a random moment.
        while kills < 5 and worker.poll() is None and encoded(log) < before + rng.randrange(0, 40, 4) and time.monotonic() < deadline:
            time.sleep(0.002)
        if kills < 5:
            time.sleep(rng.random() * 0.02)
            worker.send_signal(signal.SIGKILL)
            kills += 1
        assert worker.wait(600) in (0, -signal.SIGKILL)
    np.testing.assert_allclose(np.load(out), expected(table), atol=1e-6)
    assert encoded(log) <= n + kills * (shard + batch)


def test_two_processes_at_once(write_images, tmp_path: Path) -> None:
    table = write_images(tmp_path / "many", 60)
    outs = [tmp_path / "a.npy", tmp_path / "b.npy"]
    workers = [run_worker(table.root, tmp_path / out.stem, out) for out in outs]
    assert [worker.wait(600) for worker in workers] == [0, 0]
    for out in outs:
        np.testing.assert_allclose(np.load(out), expected(table), atol=1e-6)


def encoded(log: Path) -> int:
    """Images encoded by all workers; a kill may cut off the last line."""
    return sum(int(line) for line in log.read_text().split()) if log.exists() else 0


def test_a_real_encoder_gives_what_it_gives_alone_and_torch_stays_away_when_all_is_stored(table, tiny_clip: Path, tmp_path: Path) -> None:
    from likeness.encoders import load_encoder

    name = f"local-dir:{tiny_clip}"
    first = embed_images(table, name, device="cpu", batch_size=7)
    np.testing.assert_allclose(first.vectors, load_encoder(name, "cpu").encode_images(table.paths()), atol=1e-6)
    code = f"""
import sys
from pathlib import Path
import pandas as pd
from likeness.data import ImageTable
from likeness.encoders import embed_images
result = embed_images(ImageTable("colors", Path({str(table.root)!r}), pd.DataFrame({{"path": {list(table.frame["path"])!r}}})), {name!r})
print(len(result.rows), result.n_encoded, "torch" in sys.modules, float(result.vectors.sum()))
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert answer[:3] == ["20", "0", "False"]
    assert float(answer[3]) == pytest.approx(float(first.vectors.sum()), abs=1e-3)


def test_what_is_embedded_first_stands_for_all(table, fake, monkeypatch) -> None:
    """A stop after the first batches leaves images from everywhere in the table, with their own vectors."""
    monkeypatch.setattr("likeness.encoders.store.encoding_pass._SHUFFLED", range(len(table), len(table) + 1))
    asked = iter([False, False, True])
    part = embed_images(table, fake, batch_size=4, shard_size=4, should_stop=lambda: next(asked))
    assert len(part.rows) == 8
    assert part.rows.max() > 12
    np.testing.assert_allclose(part.vectors, expected(table)[part.rows], atol=1e-6)
    whole = embed_images(table, fake)
    assert whole.n_encoded == len(table) - 8
    np.testing.assert_allclose(whole.vectors, expected(table), atol=1e-6)


def test_parts_of_a_file_stay_together() -> None:
    paths = ["a.jpg", *(f"b.mp4#t={second}" for second in range(3)), "c.jpg", *(f"d.pdf#page={page}" for page in (1, 2)), "e.jpg", "f.jpg"]
    order = [paths[row] for row in shuffled(paths)]
    assert sorted(order) == sorted(paths) != order
    assert [path for path in order if path.startswith("b")] == paths[1:4]
    for first in ("b.mp4#t=0", "d.pdf#page=1"):
        begin, length = order.index(first), 3 if first[0] == "b" else 2
        assert {path[0] for path in order[begin : begin + length]} == {first[0]}
