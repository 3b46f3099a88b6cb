"""The Ray engine beside the local one: the same files, whatever happens to its workers."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.data.table import ImageTable
from likeness.encoders import embed_images
from likeness.encoders.store import ray_engine
from likeness.encoders.store.keys import as_names, table_keys
from likeness.encoders.store.ray_cluster import ray_cluster
from likeness.encoders.store.shard_folder import LocalFolder
from likeness.encoders.store.shards import read_shards
from likeness.errors import InputError

SIZES: dict[str, Any] = {"batch_size": 4, "shard_size": 10, "shard_seconds": 1e9}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """One cluster for all tests here; `embed_images` works on the one that it finds. Ray gives up after 30 s, which a busy machine may need."""
    with ExitStack() as running:
        for _ in range(20):
            with suppress(InputError):
                ray = running.enter_context(ray_cluster(None))
                break
        yield ray


def noting_encoder(log: Path, dim: int = 3, before: Callable[[int], None] = lambda n: None, wait: float = 0.0) -> Any:
    """Mean colors; notes process and number of images of each batch. Made here, so that it is pickled with its code."""

    class Noting:
        name, identity, has_text = "noting", "noting-1", False

        def encode_images(self, images: Any) -> np.ndarray:
            import time

            time.sleep(wait)
            before(sum(int(line.split()[1]) for line in log.read_text().splitlines()) if log.exists() else 0)
            colors = np.array([np.resize(np.asarray(image, dtype=np.float32).mean((0, 1)) + 1, dim) for image in images])
            with log.open("a") as file:
                file.write(f"{os.getpid()} {len(images)}\n")
            return colors / np.linalg.norm(colors, axis=1, keepdims=True)

    return Noting()


def encoded(log: Path) -> int:
    return sum(int(line.split()[1]) for line in log.read_text().splitlines()) if log.exists() else 0


def files_of(store: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in store.rglob("*.npz")}


def stored_names(store: Path) -> list[bytes]:
    """The keys of all vectors in a store, as often as they are there."""
    (folder,) = (path for place in store.iterdir() for path in place.iterdir())
    return [name for _, shard in read_shards(LocalFolder(folder), repair=False) for name in as_names(shard.keys).tolist()]


@pytest.fixture
def mixed(write_images: Callable[..., ImageTable], tmp_path: Path) -> ImageTable:
    """37 images, of which one is damaged, one missing, one there twice and one named in Latin-1."""
    table = write_images(tmp_path / "mixed", 36)
    latin = os.fsdecode(b"caf\xe9.png")
    (table.root / "0035.png").rename(table.root / latin)
    (table.root / "0005.png").write_bytes(b"no image")
    (table.root / "0007.png").unlink()
    return ImageTable("mixed", table.root, pd.DataFrame({"path": [*table.frame["path"][:-1], latin, "0003.png"]}, dtype=object))


@pytest.mark.parametrize("alone", [False, True])
def test_shards_are_those_of_the_local_engine_byte_for_byte(
    cluster, mixed: ImageTable, tiny_clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: bool
) -> None:
    """With as many threads as a worker has, on which the last digits may depend: one, or as torch chooses for a worker that has its machine alone."""
    import psutil
    import torch

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    threads = torch.get_num_threads()
    torch.set_num_threads((psutil.cpu_count(logical=False) or 1) if alone else 1)
    local = embed_images(mixed, f"local-dir:{tiny_clip}", device="cpu", store_dir=tmp_path / "local", **SIZES)
    torch.set_num_threads(threads)
    workers = None if alone else int(cluster.cluster_resources()["CPU"])
    spread = embed_images(mixed, f"local-dir:{tiny_clip}", device="cpu", store_dir=tmp_path / "ray", engine="ray", workers=workers, **SIZES)
    assert files_of(tmp_path / "ray") == files_of(tmp_path / "local")
    assert len(files_of(tmp_path / "ray")) == 3
    np.testing.assert_array_equal(spread.vectors, local.vectors)
    np.testing.assert_array_equal(spread.rows, local.rows)
    assert (spread.failed, spread.complete, spread.n_encoded) == (local.failed, True, 34)
    assert [failure.row for failure in spread.failed] == [5, 7]


def test_what_is_stored_is_not_read_again(cluster, mixed: ImageTable, tmp_path: Path) -> None:
    log = tmp_path / "log"
    embed_images(ImageTable("part", mixed.root, mixed.frame.iloc[:20]), noting_encoder(log), **SIZES)
    before = encoded(log)
    reports: list[tuple[int, int]] = []
    rest = embed_images(mixed, noting_encoder(log), engine="ray", progress=lambda *report: reports.append(report), **SIZES)
    assert (rest.n_encoded, encoded(log) - before) == (16, 16)
    assert reports[0] == (20 + 1, 37)  # the last row is there twice
    assert reports[-1] == (37, 37)
    assert [done for done, *_ in reports] == sorted(done for done, *_ in reports)
    monkey = embed_images(mixed, noting_encoder(log), engine="ray", **SIZES)
    assert monkey.n_encoded == 0
    np.testing.assert_array_equal(monkey.vectors, rest.vectors)


def test_a_worker_killed_in_the_middle_loses_nothing_and_doubles_nothing(cluster, write_images, tmp_path: Path) -> None:
    table, log, killed = write_images(tmp_path / "many", 120), tmp_path / "log", []

    def kill(done: int, *_: object) -> None:
        if done >= (len(killed) + 1) * 40 and len(killed) < 2:
            killed.append(int(log.read_text().splitlines()[-1].split()[0]))
            os.kill(killed[-1], signal.SIGKILL)

    # every batch is a shard: of the unit in work, a part is stored when its worker dies
    options = SIZES | {"shard_size": 24, "shard_seconds": 0.0, "engine": "ray", "workers": 2}
    result = embed_images(table, noting_encoder(log, wait=0.05), store_dir=tmp_path / "store", progress=kill, **options)
    assert len(killed) == 2
    assert result.complete
    np.testing.assert_array_equal(result.rows, np.arange(120))
    np.testing.assert_array_equal(result.vectors, embed_images(table, noting_encoder(tmp_path / "other"), batch_size=4).vectors)
    assert sorted(stored_names(tmp_path / "store")) == sorted(as_names(table_keys(table, False)[0]).tolist())
    # at most one batch per kill was encoded but not yet stored
    assert encoded(log) <= 120 + 4 * len(killed)


def test_images_that_kill_every_worker_are_named(cluster, write_images, tmp_path: Path) -> None:
    table, log = write_images(tmp_path / "deadly", 24), tmp_path / "log"

    def die(n: int) -> None:
        if n >= 12:
            os.kill(os.getpid(), signal.SIGKILL)

    options = SIZES | {"shard_size": 12, "engine": "ray", "workers": 1}
    with pytest.raises(InputError, match="3 workers died one after another at the images") as error:
        embed_images(table, noting_encoder(log, before=die), store_dir=tmp_path / "store", **options)
    # Ray may hand out either unit first; the other one is deadly
    (start,) = (start for start in (0, 12) if f"'{start:04}.png' to '{start + 11:04}.png'" in str(error.value))
    others = ImageTable("others", table.root, table.frame.iloc[12 - start : 24 - start])
    assert sorted(stored_names(tmp_path / "store")) == sorted(as_names(table_keys(others, False)[0]).tolist())


def test_stopping_keeps_what_is_done(cluster, write_images, tmp_path: Path) -> None:
    table, log = write_images(tmp_path / "many", 200), tmp_path / "log"
    options = SIZES | {"shard_size": 100, "engine": "ray", "workers": 1}
    stopped = embed_images(table, noting_encoder(log, wait=0.1), should_stop=lambda: encoded(log) >= 8, **options)
    assert not stopped.complete
    assert 8 <= len(stopped.rows) == encoded(log) < 100
    rest = embed_images(table, noting_encoder(log), **options)
    assert rest.complete
    assert encoded(log) == 200


def test_a_defect_of_the_encoder_is_raised_and_what_is_done_is_kept(cluster, write_images, tmp_path: Path) -> None:
    table, log = write_images(tmp_path / "many", 24), tmp_path / "log"

    def fail(n: int) -> None:
        if n >= 8:
            raise RuntimeError("a wrong shape")

    options = SIZES | {"shard_size": 100, "engine": "ray"}
    with pytest.raises(RuntimeError, match=r"A worker failed: (?s:.*)a wrong shape"):
        embed_images(table, noting_encoder(log, before=fail), **options)
    assert embed_images(table, noting_encoder(log), **options).n_encoded == 16


def test_a_disk_that_fills_up_under_a_worker_is_one_sentence(cluster, write_images, tmp_path: Path) -> None:
    """A limit on the size of files makes a real write of the worker fail half-way, as a full disk does."""
    table, log = write_images(tmp_path / "many", 40), tmp_path / "log"

    def limit(n: int) -> None:
        import resource

        if n >= 20:
            resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    options = SIZES | {"shard_size": 20, "engine": "ray", "workers": 1}
    with pytest.raises(InputError, match=r"cannot be written to .*: the disk is full; make room"):
        embed_images(table, noting_encoder(log, dim=1000, before=limit), store_dir=tmp_path / "store", **options)
    assert {file.suffix for file in (tmp_path / "store").rglob("*") if file.is_file()} == {".npz"}
    rest = embed_images(table, noting_encoder(log, dim=1000), store_dir=tmp_path / "store", **options)
    assert (rest.complete, rest.n_encoded) == (True, 20)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ("place", r"The worker on [\d.]+ does not see the store '.*elsewhere'; choose a folder that every node reaches"),
        ("encoder", "has other weights than this machine's; install the same on every node"),
    ],
)
def test_workers_elsewhere_or_with_other_weights_are_refused(
    cluster, write_images, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, said: str
) -> None:
    table, encoder, task = write_images(tmp_path / "few", 4), noting_encoder(tmp_path / "log"), ray_engine.Task
    other = noting_encoder(tmp_path / "log")
    type(other).identity = "noting-2"
    values = {"place": str(tmp_path / "elsewhere"), "encoder": other}
    monkeypatch.setattr(ray_engine, "Task", lambda *given: replace(task(*given), **{changed: values[changed]}))
    with pytest.raises(InputError, match=said):
        embed_images(table, encoder, engine="ray")


def test_images_and_store_behind_urls(cluster, write_images, tmp_path: Path) -> None:
    table = write_images(tmp_path / "few", 6)
    behind = ImageTable("urls", tmp_path, pd.DataFrame({"path": [path.as_uri() for path in table.paths()]}))
    spread = embed_images(behind, noting_encoder(tmp_path / "log"), engine="ray", remote=True, store_dir=(tmp_path / "store").as_uri())
    np.testing.assert_array_equal(spread.vectors, embed_images(table, noting_encoder(tmp_path / "log")).vectors)
    assert len(files_of(tmp_path / "store")) == 1


def test_ray_that_is_missing_is_one_sentence(table, fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"needs Ray Data, which is not installed .*; run `pip install 'likeness\[ray\]'`"):
        embed_images(table, fake, engine="ray")


@pytest.mark.long
def test_a_cluster_of_our_own_listens_only_here_and_leaves_nothing(tmp_path: Path) -> None:
    code = """
