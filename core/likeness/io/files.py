"""Write files atomically, compute them once across processes, and check output paths before slow work."""

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
    """Writes `content` to `path` atomically: readers see the old file or the new one, never a part. As `open_atomic`."""
    with open_atomic(path) as file:
        file.write(content)


@contextmanager
def open_atomic(path: Path) -> Iterator[BinaryIO]:
    """A file to write and read, moved to `path` when the block succeeds. The temporary file is in the same folder, so that the final rename stays on
    one file system. On any error, such as a full disk, the old file is untouched and the temporary one is deleted.

    Raises:
        OSError: it cannot be written, or `path` is a device or a pipe, which is not replaced.
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
            # before the rename: some file systems write the new name first, and a power failure would leave an empty file
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Syncs a folder to disk, so that renames in it survive a power failure."""
    if hasattr(os, "O_DIRECTORY"):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def compute_once_locked(file: Path, should_stop: Callable[[], bool] | None = None) -> Iterator[bool]:
    """Locks a file so that only one of several processes computes it; yields True if the file is missing and the caller must write it. The lock is in
    the cache; a killed process releases it.

    Raises:
        InputError: `should_stop` returned true while another process held the lock.
    """
    from filelock import FileLock, Timeout

    path = cache_dir() / "locks" / f"{file.parent.name}-{file.stem}"
    make_folder(path.parent)
    lock = FileLock(path)
    while not lock.is_locked:
        with suppress(Timeout):
            lock.acquire(timeout=_POLL_SECONDS)
        if not lock.is_locked and should_stop and should_stop():
            raise InputError("Stopped while waiting for another process that computes the same file.")
    try:
        yield not file.is_file()
    finally:
        lock.release()


def check_output_file(path: Path) -> None:
    """Raises InputError unless a file can be written at this path, which may exist as a regular file."""
    with _explained(path):
        if path.exists():
            regular_file(path)
        _try_folder(path.parent)


def check_output_folder(path: Path) -> None:
    """Raises InputError unless files can be written into a folder at this path, which may not exist yet."""
    with _explained(path):
        _try_folder(path)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    if not can_be_a_path(str(path)):
        raise InputError(f"'{str(path)[:60]}' cannot be written: the path is too long or has invalid characters; choose another one.")
    try:
        yield
    except OSError as error:
        raise InputError(
            f"'{path}' cannot be written ({(error.strerror or str(error)).lower()}); free space there, or choose another path."
        ) from error


def _try_folder(folder: Path) -> None:
    """Writes and deletes one byte in the folder or its nearest existing parent: permissions alone are not reliable."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    trial = folder / f".{secrets.token_hex(8)}.partial"
    try:
        trial.write_bytes(b"\0")
    finally:
        trial.unlink(missing_ok=True)
