"""Writing files whole or not at all, once where several processes need the same one, and trying the place before the work for it is done."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from likeness.errors import InputError
from likeness.io.confinement import regular_file
from likeness.io.paths import cache_dir, can_be_a_path, make_folder

# Seconds between two checks of whether to stop waiting for a lock.
_POLL_SECONDS = 0.5


def write_atomic(path: Path, content: bytes) -> None:
    """Writes `content` to `path`, so that a reader sees the old file or the new one, never a part; as `open_atomic`."""
    with open_atomic(path) as file:
        file.write(content)


@contextmanager
def open_atomic(path: Path) -> Iterator[BinaryIO]:
    """A file to write and read, which takes its place at `path` when the block ends well. The temporary file lies in the same folder, so that the
    final rename stays on one file system. On any error (a full disk, say) the old file is untouched and the temporary one is gone.

    Raises:
        OSError: it cannot be written, or what is there is no file: a device or a pipe is not replaced.
    """
    make_folder(path.parent)
    if path.exists():
        regular_file(path)
    # not mkstemp: its files are readable by their owner alone, whatever the umask says
    temporary = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with temporary.open("x+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Brings the names of a folder's files to the disk: what was renamed in it stays so when the power fails."""
    if hasattr(os, "O_DIRECTORY"):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def compute_once_locked(file: Path, should_stop: Callable[[], bool] | None = None) -> Iterator[bool]:
    """Holds a lock for this file, so that one of several processes computes it; True where the file is missing and the caller is to write it. The
    lock lies in the cache. A process that is killed releases it.

    Raises:
        InputError: once `should_stop` is true, while another process has the lock.
    """
    from filelock import FileLock, Timeout

    path = cache_dir() / "locks" / f"{file.parent.name}-{file.stem}"
    make_folder(path.parent)
    lock = FileLock(path)
    while not lock.is_locked:
        with suppress(Timeout):
            lock.acquire(timeout=_POLL_SECONDS)
        if not lock.is_locked and should_stop and should_stop():
            raise InputError("Stopped while waiting for another process that does the same.")
    try:
        yield not file.is_file()
    finally:
        lock.release()


def check_output_file(path: Path) -> None:
    """Raises InputError unless a file can be written at this path, where there is nothing yet or a file that it replaces."""
    with _explained(path):
        if path.exists():
            regular_file(path)
        _try_folder(path.parent)


def check_output_folder(path: Path) -> None:
    """Raises InputError unless files can be written into a folder at this path, where there is nothing yet or a folder."""
    with _explained(path):
        _try_folder(path)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    if not can_be_a_path(str(path)):
        raise InputError(f"'{str(path)[:60]}' cannot be written: it is too long or has signs that no file name has; give another path.")
    try:
        yield
    except OSError as error:
        raise InputError(f"'{path}' cannot be written ({(error.strerror or str(error)).lower()}); make room there, or name another place.") from error


def _try_folder(folder: Path) -> None:
    """Writes a byte into the folder, or into the first one above it that is there, and removes it again: rights alone do not tell."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    trial = folder / f".{secrets.token_hex(8)}.partial"
    try:
        trial.write_bytes(b"\0")
    finally:
        trial.unlink(missing_ok=True)
