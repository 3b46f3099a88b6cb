"""Shards: files with the vectors of some images, written atomically and checked on reading."""

import errno
import io
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likeness.encoders.encoder import Vectors
from likeness.encoders.store.encoded_batches import EncodedBatch
from likeness.encoders.store.keys import KEY_BYTES, Keys, key_array
from likeness.encoders.store.shard_folder import ShardFolder
from likeness.errors import InputError
from likeness.io import TransientError, read_arrays

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class Shard:
    """Embeddings of n images, and the reasons why m others have none.

    Attributes:
        keys: (n, 16) keys of the images and their state.
        vectors: (n, d), float32.
        failed: reason by key, for the m images.
        remarks: notes on the reading of some of the n images, by key (`likeness.io.to_rgb`).
    """

    keys: Keys
    vectors: Vectors
    failed: dict[bytes, str]
    remarks: dict[bytes, str] = field(default_factory=dict)


def write_shard(folder: ShardFolder, shard: Shard) -> str:
    """Writes a shard, named by a digest of its keys, so that two processes with the same work write one file; returns the name. InputError: the disk
    is full or the folder cannot be written.
    """
    buffer = io.BytesIO()
    np.savez(
        buffer,
        keys=shard.keys,
        vectors=shard.vectors,
        failed_keys=key_array(list(shard.failed)),
        reasons=np.array(list(shard.failed.values()), dtype=np.str_),
        remark_keys=key_array(list(shard.remarks)),
        remarks=np.array(list(shard.remarks.values()), dtype=np.str_),
    )
    name = f"{blake2b(b''.join((shard.keys.tobytes(), *shard.failed)), digest_size=12).hexdigest()}.npz"
    try:
        folder.write(name, buffer.getvalue())
    except OSError as error:
        raise InputError(not_written(str(folder), error)) from error
    return name


def read_shards(folder: ShardFolder, *, repair: bool) -> Iterator[tuple[str, Shard]]:
    """Yields name and content of every valid shard of a folder; `repair` removes damaged files, so that their images are encoded again."""
    for name in folder.names():
        shard = read_shard(folder, name)
        if shard is not None:
            yield name, shard
        elif repair:
            folder.remove(name)


def read_shard(folder: ShardFolder, name: str) -> Shard | None:
    """A shard; None if it is damaged or missing. TransientError: it temporarily cannot be read."""
    try:
        content = folder.read(name)
        return None if content is None else _parse(content)
    except TransientError as error:
        raise TransientError(f"The embeddings in '{folder}'", error.__cause__ or error) from error
    except (OSError, MemoryError) as error:
        raise TransientError(f"The embeddings in '{folder}'", error) from error


class ShardWriter:
    """Collects embeddings and writes a shard after enough images or enough time; `written` is called with its name and content. Shards end where
    batches end, so that the same images in the same batches give the same files. Leaving the `with` block writes the rest.
    """

    def __init__(self, folder: ShardFolder, size: int, seconds: float, written: Callable[[str, Shard], None]) -> None:
        self.folder, self._size, self._seconds, self._written = folder, size, seconds, written
        self._empty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()

    def add(self, batch: EncodedBatch, keys: Keys) -> None:
        """Adds a batch of images with these keys (n, 16), readable or not."""
        self._tried += len(keys)
        self._keys.append(keys[batch.positions])
        self._parts.append(batch.vectors)
        self._failed |= {keys[position].tobytes(): reason for position, reason in batch.damaged}
        self._remarks |= {keys[position].tobytes(): remark for position, remark in batch.remarks}
        if self._tried >= self._size or time.monotonic() - self._since >= self._seconds:
            self._flush()

    def _flush(self) -> None:
        parts = [part for part in self._parts if len(part)]
        vectors = np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)
        keys = np.concatenate([*self._keys, np.zeros((0, KEY_BYTES), dtype=np.uint8)])
        shard = Shard(keys, vectors, self._failed, self._remarks)
        self._empty()
        if len(shard.keys) or shard.failed:
            self._written(write_shard(self.folder, shard), shard)

    def _empty(self) -> None:
        self._tried = 0
        self._keys: list[Keys] = []
        self._parts: list[Vectors] = []
        self._failed: dict[bytes, str] = {}
        self._remarks: dict[bytes, str] = {}
        self._since = time.monotonic()


def not_written(place: str, error: OSError) -> str:
    """The message about a store that cannot be written."""
    reason = "the disk is full" if error.errno in _FULL else os.strerror(error.errno).lower() if error.errno else str(error)
    return f"Embeddings cannot be written to '{place}': {reason}; make room, or set LIKENESS_CACHE to another folder (nothing written is lost)."


def _parse(content: bytes) -> Shard | None:
    """A shard, or None if the content is damaged (every array in the zip carries a CRC-32)."""
    try:
        rows, own, *texts = read_arrays(content, ("vectors", "keys", "failed_keys", "reasons"), ("remark_keys", "remarks"))
        vectors = np.asarray(rows, dtype=np.float32)
        keys, failed, remarks = _checked_keys(own), _texts(*texts[:2]), _texts(*texts[2:]) if texts[2:] else {}
    except TransientError:
        raise
    except (ValueError, TypeError):
        return None
    if vectors.ndim != 2 or len(keys) != len(vectors):
        return None
    return Shard(keys, vectors, failed, remarks)


def _texts(keys: Keys, texts: NDArray[Any]) -> dict[bytes, str]:
    return {key.tobytes(): str(text) for key, text in zip(_checked_keys(keys), texts, strict=True)}


def _checked_keys(array: Keys) -> Keys:
    if array.dtype != np.uint8 or array.ndim != 2 or array.shape[1] != KEY_BYTES:
        raise ValueError("keys of another form")
    return array
