"""Collects the embeddings of a table from shards, stored and new ones."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from likeness.data import Failure, ImageTable
from likeness.encoders.encoder import Vectors
from likeness.encoders.store.keys import Keys, as_names, table_keys
from likeness.encoders.store.shard_folder import LocalFolder
from likeness.encoders.store.shards import Shard, not_written
from likeness.errors import InputError
from likeness.io import mapped_array, open_atomic, remove_damaged_array

Part = tuple[NDArray[np.int64], Vectors]

_KEPT = 2
_LEFTOVER_SECONDS = 3600.0


def packed_vectors(file: Path, shape: tuple[int, int], parts: Iterable[Part]) -> Vectors:
    """The vectors (n, d) of a packed file, read-only and memory-mapped; a missing or truncated file, or one of another shape, is written first. It is
    a `.npy` of float32, named by a digest of the vectors' origin; a folder keeps the two files that were used last. `parts` are rows (k,) and their
    vectors (k, d), each of the n rows once, read only if the file must be written. InputError: the disk is full or the folder cannot be written.
    """
    try:
        remove_damaged_array(file, np.float32, shape)
        if file.is_file():
            os.utime(file)
        else:
            _write(file, shape, parts)
            _forget_old(file.parent)
    except OSError as error:
        raise InputError(not_written(str(file.parent), error)) from error
    return mapped_array(file)


def _write(file: Path, shape: tuple[int, int], parts: Iterable[Part]) -> None:
    # plain writes: a full disk raises an error, while a write to a memory map would kill the process
    with open_atomic(file) as target:
        np.lib.format.write_array_header_1_0(target, {"descr": "<f4", "fortran_order": False, "shape": shape})
        begin, filled = target.tell(), 0
        for rows, vectors in parts:
            for first, run in _runs(rows, vectors):
                target.seek(begin + first * 4 * shape[1])
                target.write(run.tobytes())
            filled += len(rows)
        if filled != shape[0]:
            raise RuntimeError(f"{filled} rows were given for a packed file of {shape[0]}")


def _runs(rows: NDArray[np.int64], vectors: Vectors) -> Iterable[tuple[int, Vectors]]:
    """First row and vectors of each run of consecutive rows; a shard is mostly one."""
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    for part_rows, part in zip(np.split(rows, breaks), np.split(vectors, breaks), strict=True):
        if len(part_rows):
            yield int(part_rows[0]), part


def _forget_old(folder: Path) -> None:
    """Removes all packed files except those that were used last; open ones stay readable."""
    files = sorted(((file.stat().st_mtime, file) for file in folder.glob("*.npy")), reverse=True)
    for _, file in files[_KEPT:]:
        file.unlink(missing_ok=True)
    LocalFolder(folder).remove_leftovers(_LEFTOVER_SECONDS)


Reread = Callable[[], Shard | None]


@dataclass(frozen=True)
class Embeddings:
    """Embeddings of a table's images.

    Attributes:
        vectors: (m, d) unit rows, float32, in the order of the table; many of them are a read-only `np.memmap` of a file in the store.
        rows: (m,) row numbers in the table.
        failed: images that could not be read, in the order of the table.
        complete: False if the work was stopped; the next call encodes the rest.
        n_encoded: number of images encoded in this call; others were stored.
        provenance_key: digest of encoder, images and their order, for memory-mapped vectors.
        remarks: notes on the reading of images by row in the table (`likeness.io.to_rgb`).
    """

    vectors: Vectors
    rows: NDArray[np.int64]
    failed: list[Failure]
    complete: bool = True
    n_encoded: int = 0
    provenance_key: str = ""
    remarks: dict[int, str] = field(default_factory=dict)


class Collected:
    """One slot per distinct image of a table, numbered by its first row. Shards are kept in memory up to `most_bytes` of vectors; beyond that only
    their locations, and the result is memory-mapped.
    """

    def __init__(self, table: ImageTable, remote: bool = False, most_bytes: int = 1 << 28) -> None:
        self._paths, self._most_bytes = table.frame["path"].to_numpy(), most_bytes
        self.keys, self._reasons = table_keys(table, remote)  # (n, 16), of all rows
        self._sorted, self._first, inverse, counts = np.unique(as_names(self.keys), return_index=True, return_inverse=True, return_counts=True)
        self._slot_of, self._shared = self._first[inverse], np.zeros(len(table), dtype=np.int32)
        self._shared[self._first] = counts
        absent = list(self._reasons)  # all-zero keys are missing images
        self._slot_of[absent], self._shared[absent] = absent, 1
        self._settled = np.zeros(len(table), dtype=bool)
        self.n_done = 0  # rows of the table with a vector or a reason
        self._shards: list[tuple[Reread, Shard | None]] = []
        self._shard_of, self._position = np.full(len(table), -1, dtype=np.int32), np.zeros(len(table), dtype=np.int32)
        self._dim = self._held = 0
        self.n_encoded = 0
        self._remarks: dict[int, str] = {}
        self.note(np.array(absent, dtype=np.int64))

    def todo(self) -> NDArray[np.int64]:
        """Rows to encode, one for each image without vector or reason."""
        own = (self._slot_of == np.arange(len(self._slot_of))) & (self._shard_of < 0)
        own[list(self._reasons)] = False
        return np.flatnonzero(own)

    def take(self, shard: Shard, reread: Reread) -> None:
        """Takes the embeddings of the table from a shard; `reread` loads the shard again, None if it is lost."""
        rows, positions = self._rows(shard.keys)
        if len(rows):
            if self._dim != shard.vectors.shape[1]:  # these are from another state of the encoder and replace those before
                self._shard_of[:], self._shards, self._held, self._dim = -1, [], 0, shard.vectors.shape[1]
            self._shard_of[rows], self._position[rows] = len(self._shards), positions
            self._hold(shard, reread)
            self.note(rows)
        for row, reason in self._texts_by_row(shard.failed):
            self.fail(row, reason)
        self._remarks |= dict(self._texts_by_row(shard.remarks))

    def fail(self, row: int, reason: str) -> None:
        """Records why an image has no vector."""
        self._reasons[row] = reason
        self.note(np.array([row]))

    def note(self, rows: NDArray[np.int64]) -> None:
        """Counts the images of these distinct rows (k,) as done, unless counted before."""
        fresh = rows[~self._settled[rows]]
        self._settled[fresh] = True
        self.n_done += int(self._shared[fresh].sum())

    def result(self, complete: bool, identity: str, packed_dir: Path) -> Embeddings:
        """The collected embeddings, in the order of the table; `packed_dir` is for the memory-mapped file of many vectors."""
        rows = np.flatnonzero(self._shard_of[self._slot_of] >= 0)
        shape, provenance_key = (len(rows), self._dim), ""
        if 4 * len(rows) * self._dim > self._most_bytes:
            provenance_key = f"{identity} {blake2b(self.keys[rows].tobytes(), digest_size=16).hexdigest()}"
            vectors = packed_vectors(packed_dir / f"{provenance_key.split()[1]}.npy", shape, self._parts(rows))
        else:
            vectors = np.empty(shape, dtype=np.float32)
            for places, part in self._parts(rows):
                vectors[places] = part
        remarks = {row: self._remarks[slot] for row in rows.tolist() if (slot := int(self._slot_of[row])) in self._remarks} if self._remarks else {}
        return Embeddings(vectors, rows, self._failures(), complete, self.n_encoded, provenance_key, remarks)

    def _rows(self, keys: Keys) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Slots of the keys in the table, and their positions in `keys`."""
        names = as_names(keys)
        places = np.minimum(np.searchsorted(self._sorted, names), len(self._sorted) - 1)
        found = np.flatnonzero(self._sorted[places] == names)
        return self._first[places[found]], found

    def _texts_by_row(self, texts: dict[bytes, str]) -> Iterator[tuple[int, str]]:
        """Slots of the keys in the table, and their texts."""
        if texts:
            rows, found = self._rows(np.frombuffer(b"".join(texts), dtype=np.uint8).reshape(len(texts), -1))
            values = list(texts.values())
            yield from ((row, values[place]) for row, place in zip(rows.tolist(), found.tolist(), strict=True))

    def _hold(self, shard: Shard, reread: Reread) -> None:
        """Keeps a shard in memory if the limit allows, or else the function that reads it again."""
        fitted = self._held <= self._most_bytes
        self._held += shard.vectors.nbytes
        fits = self._held <= self._most_bytes
        if fitted and not fits:
            self._shards = [(again, None) for again, _ in self._shards]
        self._shards.append((reread, shard if fits else None))

    def _parts(self, rows: NDArray[np.int64]) -> Iterator[Part]:
        """Positions in `rows` and vectors, shard by shard."""
        slots = self._slot_of[rows]
        of = self._shard_of[slots]
        order = np.argsort(of, kind="stable")
        for places in np.split(order, np.flatnonzero(np.diff(of[order])) + 1) if len(rows) else ():
            yield places, self._shard(int(of[places[0]])).vectors[self._position[slots[places]]]

    def _shard(self, number: int) -> Shard:
        reread, held = self._shards[number]
        shard = held or reread()
        if shard is None:
            raise InputError("A file of the store of embeddings was lost or damaged during use; start again to recreate it.")
        return shard

    def _failures(self) -> list[Failure]:
        failed = np.zeros(len(self._paths), dtype=bool)
        failed[list(self._reasons)] = True
        rows = np.flatnonzero(failed[self._slot_of] & (self._shard_of[self._slot_of] < 0)).tolist()
        return [Failure(row, str(self._paths[row]), self._reasons[int(self._slot_of[row])]) for row in rows]
