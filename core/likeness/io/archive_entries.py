"""Read files in ZIP and tar archives where they lie, one at a time and within limits, whatever the archive declares."""

import os
import tarfile
import threading
import weakref
import zipfile
import zlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

MOST_BYTES = 100 << 20  # of an image in an archive or table
# Bytes of a .tar.gz that are inflated at a time: larger ones in a large file, so that few states of zlib (40 KB each) are kept
_STEP, _STEPS, _KEPT, _READ = 1 << 20, 1_024, 8, 1 << 16
_RATIO, _FROM_BYTES = 200, 64 << 20  # bytes out for a byte in, from which it is no archive of images
_GZIP = 31  # zlib's number of the format


@dataclass(frozen=True, eq=False)
class Archive:
    """An open archive: the names of its files, in its order, and what reads one, at most `MOST_BYTES` + 1; KeyError: there is no such file."""

    names: Collection[str]
    read: Callable[[str], bytes]


def open_archive(file: Path) -> Archive:
    """Opens a ZIP or tar archive and reads its directory; of tar all headers, in one pass. Raises any error of a damaged one."""
    return _zip(file) if file.suffix.lower() == ".zip" else _tar(file)


def _zip(file: Path) -> Archive:
    archive = zipfile.ZipFile(file)

    def read(entry: str) -> bytes:
        with archive.open(entry) as content:
            return content.read(MOST_BYTES + 1)

    return Archive([member.filename for member in archive.infolist() if not member.is_dir()], read)


def _tar(file: Path) -> Archive:
    opened, lock, places = file.open("rb"), threading.Lock(), dict[str, tuple[int, int]]()
    stream: Any = opened if file.suffix.lower() == ".tar" else _Gzip(opened)

    def read(entry: str) -> bytes:
        place, size = places[entry][0], min(places[entry][1], MOST_BYTES + 1)
        with lock:
            stream.seek(place)
            content: bytes = stream.read(size)
        if len(content) < size:
            raise EOFError("it is cut off")
        return content

    found = Archive(places.keys(), read)
    weakref.finalize(found, opened.close)
    with tarfile.open(fileobj=stream, mode="r:") as archive:
        while (member := archive.next()) is not None:
            if member.isreg() and not member.issparse():
                places[member.name] = member.offset_data, member.size
            elif member.islnk() and member.linkname in places:
                places[member.name] = places[member.linkname]
            archive.members.clear()  # type: ignore[attr-defined]  # 1 KB each
    return found


class _Gzip:
    """A gzip file in which one can seek: the state of zlib at every step is kept, and the last steps inflated. A read at any place that was reached
    before inflates at most a step in front of it, and reading in order nothing twice.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._at, self._ended = file, 0, False
        self._step = max(_STEP, os.fstat(file.fileno()).st_size // _STEPS)
        self._states = [(0, zlib.decompressobj(_GZIP))]
        self._inflated = lru_cache(_KEPT)(self._inflate)

    def tell(self) -> int:
        return self._at

    def seek(self, place: int) -> None:
        self._at = place

    def read(self, size: int) -> bytes:
        pieces, end = [], self._at + size
        while self._at < end:
            number, skipped = divmod(self._at, self._step)
            while len(self._states) <= number and not self._ended:
                self._inflated(len(self._states) - 1)
            piece = self._inflated(number)[skipped : skipped + end - self._at] if number < len(self._states) else b""
            if not piece:
                break
            pieces.append(piece)
            self._at += len(piece)
        return b"".join(pieces)

    def _inflate(self, number: int) -> bytes:
        """The bytes of a step; remembers the state after it."""
        place, state = self._states[number]
        state, pieces, room = state if state.eof else state.copy(), [], self._step
        self._file.seek(place)
        while room:
            if state.eof:  # another may follow, after zeros
                given, state = state.unused_data.lstrip(b"\0") or self._file.read(_READ).lstrip(b"\0"), zlib.decompressobj(_GZIP)
                self._ended = not given
            else:
                given = state.unconsumed_tail or self._file.read(_READ)
            if not given:
                break
            pieces.append(state.decompress(given, room))
            room -= len(pieces[-1])
        place = self._file.tell()
        if (number + 1) * self._step - room > max(_FROM_BYTES, _RATIO * place):
            raise zlib.error("it unpacks to more than images do")
        if not room and len(self._states) == number + 1:
            self._states.append((place, state))
        elif room and not self._ended:
            raise EOFError("it is cut off")
        return b"".join(pieces)
