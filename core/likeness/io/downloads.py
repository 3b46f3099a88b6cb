"""Resumable downloads, verified by hash, with a check of free disk space. The server's module supplies the request function."""

import errno
import hashlib
import os
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from likeness.errors import InputError
from likeness.io.files import compute_once_locked
from likeness.io.paths import make_folder
from likeness.progress import Progress, Stopped

DOWNLOAD_SILENCE = 10.0  # seconds without a byte after which a connection counts as broken
_WAITS = (1.0, 3.0, 8.0)  # seconds before another try, of tries that bring nothing
_POLL = 0.1
_RESERVE = 200_000_000  # bytes of the disk that a download leaves free
_PROBE_SECONDS = 4.0
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class RemoteFile:
    """A downloadable file.

    Attributes:
        name: as shown in messages: "'a.zip' of 'B'".
        place: path of the complete, verified file.
        hash: SHA-256, or git's SHA-1 of small files, in hexadecimal digits.
        stream: start byte -> response from there on (httpx2).
    """

    name: str
    place: Path
    size: int
    hash: str
    stream: Callable[[int], AbstractContextManager[Any]]

    @property
    def part(self) -> Path:
        """Path of the partial download."""
        return self.place.with_name(f"{self.hash}.incomplete")

    @property
    def done(self) -> int:
        """Number of bytes already downloaded."""
        return self.size if self.place.is_file() else min(file_size(self.part), self.size)


def fetch_files(files: Sequence[RemoteFile], progress: Progress, should_stop: Callable[[], bool]) -> None:
    """Downloads files. Partial downloads survive a stop or an error, and the next call resumes them.

    Raises:
        Stopped: once `should_stop` is true.
        InputError: the content does not match its hash.
    """
    total = sum(file.size for file in files)

    def report() -> None:
        progress(sum(file.done for file in files), total)
        if should_stop():
            raise Stopped

    report()
    for file in files:
        make_folder(file.place.parent)
        with compute_once_locked(file.place, should_stop) as is_missing:
            if is_missing:
                _fetch(file, report)


def check_room(name: str, files: Sequence[RemoteFile], folder: Path, setting: str) -> None:
    """Raises InputError if the disk of `folder` has too little space; the message names the environment variable `setting` that moves the folder."""
    needed = sum(file.size - file.done for file in files)
    free = free_bytes(folder)
    if needed and needed + _RESERVE > free:
        raise InputError(
            f"'{name}' needs {size_text(needed)} on the disk of {folder}, which has {size_text(free - _RESERVE)} available; free space, or "
            f"set {setting} to a folder on another disk, and try again."
        )


def free_bytes(folder: Path) -> int:
    """Free bytes on the disk of a folder, which may not exist yet."""
    return shutil.disk_usage(next(place for place in (folder, *folder.absolute().parents) if place.is_dir())).free


def size_text(size: float) -> str:
    """`605 MB`, `1.5 GB`."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{max(size, 0) / 1e6:.1f} MB"


def file_size(path: Path) -> int:
    """Size in bytes; 0 if there is no file."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def server_answers(url: str) -> bool:
    """Whether a server can be reached within a few seconds."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=_PROBE_SECONDS):
            return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False


def status_of(error: BaseException) -> int:
    """HTTP status of an error; 0 without a response."""
    return int(getattr(getattr(error, "response", None), "status_code", 0))


def download_problem(error: Exception, server: str, folder: Path | str, setting: str) -> tuple[str, str] | None:
    """What went wrong with a download into `folder`, and the remedy, which may name the environment variable `setting`; None for a defect."""
    status = status_of(error)
    if status >= 500:
        return f"{server} failed ({status})", "Try again later."
    if status:
        return f"{server} answered with status {status}", "Try again later."
    if _is_connection(error) or isinstance(error, TimeoutError):
        return f"the connection to {server} was lost or timed out", "Check the network, and try again."
    if isinstance(error, OSError) and error.errno in _DISK_FULL:
        return f"the disk of {folder} is full", "Free space there, and try again."
    if isinstance(error, OSError) and error.errno:
        return f"{folder} cannot be written ({os.strerror(error.errno).lower()})", f"Change its permissions, or set {setting} to another folder."
    return None


@contextmanager
def explained(name: str, files: Sequence[RemoteFile], problem: Callable[[Exception], tuple[str, str] | None]) -> Iterator[None]:
    """Turns errors into one InputError with a remedy and the number of bytes kept."""
    try:
        yield
    except (InputError, Stopped):
        raise
    except Exception as error:
        found = problem(error)
        if not found:
            raise
        what, remedy = found
        done, total = sum(file.done for file in files), sum(file.size for file in files)
        kept = f" {size_text(done)} of {size_text(total)} were downloaded and are kept." if done else ""
        raise InputError(f"The download of '{name}' failed: {what}. {remedy}{kept}") from error


@contextmanager
def progress_or_bar(name: str, progress: Progress | None) -> Iterator[Progress]:
    """The caller's own progress, or a bar on stderr."""
    if progress is not None:
        yield progress
        return
    from huggingface_hub.utils import tqdm

    options: dict[str, Any] = {"unit": "B", "unit_scale": True, "desc": name}
    with tqdm(**options) as bar:

        def report(done: int, total: int, stage: str = "") -> None:
            if not bar.total:
                bar.initial = done
            bar.total = total
            bar.update(done - bar.n)

        yield report


def _fetch(file: RemoteFile, report: Callable[[], None]) -> None:
    """Downloads and verifies a file."""
    tries = 0
    while file.done < file.size or not file.part.is_file():
        before = file_size(file.part)
        try:
            _receive(file, report)
        except Exception as error:
            tries = 0 if file_size(file.part) > before else tries + 1
            may_pass = status_of(error) in (408, 429) or status_of(error) >= 500 or _is_connection(error)
            if not may_pass or tries >= len(_WAITS):
                raise
            end = time.monotonic() + _WAITS[tries]
            while time.monotonic() < end:
                report()
                time.sleep(_POLL)
    if file_hash(file.part, file.hash) != file.hash:
        file.part.unlink()
        raise InputError(f"The download of {file.name} has a wrong hash and was deleted; try again.")
    file.part.replace(file.place)


def _receive(file: RemoteFile, report: Callable[[], None]) -> None:
    """Appends the missing bytes to the partial download."""
    with file.stream(file_size(file.part)) as response:
        mode = "ab" if response.status_code == 206 else "wb"  # 200: from the beginning, whatever was asked for
        with file.part.open(mode) as part:
            for content in response.iter_bytes():
                part.write(content)
                part.flush()
                report()
    if file_size(file.part) < file.size:
        raise ConnectionError(f"the connection closed after {file_size(file.part)} of {file.size} bytes")


def file_hash(path: Path, like: str) -> str:
    """The hash of a file, of the same kind as `like`: SHA-256 or git's SHA-1."""
    with path.open("rb") as content:
        if len(like) == 64:
            return hashlib.file_digest(content, "sha256").hexdigest()
        return hashlib.sha1(b"blob %d\0" % file_size(path) + content.read()).hexdigest()


def _is_connection(error: BaseException) -> bool:
    import httpx2

    return isinstance(error, httpx2.TransportError | ConnectionError)
