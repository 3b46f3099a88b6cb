"""The datasets that the app offers: the shipped one and those that people added.

`owner` is who is asking, where several people share a server; None sees all.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

from likeness.defaults import CARS_ENCODER, DATASET
from likeness.errors import InputError
from likeness.io import TransientError, cache_dir, is_transient, make_folder, regular_file, write_atomic


@dataclass(frozen=True)
class DatasetEntry:
    """Images somewhere on disk, seen through one encoder.

    Attributes:
        id: short hash of source and encoder; stands in URLs instead of a path.
        source: what `likeness.data.read_dataset` takes, with an absolute path.
        encoder: a name that `likeness.encoders.load_encoder` takes.
        path_column: the column of a CSV / Parquet file that holds the paths; None to find it.
        owner: who alone finds it in the list; "" for everyone's. Who has its id, from a link, can open it.
        gps: whether it is shown where photos were taken.
        warning: what stands above its map, such as that the encoder hardly sees anything in the images.
        count: of its images when they were embedded; 0 where that is not known.
    """

    id: str
    name: str
    source: str
    encoder: str
    path_column: str | None = None
    owner: str = ""
    gps: bool = False
    warning: str = ""
    count: int = 0


_LONGEST_NAME = 120  # letters
_one_at_a_time = threading.Lock()
SHIPPED_CARS = DatasetEntry(DATASET, "Synthetic Cars", DATASET, CARS_ENCODER)


def new_entry(name: str, source: str, encoder: str, path_column: str | None = None, owner: str = "", gps: bool = False) -> DatasetEntry:
    """An entry whose id follows from its source and encoder, and, where it has one, its owner: nobody else can guess it then."""
    text = "\n".join([source, encoder, path_column or "", *([owner] if owner else []), *(["gps"] if gps else [])])
    digits = 32 if owner else 16
    return DatasetEntry(hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:digits], name, source, encoder, path_column, owner, gps)


def list_datasets(owner: str | None = None) -> list[DatasetEntry]:
    """The shipped dataset first, then the added ones in the order of their adding: all, or everyone's and the owner's. Raises InputError if the list
    on disk can't be read.
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


def rename_dataset(id: str, name: str) -> DatasetEntry:
    """Gives an added dataset another name; its id stays, and with it every link that names it.

    Raises:
        InputError: the name is empty or too long, or no dataset that was added has this id.
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= _LONGEST_NAME:
        raise InputError(
            f"A dataset's name has between 1 and {_LONGEST_NAME} letters, and '{name[:_LONGEST_NAME]}' has {len(name)}; write another one."
        )
    with _alone():
        entries = {entry.id: entry for entry in _read()}
        if id not in entries:
            raise InputError(f"There is no dataset with the id '{id}' that can be renamed; it may have been removed.")
        entries[id] = replace(entries[id], name=name)
        _write(list(entries.values()))
        return entries[id]


def remove_dataset(id: str) -> None:
    """Takes the entry off the list; the images stay where they are."""
    with _alone():
        _write([known for known in _read() if known.id != id])


@contextmanager
def _alone() -> Iterator[None]:
    """While it lasts, no other thread and no other process changes the list."""
    from filelock import FileLock

    place = cache_dir() / "locks" / "datasets"
    make_folder(place.parent)
    with _one_at_a_time, FileLock(place):
        yield


def _file() -> Path:
    return cache_dir() / "datasets.json"


def _read() -> list[DatasetEntry]:
    try:
        stat = _file().stat()
    except FileNotFoundError:
        return []
    except OSError as error:  # the folder is another user's, as a container's volume may be
        if is_transient(error):
            raise TransientError("The list of datasets", error) from error
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"The list of datasets '{_file()}' cannot be read ({reason}); name a folder of your own by LIKENESS_CACHE.") from error
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


def _entry(fields: dict[str, str | bool | int | None]) -> DatasetEntry:
    entry = DatasetEntry(**fields)  # type: ignore[arg-type]
    for name in ("id", "name", "source", "encoder", "owner", "warning"):
        if not isinstance(getattr(entry, name), str):
            raise TypeError(f"{name} is no text")
    if not isinstance(entry.path_column, str | None):
        raise TypeError("path_column is no text")
    if not isinstance(entry.gps, bool):
        raise TypeError("gps is neither true nor false")
    if not isinstance(entry.count, int) or isinstance(entry.count, bool) or entry.count < 0:
        raise TypeError("count is no number of images")
    return entry


def _write(entries: list[DatasetEntry]) -> None:
    write_atomic(_file(), json.dumps([asdict(entry) for entry in entries], indent=1).encode())
