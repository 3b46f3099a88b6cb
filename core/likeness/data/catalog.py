"""The datasets that the app offers: the shipped one and those that people added.

`owner` is who is asking, where several people share a server; None sees and removes all.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from likeness.defaults import DATASET, ENCODER
from likeness.errors import InputError
from likeness.io import TransientError, cache_dir, is_transient, regular_file, write_atomic


@dataclass(frozen=True)
class DatasetEntry:
    """Images somewhere on disk, seen through one encoder.

    Attributes:
        id: short hash of source and encoder; stands in URLs instead of a path.
        name: shown to people.
        source: what `likeness.data.read_dataset` takes, with an absolute path.
        encoder: a name that `likeness.encoders.load_encoder` takes.
        path_column: the column of a CSV / Parquet file that holds the paths; None to find it.
        owner: who alone finds it in the list; "" for everyone's. Who has its id, from a link, can open it.
    """

    id: str
    name: str
    source: str
    encoder: str
    path_column: str | None = None
    owner: str = ""


_one_at_a_time = threading.Lock()
SHIPPED_CARS = DatasetEntry("cars", "Synthetic Cars", DATASET, ENCODER)


def new_entry(name: str, source: str, encoder: str, path_column: str | None = None, owner: str = "") -> DatasetEntry:
    """An entry whose id follows from its source and encoder, and, where it has one, its owner: nobody else can guess it then."""
    text = "\n".join([source, encoder, path_column or "", *([owner] if owner else [])])
    digits = 32 if owner else 16
    return DatasetEntry(hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:digits], name, source, encoder, path_column, owner)


def list_datasets(owner: str | None = None) -> list[DatasetEntry]:
    """The shipped dataset first, then the added ones in the order of their adding: all, or everyone's and the owner's.

    Raises:
        InputError: if the list on disk can't be read.
    """
    return [SHIPPED_CARS, *(entry for entry in _read() if owner is None or entry.owner in ("", owner))]


def find_dataset(id: str) -> DatasetEntry:
    """Raises InputError if there is no dataset with this id."""
    for entry in [SHIPPED_CARS, *_read()]:
        if entry.id == id:
            return entry
    raise InputError(f"There is no dataset with the id '{id}' here; it may have been removed: choose another one.")


def add_dataset(entry: DatasetEntry) -> None:
    """Adds the entry, or replaces the one with the same id."""
    with _alone():
        _write([*(known for known in _read() if known.id != entry.id), entry])


def remove_dataset(id: str, owner: str | None = None) -> None:
    """Takes the entry off the list; the images stay where they are. An owner takes off only what is his."""
    with _alone():
        _write([known for known in _read() if known.id != id or (owner is not None and known.owner != owner)])


@contextmanager
def _alone() -> Iterator[None]:
    """While it lasts, no other thread and no other process changes the list."""
    from filelock import FileLock

    place = cache_dir() / "locks" / "datasets"
    place.parent.mkdir(parents=True, exist_ok=True)
    with _one_at_a_time, FileLock(place):
        yield


def _file() -> Path:
    return cache_dir() / "datasets.json"


def _read() -> list[DatasetEntry]:
    try:
        stat = _file().stat()
    except FileNotFoundError:
        return []
    return list(_entries(_file(), stat.st_mtime_ns, stat.st_size, stat.st_ino))


@lru_cache(maxsize=4)
def _entries(file: Path, mtime_ns: int, size: int, inode: int) -> tuple[DatasetEntry, ...]:
    """Of the file in this state."""
    try:
        return tuple(_entry(fields) for fields in json.loads(regular_file(file).read_text(encoding="utf-8")))
    except (ValueError, TypeError, RecursionError, OSError, MemoryError) as error:
        if is_transient(error):
            raise TransientError("The list of datasets", error) from error
        reason = str(error)[:100]
        raise InputError(f"The list of datasets '{file.name}' is damaged ({reason}); delete it and add the datasets again.") from error


def _entry(fields: dict[str, str | None]) -> DatasetEntry:
    entry = DatasetEntry(**fields)  # type: ignore[arg-type]
    for name in ("id", "name", "source", "encoder", "owner"):
        if not isinstance(getattr(entry, name), str):
            raise TypeError(f"{name} is no text")
    if not isinstance(entry.path_column, str | None):
        raise TypeError("path_column is no text")
    return entry


def _write(entries: list[DatasetEntry]) -> None:
    write_atomic(_file(), json.dumps([asdict(entry) for entry in entries], indent=1).encode())
