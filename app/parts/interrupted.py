"""Embeddings that ended with their process: while one is under way its dataset is noted on disk, and a note that nobody holds was left behind.

Listed datasets need none: whoever opens one whose images are not all embedded goes on.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from filelock import FileLock, Timeout

from likeness.data import DatasetEntry, list_datasets
from likeness.io import cache_dir, write_atomic


@contextmanager
def noted(entry: DatasetEntry) -> Iterator[None]:
    """For as long as a dataset is being embedded."""
    note, lock = _note(entry.id), FileLock(_lock(entry.id))
    for file in (note, Path(lock.lock_file)):
        file.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock.acquire(timeout=0)
    except Timeout:  # another server embeds the same, and says so
        yield
        return
    try:
        write_atomic(note, json.dumps(asdict(entry)).encode())
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def entries(owner: str | None = None) -> list[DatasetEntry]:
    """The datasets whose embedding was interrupted before they were listed: all, or everyone's and the owner's."""
    listed = {entry.id for entry in list_datasets()}
    found = [entry for note in sorted(_folder().glob("*.json")) if not _is_held(note.stem) and (entry := _read(note)) and entry.id not in listed]
    return [entry for entry in found if owner is None or entry.owner in ("", owner)]


def forget(id: str) -> None:
    """Takes the note of a dataset away."""
    _note(id).unlink(missing_ok=True)


def _folder() -> Path:
    return cache_dir() / "embedding"


def _note(id: str) -> Path:
    return _folder() / f"{id}.json"


def _lock(id: str) -> Path:
    return cache_dir() / "locks" / f"embedding-{id}"


def _is_held(id: str) -> bool:
    try:
        with FileLock(_lock(id), timeout=0):
            return False
    except Timeout:
        return True


def _read(note: Path) -> DatasetEntry | None:
    with suppress(OSError, ValueError, TypeError):  # gone since, or damaged
        return DatasetEntry(**json.loads(note.read_text(encoding="utf-8")))
    return None
