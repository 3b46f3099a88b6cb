"""The engine "ray": Ray Data distributes work units, its actors write shards, and only short reports return."""

import os
import pickle
import secrets
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.encoders.store.encoding_pass import EncodingPass
from likeness.encoders.store.ray_cluster import ray_cluster
from likeness.encoders.store.ray_worker import Task, UnitReport, Worker
from likeness.encoders.store.shard_folder import ShardFolder
from likeness.encoders.store.shards import not_written
from likeness.errors import InputError
from likeness.io import interrupted_by

_POLL_SECONDS = 0.2
_MOST_CORES_PER_GPU = 8
_MOST_DEATHS = 3


def encode_with_ray(work: EncodingPass, identity: str, workers: int | None, address: str | None) -> str:
    """Encodes images without stored embedding; returns the encoder's identity. A unit has the images of one shard, in the batches of the local
    engine, so shards and vectors are the same. InputError: a unit failed or has killed its workers; raised after the others in work have ended.
    """
    folder = work.folder(identity)
    rows, size = work.begin(folder), -(-work.shard_size // work.batch_size) * work.batch_size
    reports = _Reports(work, [rows[start : start + size] for start in range(0, len(rows), size)], identity)
    with _witness(folder) as witness, ray_cluster(address) as ray, ThreadPoolExecutor(1, "likeness-ray") as pool:
        reading = pool.submit(reports.read, _dataset(ray, work, reports.left, identity, witness, workers))
        try:
            with interrupted_by(signal.SIGINT):
                while wait([reading], _POLL_SECONDS).not_done and not reports.error and not work.stops():
                    work.report()
        finally:
            reports.stopped = not reading.done()
            folder.remove(witness)  # units in work end after their batch and are written
        try:
            reading.result()
        except (ray.exceptions.RayActorError, ray.exceptions.RaySystemError) as error:
            reason = " ".join(str(error).split())[:200]
            raise InputError(f"Ray lost its workers ({reason}); what was finished is kept: start again.") from error
    work.report()
    if reports.error:
        raise reports.error
    if reports.left and not reports.stopped:
        paths = work.paths(next(iter(reports.left.values()))[[0, -1]])
        raise InputError(
            f"{_MOST_DEATHS} workers died one after another at the images '{paths[0]}' to '{paths[1]}'; "
            "check these files and the memory of the workers, or remove them."
        )
    work.take_shards(work.folder(reports.identity), repair=True)
    return reports.identity


class _Reports:
    """Reports of work units, noted as they arrive.

    Attributes:
        left: rows of the units without report, by their numbers.
        identity: identity of the workers' encoder.
        stopped: units are no longer begun.
    """

    def __init__(self, work: EncodingPass, parts: list[NDArray[np.int64]], identity: str) -> None:
        self._collected, self.left, self.identity, self.stopped = work.collected, dict(enumerate(parts)), identity, False
        self.error: Exception | None = None

    def read(self, dataset: Any) -> None:
        """Runs the units of a dataset."""
        for row in dataset.iter_rows():
            report: UnitReport = pickle.loads(row["report"])
            rows = self.left.pop(report.number)
            self.identity = report.identity or self.identity
            self._collected.n_encoded += report.n_encoded
            for position, reason in report.unopened:
                self._collected.fail(int(rows[position]), reason)
            if not self.stopped:
                self._collected.note(rows)
                self.error = self.error or report.error


def _dataset(ray: Any, work: EncodingPass, parts: dict[int, NDArray[np.int64]], identity: str, witness: str, workers: int | None) -> Any:
    """A Ray dataset of units, each with its report."""
    cores, gpus, most = _share(ray.nodes(), workers, work.device)
    # Ray gives a worker as many threads as it has cores, unless the variable is set; alone on its machine, it has those of the local engine
    alone = all(node["Resources"].get("CPU", cores) == cores for node in ray.nodes() if node["Alive"])
    own_threads = alone and "OMP_NUM_THREADS" not in os.environ
    root, place = str(work.table.root if work.remote else work.table.root.absolute()), os.fspath(work.place)
    task = Task(work.encoder, identity, work.device, root, work.remote, place, witness, work.batch_size, work.shard_seconds, cores, own_threads)
    units = [{"unit": pickle.dumps((number, work.paths(rows), work.collected.keys[rows]))} for number, rows in parts.items()]
    dataset = ray.data.from_items(units, override_num_blocks=len(units)).map(
        Worker,
        fn_constructor_args=(task,),
        # one at a time: a unit that waits behind a deadly one would count its deaths, too
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=min(most, len(units)), max_tasks_in_flight_per_actor=1),
        num_cpus=cores,
        num_gpus=gpus,
        ray_remote_args_fn=lambda: {"max_task_retries": _MOST_DEATHS - 1},
    )
    dataset.context.enable_progress_bars = dataset.context.print_on_execution_start = False
    dataset.context.max_errored_blocks = -1  # a unit that kills its workers has no report
    return dataset


def _share(nodes: list[dict[str, Any]], workers: int | None, device: str) -> tuple[int, int, int]:
    """Cores and GPUs of each worker, and the number of workers: one per GPU or machine, or as given."""
    resources = [node["Resources"] for node in nodes if node["Alive"]]
    cores, gpus = [int(each["CPU"]) for each in resources if each.get("CPU", 0) >= 1] or [1], int(sum(each.get("GPU", 0) for each in resources))
    if gpus and (device == "auto" or device.startswith("cuda")):
        return max(1, min(*cores, sum(cores) // gpus, _MOST_CORES_PER_GPU)), 1, min(workers or gpus, gpus)
    each = max(1, min(max(cores), sum(cores) // workers) if workers else min(cores))
    return each, 0, workers or sum(count // each for count in cores)


@contextmanager
def _witness(folder: ShardFolder) -> Iterator[str]:
    """A small file that lets a worker verify that it sees the same folder; also tests whether the store can be written."""
    name = f".{secrets.token_hex(8)}.running"
    try:
        folder.write(name, b"likeness")
    except OSError as error:
        raise InputError(not_written(str(folder), error)) from error
    try:
        yield name
    finally:
        folder.remove(name)
