"""Maps from the layout process: the same as in this one, canceled, failed, and after the process died."""

import gc
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.projection import METHODS, LayoutFailed, LayoutJob, load_map, map_key, umap_map
from likeness.projection.layout_job import WORKER, LayoutWorker
from likeness.projection.map_store import map_path

VECTORS = np.random.default_rng(0).standard_normal((60, 6)).astype(np.float32)


@pytest.fixture(scope="module", autouse=True)
def worker() -> Iterator[LayoutWorker]:
    yield WORKER
    WORKER.stop()


def test_starts_from_a_map_and_is_stored_under_a_given_name() -> None:
    """Defaults that are written out do not count: the key of a map without parameters is the one that shipped maps are stored under."""
    start = np.random.default_rng(1).standard_normal((60, 2)).astype(np.float32)
    job = LayoutJob(VECTORS, "space-1", init=start, epochs=5, neighbors=15, min_distance=0.1, seed=0)
    np.testing.assert_allclose(job.result(600), umap_map(VECTORS, init=start, epochs=5), atol=1e-4)
    assert job.key == map_key("space-1", "umap", init=start, epochs=5)
    assert LayoutJob(VECTORS + 1, "space-1", init=start, epochs=5).done
    assert load_map(map_key("space-2", "umap", init=start, epochs=5)) is None


@pytest.mark.parametrize("method", [pytest.param(each, marks=[pytest.mark.long] * (each == "pacmap")) for each in METHODS])  # which compiles for long
def test_every_method_gives_the_map_that_its_function_gives_and_it_is_stored(method: str) -> None:
    seed = {"seed": 3} if METHODS[method].seeded else {}
    job = LayoutJob(VECTORS, method=method, **seed)
    np.testing.assert_allclose(job.result(600), METHODS[method].function(VECTORS, **seed), atol=1e-4)
    assert load_map(job.key) is not None
    again = LayoutJob(VECTORS, method=method, **seed)
    assert again.done
    np.testing.assert_array_equal(again.result(0), job.result(0))


def test_vectors_on_disk_are_read_where_they_are(tmp_path: Path) -> None:
    """A whole memory-mapped file is not copied; a part of one is, since it does not begin where the file does."""
    np.save(tmp_path / "vectors.npy", VECTORS)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    start = np.zeros((60, 2), np.float32)
    for given, copied in ((mapped, False), (mapped[5:], True), (VECTORS, True), (mapped.astype(np.float64), True)):
        job = LayoutJob(given, method="pca", init=start[: len(given)])
        assert job._folder is not None
        assert (job._folder / "vectors.npy").exists() == copied
        np.testing.assert_allclose(job.result(600), METHODS["pca"].function(np.asarray(given)), atol=1e-5)
        map_path(job.key).unlink()


def test_an_error_there_is_reported_here() -> None:
    with pytest.raises(LayoutFailed, match="could not be computed: neighbors is 1, but"):
        LayoutJob(VECTORS, neighbors=1).result(600)
    with pytest.raises(LayoutFailed, match=r"could not be computed: TypeError: .*'colour'"):
        LayoutJob(VECTORS, colour="red").result(600)  # codespell:ignore
    with pytest.raises(InputError, match="The vectors row 0 holds NaN"):
        LayoutJob(VECTORS * np.nan)
    with pytest.raises(InputError, match="no layout method 'mds'"):
        LayoutJob(VECTORS, method="mds")


def test_cancel_stops_one_job_and_not_the_others() -> None:
    long, other = LayoutJob(VECTORS, epochs=10**7), LayoutJob(VECTORS, epochs=7)
    with pytest.raises(LayoutFailed, match=r"not ready after 0.1 s"):
        long.result(0.1)
    begin = time.monotonic()
    long.cancel()
    assert time.monotonic() - begin < 10
    assert long.done
    with pytest.raises(LayoutFailed, match="was canceled"):
        long.result()
    assert other.result(600).shape == (60, 2)


def test_an_abandoned_job_leaves_the_queue_but_one_just_begun_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    at_work, waiting, other = LayoutJob(VECTORS, epochs=40_000), LayoutJob(VECTORS, epochs=10**7), LayoutJob(VECTORS, epochs=11)
    assert not at_work.abandon()
    assert waiting.abandon()
    with pytest.raises(LayoutFailed, match="was canceled"):
        waiting.result()
    assert at_work.result(600).shape == other.result(600).shape == (60, 2)
    assert not at_work.abandon()
    monkeypatch.setattr("likeness.projection.layout_job.RESTART", 0.0)
    endless = LayoutJob(VECTORS, epochs=10**7)
    assert endless.abandon()


def test_if_the_process_dies_its_job_failed_and_the_next_is_done(worker: LayoutWorker) -> None:
    at_work, waiting = LayoutJob(VECTORS, epochs=10**7), LayoutJob(VECTORS, epochs=8)
    process = worker._process.start()
    process.kill()
    process.wait()
    with pytest.raises(LayoutFailed, match="process ended with status -9"):
        at_work.result(600)
    assert waiting.result(600).shape == (60, 2)


def test_files_of_a_forgotten_job_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    job = LayoutJob(VECTORS, epochs=9)
    assert len(list(tmp_path.glob("likeness-map-*"))) == 1
    job.result(600)
    del job
    gc.collect()
    assert not list(tmp_path.glob("likeness-map-*"))
