"""Workers of a Ray cluster, which turn work units into shards."""

import os
import pickle
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.encoders.encoder import Encoder
from likeness.encoders.load import load_encoder
from likeness.encoders.precision import split_precision
from likeness.encoders.store.encoded_batches import ImageFiles, encoded_batches
from likeness.encoders.store.keys import Keys, as_names
from likeness.encoders.store.shard_folder import ShardFolder, shard_folder
from likeness.encoders.store.shards import ShardWriter, read_shards
from likeness.errors import InputError


class UnitReport(NamedTuple):
    """Result of a work unit; vectors and damaged images are in the store.

    Attributes:
        identity: identity of the worker's encoder.
        unopened: position and reason of images that could not be opened.
        error: why the unit failed. Raised in the worker, it would be lost with its unit.
    """

    number: int
    identity: str = ""
    n_encoded: int = 0
    unopened: list[tuple[int, str]] = []  # noqa: RUF012
    error: Exception | None = None


@dataclass(frozen=True)
class Task:
    """Task of every worker; other fields are as in `embed_images` and `ImageFiles`.

    Attributes:
        identity: identity of the driver's encoder.
        place: path or URL of the folders of shards.
        witness: a file that the driver wrote into the folder of shards, and removes to stop the work.
        threads: number of threads for reading images.
        own_threads: the encoder uses its library's number of threads, not Ray's.
    """

    encoder: Encoder | str
    identity: str
    device: str
    root: str
    remote: bool
    place: str
    witness: str
    batch_size: int
    shard_seconds: float
    threads: int
    own_threads: bool

    def goes_on(self) -> bool:
        """Whether the witness is seen: after a stop it is gone."""
        return shard_folder(f"{self.place}/{self.identity}").read(self.witness) is not None


class Worker:
    """Holds the encoder and turns units (number, paths of the table, and keys of the images of one shard) into shards. Ray restarts a worker that
    dies and gives it the same unit again.
    """

    def __init__(self, task: Task) -> None:
        import ray

        self._task = task
        self._encoder: Encoder | None = None
        self._restarted = ray.get_runtime_context().was_current_actor_reconstructed

    def __call__(self, row: dict[str, Any]) -> dict[str, bytes]:
        number, paths, keys = pickle.loads(row["unit"])
        report = UnitReport(number)
        try:
            if self._encoder is None or self._task.goes_on():
                report = self._encode(number, paths, keys)
        except InputError as error:
            report = UnitReport(number, error=error)
        except Exception:
            report = UnitReport(number, error=RuntimeError(f"A worker failed: {traceback.format_exc()}"))
        return {"report": pickle.dumps(report)}

    def _encode(self, number: int, paths: list[str], keys: Keys) -> UnitReport:
        task, encoder = self._task, self._loaded()
        folder, n_encoded, start = shard_folder(f"{task.place}/{encoder.identity}"), 0, 0
        # before its restart, the worker may have stored a part of the unit
        left = _not_stored(keys, folder) if self._restarted else np.arange(len(keys))
        self._restarted = False
        files, unopened = ImageFiles(Path(task.root), [paths[position] for position in left], task.remote), []
        with ShardWriter(folder, len(left) + 1, task.shard_seconds, lambda name, shard: None) as writer:
            for batch in encoded_batches(files, encoder, task.batch_size, task.threads):
                here = left[start : start + batch.n]
                writer.add(batch, keys[here])
                unopened += [(int(here[position]), reason) for position, reason in batch.unopened]
                n_encoded += batch.n_encoded
                start += batch.n
                if not task.goes_on():
                    break
        return UnitReport(number, encoder.identity, n_encoded, unopened)

    def _loaded(self) -> Encoder:
        task = self._task
        if self._encoder is None:
            import ray

            if not task.goes_on():
                raise InputError(
                    f"The worker on {ray.util.get_node_ip_address()} does not see the store '{task.place}'; choose a folder that every node reaches "
                    "by this path, or a URL such as 's3://bucket/store'."
                )
            if task.own_threads:
                os.environ.pop("OMP_NUM_THREADS", None)  # read when torch is loaded, just below
            found = load_encoder(task.encoder, task.device) if isinstance(task.encoder, str) else task.encoder
            # a hub model gets its final identity when it is downloaded, which may be now
            if found.identity != task.identity and not split_precision(str(task.encoder))[1].startswith("hf-hub:"):
                raise InputError(f"The encoder '{found.name}' of the workers has other weights than this machine's; install the same on every node.")
            self._encoder = found
        return self._encoder


def _not_stored(keys: Keys, folder: ShardFolder) -> NDArray[np.int64]:
    known = [part for _, shard in read_shards(folder, repair=False) for part in (as_names(shard.keys), np.array(list(shard.failed), dtype="S16"))]
    return np.flatnonzero(~np.isin(as_names(keys), np.concatenate([*known, np.array([], dtype="S16")])))
