"""The datasets that the app offers: the bundled one and those that people added."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from likeness.errors import InputError
from likeness.files import write_atomic
from likeness.paths import cache_dir


@dataclass(frozen=True)
class DatasetEntry:
    """Images somewhere on disk, seen through one encoder.

    Attributes:
        id: short hash of source and encoder; stands in URLs instead of a path.
        name: shown to people.
        source: what `likeness.data.read_dataset` takes, with an absolute path.
        encoder: a name that `likeness.encoders.load_encoder` takes.
        path_column: the column of a CSV / Parquet file that holds the paths; None to find it.
    """

    id: str
    name: str
    source: str
    encoder: str
    path_column: str | None = None


BUNDLED = DatasetEntry("bundled", "Synthetic Cars", "bundled", "bundled")


def new_entry(name: str, source: str, encoder: str, path_column: str | None = None) -> DatasetEntry:
    """An entry whose id follows from its source and encoder."""
    text = "\n".join([source, encoder, path_column or ""])
    return DatasetEntry(hashlib.sha256(text.encode()).hexdigest()[:16], name, source, encoder, path_column)


def list_datasets() -> list[DatasetEntry]:
    """The bundled dataset first, then the added ones in the order of their adding.

    Raises:
        InputError: if the list on disk can't be read.
    """
    return [BUNDLED, *_read()]


def find_dataset(id: str) -> DatasetEntry:
    """Raises InputError if there is no dataset with this id."""
    for entry in list_datasets():
        if entry.id == id:
            return entry
    raise InputError(f"There is no dataset with the id '{id}' here; it may have been removed: choose another one.")


def add_dataset(entry: DatasetEntry) -> None:
    """Adds the entry, or replaces the one with the same id."""
    _write([*(known for known in _read() if known.id != entry.id), entry])


def remove_dataset(id: str) -> None:
    """Takes the entry off the list; the images stay where they are."""
    _write([known for known in _read() if known.id != id])


def _file() -> Path:
    return cache_dir() / "datasets.json"


def _read() -> list[DatasetEntry]:
    if not _file().exists():
        return []
    try:
        return [DatasetEntry(**entry) for entry in json.loads(_file().read_text())]
    except (ValueError, TypeError) as error:
        raise InputError(f"The list of datasets '{_file().name}' is damaged ({error}); delete it and add the datasets again.") from error


def _write(entries: list[DatasetEntry]) -> None:
    write_atomic(_file(), json.dumps([asdict(entry) for entry in entries], indent=1).encode())
