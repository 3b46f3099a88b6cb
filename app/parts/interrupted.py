"""Detects interrupted embeddings: a running one keeps a locked note on disk, and a note without a lock is left over.

Listed datasets need no note: opening one resumes its embedding.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from filelock import FileLock, Timeout

from likeness.data import DatasetEntry, list_datasets
from likeness.io import cache_dir, make_folder, write_atomic


@contextmanager
def noted(entry: DatasetEntry) -> Iterator[None]:
    """Keeps the note of a dataset while it is being embedded."""
    note, lock = _note(entry.id), FileLock(_lock(entry.id))
    for file in (note, Path(lock.lock_file)):
        make_folder(file.parent)
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
    """Unlisted datasets whose embedding was interrupted: all, or the public ones and the owner's."""
    listed, found = {entry.id for entry in list_datasets()}, list[DatasetEntry]()
    for note in sorted(_folder().glob("*.json")):
        # a locked note belongs to a running embedding; others may be gone by now, or damaged
        with suppress(Timeout, OSError, ValueError, TypeError), FileLock(_lock(note.stem), timeout=0):
            found.append(DatasetEntry(**json.loads(note.read_text(encoding="utf-8"))))
    return [entry for entry in found if entry.id not in listed and (owner is None or entry.owner in ("", owner))]


def forget(id: str) -> None:
    """Removes the note of a dataset."""
    _note(id).unlink(missing_ok=True)


def _folder() -> Path:
    return cache_dir() / "embedding"


def _note(id: str) -> Path:
    return _folder() / f"{id}.json"


def _lock(id: str) -> Path:
    return cache_dir() / "locks" / f"embedding-{id}"
