"""Files of embeddings: each holds the vectors of some images, written whole or not at all, checked on reading."""

import errno
import io
import os
import time
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from likeness.encoders.encoder import Vectors
from likeness.errors import InputError
from likeness.files import write_atomic

KEY_BYTES = 16
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class Shard:
    """Embeddings of n images, and why m others have none.

    Attributes:
        keys: n digests that name images and their state, 16 bytes each.
        vectors: (n, d), float32.
        failed: reason by key, for the m images.
    """

    keys: list[bytes]
    vectors: Vectors
    failed: dict[bytes, str]


def image_key(path: str, state: str) -> bytes:
    """Digest of an image's path and state (or of the content's digest alone, with an empty path)."""
    return blake2b(f"{path}\0{state}".encode("utf-8", "surrogateescape"), digest_size=KEY_BYTES).digest()


def write_shard(folder: Path, shard: Shard) -> Path:
    """Writes a shard under a name made of its keys, so that two processes at the same work write one file.

    Raises:
        InputError: if the disk is full or the folder cannot be written.
    """
    buffer = io.BytesIO()
    np.savez(
        buffer,
        keys=_key_array(shard.keys),
        vectors=shard.vectors,
        failed_keys=_key_array(list(shard.failed)),
        reasons=np.array(list(shard.failed.values()), dtype=np.str_),
    )
    path = folder / f"{blake2b(b''.join((*shard.keys, *shard.failed)), digest_size=12).hexdigest()}.npz"
    try:
        write_atomic(path, buffer.getvalue())
    except OSError as error:
        raise InputError(_not_written(folder, error)) from error
    return path


def read_shards(folder: Path, *, repair: bool) -> Iterator[Shard]:
    """Yields every sound shard of a folder; with `repair`, a damaged file is removed, so that its images are encoded again."""
    for path in sorted(folder.glob("*.npz")) if folder.is_dir() else ():
        try:
            content = path.read_bytes()
        except FileNotFoundError:  # removed by another process since it was listed
            continue
        shard = _parse(content)
        if shard is not None:
            yield shard
        elif repair:
            path.unlink(missing_ok=True)


class ShardWriter:
    """Gathers embeddings and writes a shard whenever enough images or enough time have passed; leaving its `with` block writes the rest."""

    def __init__(self, folder: Path, size: int, seconds: float) -> None:
        self.folder, self._size, self._seconds = folder, size, seconds
        self._empty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()

    def add(self, keys: list[bytes], vectors: Vectors) -> None:
        """Adds vectors (k, d) of k images."""
        self._keys += keys
        self._parts.append(vectors)
        self._flush_if_due()

    def add_failure(self, key: bytes, reason: str) -> None:
        """Adds an image that has no embedding."""
        self._failed[key] = reason
        self._flush_if_due()

    def _flush_if_due(self) -> None:
        if len(self._keys) + len(self._failed) >= self._size or time.monotonic() - self._since >= self._seconds:
            self._flush()

    def _flush(self) -> None:
        keys, failed = self._keys, self._failed
        vectors = np.concatenate(self._parts) if self._parts else np.zeros((0, 0), dtype=np.float32)
        self._empty()
        if keys or failed:
            write_shard(self.folder, Shard(keys, vectors, failed))

    def _empty(self) -> None:
        self._keys: list[bytes] = []
        self._parts: list[Vectors] = []
        self._failed: dict[bytes, str] = {}
        self._since = time.monotonic()


def remove_leftovers(folder: Path, older_than_seconds: float, now: float) -> None:
    """Removes temporary files that a killed process left behind."""
    for path in folder.glob(".*.partial") if folder.is_dir() else ():
        try:
            if now - path.stat().st_mtime > older_than_seconds:
                path.unlink()
        except FileNotFoundError:
            continue


def _parse(content: bytes) -> Shard | None:
    """A shard, or None if the content is damaged (every array in the zip carries a CRC-32)."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            vectors = np.asarray(arrays["vectors"], dtype=np.float32)
            keys, failed = _key_list(arrays["keys"]), _key_list(arrays["failed_keys"])
            reasons = [str(reason) for reason in arrays["reasons"]]
    except (zipfile.BadZipFile, zlib.error, ValueError, KeyError, EOFError, OSError, NotImplementedError, RuntimeError, SyntaxError):
        return None
    if vectors.ndim != 2 or len(keys) != len(vectors) or len(failed) != len(reasons):
        return None
    return Shard(keys, vectors, dict(zip(failed, reasons, strict=True)))


def _key_array(keys: list[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), KEY_BYTES)


def _key_list(array: NDArray[np.uint8]) -> list[bytes]:
    if array.dtype != np.uint8 or array.ndim != 2 or array.shape[1] != KEY_BYTES:
        raise ValueError("keys of another form")
    return [row.tobytes() for row in array]


def _not_written(folder: Path, error: OSError) -> str:
    reason = "the disk is full" if error.errno in _FULL else os.strerror(error.errno or errno.EIO).lower()
    return f"Embeddings cannot be written to '{folder}': {reason}; make room, or name another place in LIKENESS_CACHE (nothing written is lost)."
