"""Memory-mapped files of many vectors, assembled from shards one at a time, and checked on opening."""

import io
import os
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from likeness.encoders.encoder import Vectors
from likeness.encoders.store.shard_folder import LocalFolder
from likeness.encoders.store.shards import not_written
from likeness.errors import InputError
from likeness.io import mapped_array, open_atomic, regular_file

Part = tuple[NDArray[np.int64], Vectors]

_TRAILER = struct.Struct("<8sI")
_MAGIC = b"likeness"
_BLOCK = 1 << 23
_KEPT = 2
_LEFTOVER_SECONDS = 3600.0


def packed_vectors(file: Path, shape: tuple[int, int], parts: Iterable[Part]) -> Vectors:
    """The vectors (n, d) of a packed file, read-only and memory-mapped; a missing, truncated or damaged file is written first. It is a `.npy` of
    float32 followed by a checksum, named by a digest of the vectors' origin; a folder keeps the two files that were used last. `parts` are rows (k,)
    and their vectors (k, d), each of the n rows once, read only if the file must be written. InputError: the disk is full or the folder cannot be
    written.
    """
    if _is_sound(file, shape):
        os.utime(file)
    else:
        try:
            _write(file, shape, parts)
        except OSError as error:
            raise InputError(not_written(str(file.parent), error)) from error
        _forget_old(file.parent)
    return mapped_array(file)


def _write(file: Path, shape: tuple[int, int], parts: Iterable[Part]) -> None:
    # plain writes: a full disk raises an error, while a write to a memory map would kill the process
    with open_atomic(file) as target:
        target.write(_header(shape))
        begin, row_bytes, filled = target.tell(), 4 * shape[1], 0
        for rows, vectors in parts:
            for first, run in _runs(rows, vectors):
                target.seek(begin + first * row_bytes)
                target.write(run.tobytes())
            filled += len(rows)
        if filled != shape[0]:
            raise RuntimeError(f"{filled} rows were given for a packed file of {shape[0]}")
        checksum = _checksum(target, begin, shape[0] * row_bytes)
        target.write(_TRAILER.pack(_MAGIC, checksum))


def _is_sound(file: Path, shape: tuple[int, int]) -> bool:
    """Whether a file holds an array of this shape with a valid checksum."""
    header, size = _header(shape), 4 * shape[0] * shape[1]
    try:
        with regular_file(file).open("rb") as content:
            if file.stat().st_size != len(header) + size + _TRAILER.size or content.read(len(header)) != header:
                return False
            checksum = _checksum(content, len(header), size)
            return content.read() == _TRAILER.pack(_MAGIC, checksum)
    except OSError:
        return False


def _header(shape: tuple[int, int]) -> bytes:
    """The header of a `.npy` file."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return header.getvalue()


def _runs(rows: NDArray[np.int64], vectors: Vectors) -> Iterable[tuple[int, Vectors]]:
    """First row and vectors of each run of consecutive rows; a shard is mostly one."""
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    for part_rows, part in zip(np.split(rows, breaks), np.split(vectors, breaks), strict=True):
        if len(part_rows):
            yield int(part_rows[0]), part


def _checksum(content: BinaryIO, begin: int, size: int) -> int:
    """CRC-32 of `size` bytes from `begin`; leaves the file position behind them."""
    content.seek(begin)
    checksum, left = 0, size
    while left:
        block = content.read(min(_BLOCK, left))
        if not block:
            raise OSError("the file ends early")
        checksum, left = zlib.crc32(block, checksum), left - len(block)
    return checksum


def _forget_old(folder: Path) -> None:
    """Removes all packed files except those that were used last; open ones stay readable."""
    files = sorted(((file.stat().st_mtime, file) for file in folder.glob("*.npy")), reverse=True)
    for _, file in files[_KEPT:]:
        file.unlink(missing_ok=True)
    LocalFolder(folder).remove_leftovers(_LEFTOVER_SECONDS)
