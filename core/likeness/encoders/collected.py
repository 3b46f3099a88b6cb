"""Embeddings of one table as they come together: from stored shards, then from the encoder."""

import os
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likeness.data.table import ImageTable
from likeness.encoders.encoder import Vectors
from likeness.encoders.shards import Shard, image_key

CONTENT_COLUMN = "sha256"
_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Failure:
    """An image without embedding: its row in the table, its path there, and why."""

    row: int
    path: str
    reason: str


@dataclass(frozen=True)
class Embeddings:
    """Embeddings of a table's images.

    Attributes:
        vectors: (m, d) unit rows, float32, in the order of the table.
        rows: (m,) row numbers in the table.
        failed: images that could not be read, in the order of the table.
        complete: false if the work was stopped; the next call encodes the rest.
        n_encoded: how many images the encoder saw in this call; the others were stored.
    """

    vectors: Vectors
    rows: NDArray[np.int64]
    failed: list[Failure]
    complete: bool = True
    n_encoded: int = 0


class Collected:
    """One slot per distinct image of a table; rows with the same image share a slot."""

    def __init__(self, table: ImageTable) -> None:
        self._paths = [str(path) for path in table.frame["path"]]
        self._reasons: dict[int, str] = {}
        self._slots: dict[bytes, int] = {}
        self._done = np.zeros(len(table), dtype=bool)
        self._vectors: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._slot_of = np.array([self._slot(row, key) for row, key in enumerate(_keys(table, self._reasons))], dtype=np.int64)
        self.n_encoded = 0

    def todo(self) -> dict[int, bytes]:
        """Rows to encode, one for each image that has neither vector nor reason, with their keys."""
        return {row: key for key, row in self._slots.items() if not self._done[row] and row not in self._reasons}

    def take(self, shard: Shard) -> None:
        """Takes from a shard what belongs to the table."""
        pairs = [(self._slots[key], position) for position, key in enumerate(shard.keys) if key in self._slots]
        if pairs:
            rows, positions = np.array(pairs, dtype=np.int64).T
            self.put(rows, shard.vectors[positions])
        for key, reason in shard.failed.items():
            if key in self._slots:
                self.fail(self._slots[key], reason)

    def put(self, rows: NDArray[np.int64], vectors: Vectors) -> None:
        """Sets vectors (k, d) of k rows."""
        if self._vectors.shape[1] != vectors.shape[1]:
            self._vectors = np.zeros((len(self._paths), vectors.shape[1]), dtype=np.float32)
            self._done[:] = False
        self._vectors[rows] = vectors
        self._done[rows] = True

    def fail(self, row: int, reason: str) -> None:
        """Notes why a row has no vector."""
        self._reasons[row] = reason

    def n_done(self) -> int:
        """Rows of the table that have a vector or a reason."""
        settled = self._done.copy()
        settled[list(self._reasons)] = True
        return int(settled[self._slot_of].sum())

    def result(self, complete: bool) -> Embeddings:
        """What has come together, in the order of the table."""
        rows = np.flatnonzero(self._done[self._slot_of])
        slots = self._slot_of[rows]
        vectors = self._vectors if len(rows) == len(self._vectors) and np.array_equal(slots, rows) else self._vectors[slots]
        failed = [Failure(row, self._paths[row], self._reasons[slot]) for row, slot in enumerate(self._slot_of.tolist()) if slot in self._reasons]
        return Embeddings(vectors, rows, failed, complete, self.n_encoded)

    def _slot(self, row: int, key: bytes | None) -> int:
        return row if key is None else self._slots.setdefault(key, row)


def content_digests(table: ImageTable) -> list[str] | None:
    """The column "sha256", if the table has it and every value is a SHA-256 in hex."""
    if CONTENT_COLUMN not in table.frame.columns:
        return None
    digests = [str(value).lower() for value in table.frame[CONTENT_COLUMN]]
    return digests if all(map(_DIGEST.fullmatch, digests)) else None


def content_key(digest: str) -> bytes:
    """The key of an image known by its content, wherever it lies."""
    return image_key("", digest)


def _keys(table: ImageTable, reasons: dict[int, str]) -> list[bytes | None]:
    """The key of each row; None and a reason where there is no file."""
    digests = content_digests(table)
    if digests is not None:
        return [content_key(digest) for digest in digests]
    keys: list[bytes | None] = []
    for row, path in enumerate(table.frame["path"].tolist()):
        try:
            stat = os.stat(os.path.join(table.root, path))
            keys.append(image_key(path, f"{stat.st_size} {stat.st_mtime_ns}"))
        except (OSError, ValueError) as error:
            keys.append(None)
            reasons[row] = "there is no such file" if isinstance(error, FileNotFoundError) else "the file cannot be opened"
    return keys
