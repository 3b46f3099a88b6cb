"""The datasets of the app: the shipped one and added ones.

`owner` is the current account on a shared server; None sees all datasets.
"""

import hashlib
import json
import threading
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from likeness.defaults import CARS_ENCODER, DATASET
from likeness.errors import InputError
from likeness.io import TransientError, cache_dir, compute_once_locked, is_transient, name_to_text, regular_file, validation_message, write_atomic


@dataclass(frozen=True)
class DatasetEntry:
    """A source of images with an encoder.

    Attributes:
        id: short hash of source and encoder; used in URLs instead of a path.
        source: what `likeness.data.read_dataset` takes, with an absolute path.
        encoder: a name that `likeness.encoders.load_encoder` takes.
        path_column: column of paths in a CSV / Parquet file; None to detect it.
        owner: the only account that sees it in the list; "" for everyone. Anyone with its id, from a link, can open it.
        gps: whether positions of photos are shown.
        warning: shown above its map, such as that the encoder hardly separates the images.
        count: number of images when they were embedded; 0 if unknown.
    """

    id: str
    name: str
    source: str
    encoder: str
    path_column: str | None = None
    owner: str = ""
    gps: bool = False
    warning: str = ""
    count: Annotated[int, Field(ge=0)] = 0


_LONGEST_NAME = 120  # letters
_one_at_a_time = threading.Lock()  # a file's lock alone does not exclude threads of one process
SHIPPED_CARS = DatasetEntry(DATASET, "Synthetic Cars", DATASET, CARS_ENCODER)


def new_entry(name: str, source: str, encoder: str, path_column: str | None = None, owner: str = "", gps: bool = False) -> DatasetEntry:
    """An entry whose id is derived from source, encoder and, if given, owner, so that others cannot guess it."""
    name = name_to_text(name)
    # optional parts are appended only if set, so that ids of older versions stay valid
    text = "\n".join([source, encoder, path_column or "", *([owner] if owner else []), *(["gps"] if gps else [])])
    # a private id works like a password in links, so it is longer
    digits = 32 if owner else 16
    return DatasetEntry(hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:digits], name, source, encoder, path_column, owner, gps)


def list_datasets(owner: str | None = None) -> list[DatasetEntry]:
    """The shipped dataset, then the added ones in order: all, or only public ones and the owner's. Raises InputError if the list on disk cannot be
    read.
    """
    return [SHIPPED_CARS, *(entry for entry in _read() if owner is None or entry.owner in ("", owner))]


def find_dataset(id: str) -> DatasetEntry:
    """The dataset with this id; raises InputError if there is none."""
    for entry in [SHIPPED_CARS, *_read()]:
        if entry.id == id:
            return entry
    raise InputError(f"There is no dataset with the id '{id}' here; it may have been removed. Choose another one.")


def add_dataset(entry: DatasetEntry) -> None:
    """Adds an entry, or replaces the one with the same id."""
    with _one_at_a_time, compute_once_locked(_file()):
        _write([*(known for known in _read() if known.id != entry.id), entry])


def rename_dataset(id: str, name: str) -> DatasetEntry:
    """Renames an added dataset; its id, and so every link to it, stays the same.

    Raises:
        InputError: the name is empty or too long, or there is no added dataset with this id.
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= _LONGEST_NAME:
        raise InputError(
            f"A dataset's name must have 1 to {_LONGEST_NAME} characters, but '{name[:_LONGEST_NAME]}' has {len(name)}; choose another one."
        )
    with _one_at_a_time, compute_once_locked(_file()):
        entries = {entry.id: entry for entry in _read()}
        if id not in entries:
            raise InputError(f"There is no dataset with the id '{id}' that can be renamed; it may have been removed.")
        entries[id] = replace(entries[id], name=name)
        _write(list(entries.values()))
        return entries[id]


def remove_dataset(id: str) -> None:
    """Removes an entry from the list; images are not deleted."""
    with _one_at_a_time, compute_once_locked(_file()):
        _write([known for known in _read() if known.id != id])


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
    """Entries of the file, cached by its state."""
    try:
        return TypeAdapter(tuple[DatasetEntry, ...]).validate_json(regular_file(file).read_bytes(), strict=True)
    except (ValidationError, OSError, MemoryError) as error:
        if is_transient(error):
            raise TransientError("The list of datasets", error) from error
        reason = validation_message(error) if isinstance(error, ValidationError) else str(error)[:100]
        raise InputError(f"The list of datasets '{file.name}' is damaged ({reason}); delete it and add the datasets again.") from error


def _write(entries: list[DatasetEntry]) -> None:
    write_atomic(_file(), json.dumps([asdict(entry) for entry in entries], indent=1).encode())
