"""The engine "ray": Ray Data distributes work units, its actors write shards, and only short reports return."""

import os
import queue
import secrets
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.encoders.store.encoding_pass import EncodingPass
from likeness.encoders.store.ray_cluster import ray_cluster
from likeness.encoders.store.ray_worker import Board, Task, UnitReport, Worker, WorkUnit
from likeness.encoders.store.shard_folder import ShardFolder
from likeness.encoders.store.shards import not_written
from likeness.errors import InputError
from likeness.io import interrupted_by

_POLL_SECONDS = 0.2
_MOST_CORES_PER_GPU = 8


def encode_with_ray(work: EncodingPass, identity: str, workers: int | None, address: str | None) -> str:
    """Encodes images without stored embedding; returns the encoder's identity. A unit has the images of one shard, in the batches of the local
    engine, so shards and vectors are the same.
    """
    folder = work.folder(identity)
    rows = work.begin(folder)
    size = -(-work.shard_size // work.batch_size) * work.batch_size
    with _witness(folder) as witness, ray_cluster(address) as ray:
        cores, gpus, most = _share(ray.nodes(), workers, work.device)
        # Ray gives a worker as many threads as it has cores, unless the variable is set
        own_threads = "OMP_NUM_THREADS" not in os.environ and _whole_machines(ray.nodes(), cores)
        task = _task(work, identity, witness, cores, own_threads)
        run = _RayRun(ray, work, rows, size)
        run.encode(task, cores, gpus, min(most, -(-len(rows) // size)))
    identity = run.identity or identity
    work.take_shards(work.folder(identity), repair=True)
    return identity


class _RayRun:
    """A dataset of work units on its way through the workers, monitored from here."""

    def __init__(self, ray: Any, work: EncodingPass, rows: NDArray[np.int64], size: int) -> None:
        self._ray, self._work, self._rows, self._size = ray, work, rows, size
        self._reports: queue.Queue[UnitReport | BaseException | None] = queue.Queue()
        self._stopped, self._halt, self._interrupted = False, threading.Event(), threading.Event()
        self._error = self._defect = self.identity = ""

    def encode(self, task: Task, cores: int, gpus: int, most: int) -> None:
        """Runs all units. InputError: a unit failed; raised after the others in progress have ended."""
        beside = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(self._ray.get_runtime_context().get_node_id(), soft=True)
        self._board = self._ray.remote(Board).options(num_cpus=0, scheduling_strategy=beside).remote()
        dataset = self._dataset(task, cores, gpus, most)
        reading = threading.Thread(target=self._read, args=(dataset,), name="likeness-ray", daemon=True)
        reading.start()
        try:
            with interrupted_by(signal.SIGINT) as self._interrupted:
                self._watch()
        except BaseException:
            # interrupted: units in progress end after their batch and are written
            self._stop()
            self._watch()
            raise
        finally:
            self._ray.kill(self._board)
        if self._error:
            raise InputError(self._error)
        if self._defect:
            raise RuntimeError(f"A worker failed: {self._defect}")

    def _dataset(self, task: Task, cores: int, gpus: int, most: int) -> Any:
        parts = [self._rows[start : start + self._size] for start in range(0, len(self._rows), self._size)]
        units = [WorkUnit(number, self._work.paths(rows), self._work.collected.keys[rows]).as_row() for number, rows in enumerate(parts)]
        dataset = self._ray.data.from_items(units, override_num_blocks=len(units)).map(
            Worker,
            fn_constructor_args=(task, self._board),
            compute=self._ray.data.ActorPoolStrategy(min_size=1, max_size=most),
            num_cpus=cores,
            num_gpus=gpus,
        )
        dataset.context.enable_progress_bars = False
        dataset.context.print_on_execution_start = False
        return dataset

    def _read(self, dataset: Any) -> None:
        """In a thread: reports as they arrive, then None."""
        try:
            for row in dataset.iter_rows():
                self._reports.put(UnitReport.of_row(row))
                if self._halt.is_set():
                    break
        except BaseException as error:  # thread boundary: raised again by the waiting thread
            self._reports.put(error)
        self._reports.put(None)

    def _watch(self) -> None:
        """Waits until all units are reported, or none is in progress after a stop."""
        while (report := self._next()) is not None:
            if isinstance(report, BaseException):
                raise _explained(report)
            if isinstance(report, UnitReport):
                self._note(report)
            self._look()
            if self._interrupted.is_set() and not self._stopped:
                raise KeyboardInterrupt
        self._look()

    def _next(self) -> "UnitReport | BaseException | bool | None":
        try:
            return self._reports.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            return False

    def _note(self, report: UnitReport) -> None:
        self._error, self._defect = self._error or report.error, self._defect or report.defect
        self.identity = report.identity or self.identity
        for position, reason in report.unopened:
            self._work.collected.fail(int(self._rows[report.number * self._size + position]), reason)

    def _look(self) -> None:
        """Reads the board, and stops the workers if necessary."""
        news, n_encoded, in_work = self._ray.get(self._board.news.remote())
        for number, tried in news.items():
            self._work.collected.note(self._rows[number * self._size : number * self._size + tried])
        self._work.collected.n_encoded = n_encoded
        if news:
            self._work.report()
        if self._stopped and not in_work:
            self._halt.set()
        elif not self._stopped and (self._error or self._defect or self._work.stops()):
            self._stop()

    def _stop(self) -> None:
        """Starts no more units; those in progress end after their batch and are written."""
        self._stopped = True
        self._ray.get(self._board.stop.remote())


def _share(nodes: list[dict[str, Any]], workers: int | None, device: str) -> tuple[int, int, int]:
    """Cores and GPUs of each worker, and the number of workers: one per GPU or machine, or as given."""
    resources = [node["Resources"] for node in nodes if node["Alive"]]
    cores, gpus = [int(each["CPU"]) for each in resources if each.get("CPU", 0) >= 1] or [1], int(sum(each.get("GPU", 0) for each in resources))
    if gpus and (device == "auto" or device.startswith("cuda")):
        return max(1, min(*cores, sum(cores) // gpus, _MOST_CORES_PER_GPU)), 1, min(workers or gpus, gpus)
    each = max(1, min(max(cores), sum(cores) // workers) if workers else min(cores))
    return each, 0, workers or sum(count // each for count in cores)


def _whole_machines(nodes: list[dict[str, Any]], cores: int) -> bool:
    """Whether each worker has its own machine, and so as many threads as the local engine there."""
    return all(node["Resources"].get("CPU", cores) == cores for node in nodes if node["Alive"])


def _task(work: EncodingPass, identity: str, witness: str, threads: int, own_threads: bool) -> Task:
    root, place = str(work.table.root.absolute() if not work.remote else work.table.root), os.fspath(work.place)
    return Task(work.encoder, identity, work.device, root, work.remote, place, witness, work.batch_size, work.shard_seconds, threads, own_threads)


@contextmanager
def _witness(folder: ShardFolder) -> Iterator[str]:
    """A small file that lets a worker verify that it sees the same folder; also tests whether the store can be written."""
    name = f".{secrets.token_hex(8)}.partial"
    try:
        folder.write(name, b"likeness")
    except OSError as error:
        raise InputError(not_written(str(folder), error)) from error
    try:
        yield name
    finally:
        folder.remove(name)


def _explained(error: BaseException) -> BaseException:
    """Lost workers as a sentence; bugs unchanged."""
    from ray.exceptions import RayActorError, RaySystemError

    if isinstance(error, RayActorError | RaySystemError):
        reason = " ".join(str(error).split())[:200]
        return InputError(f"Ray lost its workers ({reason}); what was finished is kept: start again.")
    return error
