"""Labels made in the app from a notion's aspects, as attributes of a dataset.

Each is a CSV file of paths and labels that never changes, since results computed from an attribute are cached under its name.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import pandas as pd

from likeness.data import DatasetEntry, ImageTable, add_label_files, read_label_file
from likeness.errors import InputError
from likeness.io import cache_dir, csv_bytes, write_atomic
from likeness.notions import Notion
from server.access import raise_reason, refusal
from server.settings import server
from server.visitors import LABELS, visitor, visitors_dir

BY_ENCODER = "_by_encoder"  # ends the name of an attribute that an encoder has made
_MADE = re.compile(rf"{BY_ENCODER}(_\d+)?$")
_REMOVED = ".removed"
_MOST = 20  # of a dataset
_LONGEST = 60  # letters of a name


def refusal_to_label(entry: DatasetEntry) -> str:
    """Why the visitor may not add labels to a dataset; "" if allowed."""
    if server().shared and entry.owner != visitor():
        whose = "These images are someone else's" if entry.owner else "Everyone on this server sees these images"
        return f"{whose}, so you cannot label them; upload your own copy."
    return refusal("edit")


def add(entry: DatasetEntry, table: ImageTable, notion: Notion, labels: Sequence[object]) -> str:
    """Stores the aspect of each image of a table as a new attribute, and returns its name. Raises InputError: the visitor may not, the images have no
    paths, or there are as many such attributes as are kept."""
    raise_reason(refusal_to_label(entry))
    if not table.has_images:
        raise InputError(f"'{table.name}' has no images, so labels cannot be saved.")
    if len(list(folder_of(entry).glob("*.csv"))) >= _MOST:
        raise InputError(f"'{entry.name}' already has {_MOST} attributes made by encoders, the maximum; remove one.")
    name = _free(entry, table, f"{notion.slug.replace('-', '_')[:_LONGEST]}")
    write_atomic(file_of(entry, name), csv_bytes(pd.DataFrame({"path": table.frame["path"], "label": labels})))
    return name


def remove(entry: DatasetEntry, name: str) -> None:
    """Removes an added attribute; its name is not used again. Raises InputError: the visitor may not, or there is none of this name."""
    raise_reason(refusal_to_label(entry))
    if name not in names(entry):
        raise InputError(f"'{entry.name}' has no added attribute '{name}'.")
    file_of(entry, name).rename(folder_of(entry) / f"{name}{_REMOVED}")


def names(entry: DatasetEntry) -> list[str]:
    return sorted(file.stem for file in folder_of(entry).glob("*.csv"))


def attach(entry: DatasetEntry, table: ImageTable) -> ImageTable:
    """The table with the added attributes as columns, empty for later images; those whose files are `damaged` are left out."""
    files = [file_of(entry, name) for name in names(entry)] if table.has_images else []
    return add_label_files(table, [file for file in files if not _is_damaged(file)])


def file_of(entry: DatasetEntry, name: str) -> Path:
    """Path of an added attribute's file."""
    return folder_of(entry) / f"{name}.csv"


def damaged(entry: DatasetEntry) -> list[str]:
    """Names of added attributes whose files cannot be read."""
    return [name for name in names(entry) if _is_damaged(file_of(entry, name))]


def made_by_encoder(attributes: Sequence[str]) -> list[str]:
    """The attributes made by an encoder, which cannot be used to evaluate that encoder."""
    return [name for name in attributes if _MADE.search(name)]


def _is_damaged(file: Path) -> bool:
    try:
        stat = file.stat()
    except OSError:
        return True
    return _is_damaged_in_state(file, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=64)
def _is_damaged_in_state(file: Path, mtime_ns: int, size: int) -> bool:
    try:
        read_label_file(file)
    except InputError:
        return True
    return False


def _free(entry: DatasetEntry, table: ImageTable, stem: str) -> str:
    taken = {file.stem for file in folder_of(entry).glob("*")} | set(table.attributes)
    names = (f"{stem}{BY_ENCODER}{'' if number == 1 else f'_{number}'}" for number in range(1, 10_000))
    return next(name for name in names if name not in taken)


def folder_of(entry: DatasetEntry) -> Path:
    """Folder of a dataset's added labels; for uploads it lies in their owner's folder."""
    return (visitors_dir() / entry.owner if server().shared and entry.owner else cache_dir()) / LABELS / entry.id
