"""Processes of a Ray cluster: workers that turn work units into shards, and the board with their progress."""

import json
import os
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
from likeness.encoders.store.keys import KEY_BYTES, Keys, as_names
from likeness.encoders.store.shard_folder import ShardFolder, shard_folder
from likeness.encoders.store.shards import ShardWriter, read_shards
from likeness.errors import InputError

_MOST_DEATHS = 3


@dataclass(frozen=True)
class WorkUnit:
    """Images of one shard: unit number, paths of the table, and keys (n, 16)."""

    number: int
    paths: list[str]
    keys: Keys

    def as_row(self) -> dict[str, Any]:
        """A row of a Ray dataset; bytes, since paths may be invalid Unicode."""
        return {"number": self.number, "paths": b"\0".join(map(os.fsencode, self.paths)), "keys": self.keys.tobytes()}

    @classmethod
    def of_row(cls, row: dict[str, Any]) -> "WorkUnit":
        """The unit of such a row."""
        keys = np.frombuffer(row["keys"], dtype=np.uint8).reshape(-1, KEY_BYTES)
        return cls(int(row["number"]), [os.fsdecode(path) for path in bytes(row["paths"]).split(b"\0")], keys)


class UnitReport(NamedTuple):
    """Result of a work unit, sent as JSON; vectors and damaged images are in the store.

    Attributes:
        identity: identity of the worker's encoder.
        unopened: position and reason of images that could not be opened.
        error: one sentence, if the unit failed.
        defect: traceback of any other error. Raised in the worker, it would keep the failed run and its actors alive.
    """

    number: int
    identity: str = ""
    unopened: list[tuple[int, str]] = []  # noqa: RUF012
    error: str = ""
    defect: str = ""

    @classmethod
    def of_row(cls, row: dict[str, str]) -> "UnitReport":
        return cls(*json.loads(row["report"]))


class Board:
    """Actor with the state of all units: in progress, how far, and whether to stop."""

    def __init__(self) -> None:
        self._deaths: dict[int, int] = {}
        self._in_work: set[int] = set()
        self._tried: dict[int, int] = {}
        self._news: dict[int, int] = {}
        self._n_encoded, self._stopped = 0, False

    def begin(self, number: int) -> tuple[bool, int] | None:
        """Records that a worker starts a unit; returns whether one did before, and how many died on it. None: do not start. A finished unit is
        started again if its worker died before sending its report.
        """
        if self._stopped:
            self._in_work.discard(number)
            return None
        begun = number in self._deaths
        self._deaths[number] = self._deaths.get(number, 0) + (number in self._in_work)
        self._in_work.add(number)
        return begun, self._deaths[number]

    def note(self, number: int, tried: int, n_encoded: int) -> bool:
        """Records how many images of a unit are tried and how many were just encoded; returns whether to stop."""
        self._tried[number] = self._news[number] = max(tried, self._tried.get(number, 0))
        self._n_encoded += n_encoded
        return self._stopped

    def end(self, number: int) -> None:
        """Records that a unit is no longer in progress."""
        self._in_work.discard(number)

    def stop(self) -> None:
        """Starts no more units; those in progress end after their batch."""
        self._stopped = True

    def news(self) -> tuple[dict[int, int], int, bool]:
        """Tried images of units that changed; total encoded images; whether any unit is in progress."""
        news, self._news = self._news, {}
        return news, self._n_encoded, bool(self._in_work)


@dataclass(frozen=True)
class Task:
    """Task of every worker; other fields are as in `embed_images` and `ImageFiles`.

    Attributes:
        identity: identity of the driver's encoder.
        place: path or URL of the folders of shards.
        witness: a file that the driver wrote into the folder of shards.
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


class Worker:
    """Holds the encoder and turns units into shards."""

    def __init__(self, task: Task, board: Any) -> None:
        self._task, self._board = task, board
        self._encoder: Encoder | None = None

    def __call__(self, row: dict[str, Any]) -> dict[str, str]:
        import ray

        unit = WorkUnit.of_row(row)
        before = ray.get(self._board.begin.remote(unit.number))
        if before is None:
            return {"report": json.dumps(UnitReport(unit.number))}
        try:
            report = self._report(unit, *before)
        except InputError as error:
            report = UnitReport(unit.number, error=str(error))
        except Exception:
            report = UnitReport(unit.number, defect=traceback.format_exc())
        finally:
            ray.get(self._board.end.remote(unit.number))
        return {"report": json.dumps(report)}

    def _report(self, unit: WorkUnit, begun: bool, deaths: int) -> UnitReport:
        if deaths >= _MOST_DEATHS:
            raise InputError(
                f"{deaths} workers died one after another at the images '{unit.paths[0]}' to '{unit.paths[-1]}'; "
                "check these files and the memory of the workers, or remove them."
            )
        encoder, folder = self._prepared()
        # the dead worker of a restarted unit may have stored a part
        left = _not_stored(unit.keys, folder) if begun else np.arange(len(unit.keys))
        return UnitReport(unit.number, encoder.identity, self._encode(unit, left, encoder, folder))

    def _prepared(self) -> tuple[Encoder, ShardFolder]:
        task = self._task
        if self._encoder is None:
            _check_witness(task)
            if task.own_threads:
                os.environ.pop("OMP_NUM_THREADS", None)  # read when torch is loaded, just below
            found = self._encoder = load_encoder(task.encoder, task.device) if isinstance(task.encoder, str) else task.encoder
            # a hub model gets its final identity when it is downloaded, which may be now
            if found.identity != task.identity and not split_precision(str(task.encoder))[1].startswith("hf-hub:"):
                raise InputError(f"The encoder '{found.name}' of the workers has other weights than this machine's; install the same on every node.")
        return self._encoder, shard_folder(f"{task.place}/{self._encoder.identity}")

    def _encode(self, unit: WorkUnit, left: NDArray[np.int64], encoder: Encoder, folder: ShardFolder) -> list[tuple[int, str]]:
        """Writes shards of the images `left` of a unit; returns those that could not be opened."""
        import ray

        task, start, unopened = self._task, 0, []
        files = ImageFiles(Path(task.root), [unit.paths[position] for position in left], task.remote)
        ray.get(self._board.note.remote(unit.number, int(left[0]) if len(left) else len(unit.keys), 0))
        with ShardWriter(folder, len(left) + 1, task.shard_seconds, lambda name, shard: None) as writer:
            for batch in encoded_batches(files, encoder, task.batch_size, task.threads):
                here = left[start : start + batch.n]
                writer.add(batch, unit.keys[here])
                unopened += [(int(here[position]), reason) for position, reason in batch.unopened]
                start += batch.n
                if ray.get(self._board.note.remote(unit.number, int(here[-1]) + 1, batch.n_encoded)):
                    break
        return unopened


def _not_stored(keys: Keys, folder: ShardFolder) -> NDArray[np.int64]:
    known = [part for _, shard in read_shards(folder, repair=False) for part in (as_names(shard.keys), np.array(list(shard.failed), dtype="S16"))]
    return np.flatnonzero(~np.isin(as_names(keys), np.concatenate([*known, np.array([], dtype="S16")])))


def _check_witness(task: Task) -> None:
    import ray

    if shard_folder(f"{task.place}/{task.identity}").read(task.witness) is None:
        node = str(ray.util.get_node_ip_address())
        raise InputError(
            f"The worker on {node} does not see the store '{task.place}'; choose a folder that every node reaches by this path, or a URL such as "
            "'s3://bucket/store'."
        )