import os, sys, psutil
from likeness.encoders.store import ray_cluster as cluster
me, half = psutil.Process(), []

def failing_at_first(ray, address):
    get_node = ray._private.services.get_node

    def first_fails(*arguments):
        if half:
            return get_node(*arguments)
        half.extend(me.children(recursive=True))
        raise Exception("The current node timed out during startup.")

    if not half:
        ray._private.services.get_node = first_fails

cluster._check_reached = failing_at_first
with cluster.ray_cluster(None) as ray:
    print(len(half) > 1, [each.name() for each in psutil.wait_procs(half, timeout=300)[1]])
    folder = ray._private.worker._global_node.get_session_dir_path()
    children = me.children(recursive=True)
    sockets = [socket for each in [me, *children] for socket in each.net_connections(kind="inet") if socket.status == "LISTEN"]
    print(len(sockets) > 3, {socket.laddr.ip.removeprefix("::ffff:") for socket in sockets})
gone, alive = psutil.wait_procs(children, timeout=300)
print(len(gone) > 3, [each.name() for each in alive], os.path.exists(folder), ray.is_initialized(), os.environ.get("RAY_USAGE_STATS_ENABLED"))
"""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RAY_")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True, timeout=600)
    half, first, second = done.stdout.splitlines()
    assert half == "True []"  # what came up of a start that failed is gone before the next
    assert first == "True {'127.0.0.1'}"
    assert second == "True [] False False None"
    assert done.stderr == ""


_NONE = r"There is no Ray cluster at '.*' \((?!The current node).+\); start one with `ray start --head`, .*or pass no address"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        *[pytest.param(each, _NONE, marks=pytest.mark.long) for each in ("127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:x", "[::1]:99999")],
        (None, r"Ray cannot be started on this machine \(The current node timed out during startup\.\); try again when it is less busy, or use"),
        ("auto", r"There is no Ray cluster at 'auto' \(The current node timed out during startup\.\); start one"),
    ],
)
def test_no_cluster_and_a_machine_too_busy_to_start_ray_are_one_clear_error(
    address: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    begun: list[str] = []

    def time_out(**options: Any) -> None:
        begun.append(options["address"])
        raise Exception("The current node timed out during startup.")

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "shutdown", lambda: begun.append("ended"))
    monkeypatch.setattr(ray, "init", time_out)
    with pytest.raises(InputError, match=message), ray_cluster(address):
        pass
    assert begun[-1] == "ended"
    if address is None:
        assert begun == ["local", "ended"] * 3  # what came up of one is gone before the next
    assert not list(tmp_path.glob("lk-*"))


@pytest.mark.parametrize(
    ("nodes", "workers", "device", "expected"),
    [
        ([{"CPU": 2}], None, "auto", (2, 0, 1)),
        ([{"CPU": 2}], 2, "auto", (1, 0, 2)),
        ([{"CPU": 2}], 5, "auto", (1, 0, 5)),
        ([{"CPU": 16}, {"CPU": 16}], None, "cpu", (16, 0, 2)),
        ([{"CPU": 16}, {"CPU": 8}, {}], None, "cpu", (8, 0, 3)),
        ([{"CPU": 16}, {"CPU": 16}], 8, "cpu", (4, 0, 8)),
        ([{"CPU": 16}, {"CPU": 16}], 1, "cpu", (16, 0, 1)),
        ([{"CPU": 16, "GPU": 2}, {"CPU": 16, "GPU": 2}], None, "auto", (8, 1, 4)),
        ([{"CPU": 4, "GPU": 1}], None, "auto", (4, 1, 1)),
        ([{"CPU": 16, "GPU": 2}], 1, "cuda", (8, 1, 1)),
        ([{"CPU": 16, "GPU": 2}], None, "cpu", (16, 0, 1)),
        ([{}], 100, "auto", (1, 0, 100)),
    ],
)
def test_how_a_cluster_is_shared_out(nodes, workers, device: str, expected: tuple[float, int, int]) -> None:
    assert ray_engine._share([{"Alive": True, "Resources": each} for each in nodes], workers, device) == expected
