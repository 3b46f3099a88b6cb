"""Read images from a folder, file, URL or dataset name into a table."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from likeness.data import readers
from likeness.data.captions_column import with_caption_column
from likeness.data.own_archive import ARCHIVE_SUFFIXES, OTHER_ARCHIVES, read_archive
from likeness.data.readers import tabular
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.folder import TABLE_SUFFIXES, read_folder
from likeness.data.registry import dataset_names, named_dataset, plain_names, published_names
from likeness.data.repeated_images import one_row_an_image
from likeness.data.table import ImageTable
from likeness.data.uploads import is_upload, read_upload
from likeness.errors import InputError
from likeness.io import as_path, name_to_text

# Two characters at least: "C:\cars" is a folder.
_PUBLISHED = re.compile(r"(?P<name>[A-Za-z0-9][\w-]+)(?:/(?P<split>\w+))?:(?P<folder>.*)", re.DOTALL)
_MAX_DIGITS = 8


class _Published(NamedTuple):
    name: str
    split: str
    folder: str

    def dataset(self) -> Dataset:
        found = named_dataset(self.name) if self.name in dataset_names() else None
        if found is None or found.layout is None:
            known = ", ".join(published_names())
            raise InputError(f"There is no dataset '{self.name}' in '{self}'; write one of {known} before the colon, or pass a folder.")
        return found

    def __str__(self) -> str:
        return f"{self.name}{f'/{self.split}' if self.split else ''}:{self.folder}"


class TableColumns(NamedTuple):
    """Names of columns in a CSV, TSV or Parquet file; None: detect them."""

    path: str | None = None
    caption: str | None = None


_NAMED: ContextVar[TableColumns | None] = ContextVar("named columns", default=None)


@contextmanager
def named_columns(columns: TableColumns) -> Iterator[None]:
    """Sets the default columns of `read_dataset` within a block; for commands, which only pass on the source."""
    token = _NAMED.set(columns)
    try:
        yield
    finally:
        _NAMED.reset(token)


def read_dataset(
    source: str | Path,
    path_column: str | None = None,
    name: str | None = None,
    gps: bool = False,
    caption_column: str | None = None,
    remote: bool = False,
) -> ImageTable:
    """Reads a table of images from a source.

    Args:
        source: a folder of images; a CSV, TSV or Parquet file that lists them; a ZIP file of images; or a dataset by name
            (`likeness.data.dataset_names`): "cars", which ships; "caltech101", downloaded on first use; "synthetic-poses" or "synthetic-poses@500",
            generated once; "cars196:FOLDER", a published one with its labels; "cars196/all:FOLDER" for more than the paper evaluates.
        path_column: column of paths in a table; by default it is detected.
        name: display name; by default that of the folder, file or dataset.
        caption_column: column of captions in a table, a sentence or a JSON list of sentences per cell; by default "captions" or "caption".
        gps: also read positions of photos in a folder, as "latitude" and "longitude".
        remote: accept URLs as paths in a table without a check; only for files named by the person who runs the program.

    Raises:
        InputError: the source does not exist or holds no images, or a column is given for something other than a table.

    Example:
        >>> read_dataset("cars").name
        'Synthetic Cars'
    """
    named = _NAMED.get() or TableColumns()
    table = _read(source, TableColumns(path_column or named.path, caption_column or named.caption), name, gps, remote)
    return replace(table, name=name or table.name)


def read_official_parts(source: str) -> tuple[ImageTable, int]:
    """The train and test parts of a published dataset, such as "cub200:FOLDER", in one table, and the number of train images, which come first.
    Raises InputError for other or unreadable sources.
    """
    if not is_published_source(source):
        raise InputError(f"'{source}' has no official split; name a paper's dataset, such as 'cub200:FOLDER', or split by classes.")
    name, _, folder = source.partition(":")
    parts = [read_dataset(f"{name.partition('/')[0]}/{part}:{folder}") for part in ("train", "test")]
    frame = pd.concat([part.frame for part in parts], ignore_index=True)
    return ImageTable(parts[1].name, parts[1].root, frame), len(parts[0])


def absolute_source(source: str) -> str:
    """The source for `read_dataset` with an absolute path, valid from any folder. Raises InputError for a path that may not be read here."""
    if source.partition("@")[0] in plain_names():
        return source
    if is_published_source(source):
        published = _published(source)
        return name_to_text(str(published._replace(folder=str(as_path(published.folder).resolve()))))
    return name_to_text(str(as_path(source).resolve()))


def is_published_source(source: str) -> bool:
    """True if the source has the form `NAME:FOLDER` and is not an existing path."""
    return _PUBLISHED.fullmatch(source.strip()) is not None and not Path(source).expanduser().exists()


def recognized(folder: str | Path) -> str | None:
    """A hint: the source that reads the published dataset in this folder, such as "cars196:data/cars", or None. A plain folder is never read that
    way, because it means all of its images.
    """
    try:
        place = as_path(folder)
    except InputError:
        return None
    if not place.is_dir():
        return None
    layouts = ((dataset.name, dataset.layout) for dataset in readers.DATASETS if dataset.layout is not None)
    return next((f"{name}:{folder}" for name, layout in layouts if layout.distinct and layout.is_root(place)), None)


def _read(source: str | Path, columns: TableColumns, name: str | None, gps: bool, remote: bool) -> ImageTable:
    if not isinstance(source, str | Path):
        raise InputError(
            f"The images are a {type(source).__name__}; pass a folder, a file or a dataset's name. `lk.embed` takes a data frame with a column "
            f"'path', and a list of paths."
        )
    text = str(source)
    if not text.strip():
        raise InputError("No images are given; pass 'cars', a folder, a CSV or Parquet file, or a dataset such as 'cars196:FOLDER'.")
    named = columns.path or columns.caption
    if named is not None and Path(text).suffix.lower() not in (*TABLE_SUFFIXES, *ARCHIVE_SUFFIXES):
        raise InputError(f"'{text}' is not a CSV, Parquet or ZIP file, so it has no column '{named}'; pass the file that lists the images.")
    plain, _, count = text.partition("@")
    if plain in plain_names():
        return _read_plain(named_dataset(plain), text, count)
    if is_published_source(text):
        return _read_published(_published(text))
    path = as_path(source)
    if path.is_dir():
        return one_row_an_image(read_upload(path, name) if is_upload(path) else read_folder(path, name, gps))
    if path.is_file() and path.suffix.lower() in ARCHIVE_SUFFIXES:
        table = read_archive(path, columns.path, name)
        return replace(table, frame=with_caption_column(table.frame, columns.caption, path.name)) if columns.caption else table
    if path.is_file() and path.suffix.lower() in OTHER_ARCHIVES:
        raise InputError(f"'{path.name}' is an archive of an unsupported kind; unpack it and pass the folder, or pack the images as a ZIP file.")
    if not path.exists() and path.suffix.lower() not in TABLE_SUFFIXES:
        raise _nothing_there(text)
    return tabular.read_table(path, columns.path, name, remote, caption_column=columns.caption)


def _read_plain(dataset: Dataset, source: str, count: str) -> ImageTable:
    if (dataset.origin == "ships" or dataset.archive) and source == dataset.name:
        return dataset.read()
    whole = count.isdecimal() and len(count) <= _MAX_DIGITS and int(count) > 0
    if dataset.origin != "generated" or (source != dataset.name and not whole):
        generated = [name for name in plain_names() if named_dataset(name).origin == "generated"]
        named = ", ".join(generated)
        raise InputError(
            f"There are no generated images '{source}'; choose one of {named}, optionally with a number of images: '{generated[0]}@500'."
        )
    return dataset.read(int(count) if count else None)


def _read_published(source: _Published) -> ImageTable:
    dataset = source.dataset()
    if not source.folder:
        raise InputError(f"'{source}' lacks a folder; write it as '{source.name}:data/{source.name}'.")
    return dataset.read(source.folder, source.split or dataset.split)


def _published(source: str) -> _Published:
    match = _PUBLISHED.fullmatch(source.strip())
    if match is None:
        raise InputError(f"'{source}' lacks a dataset name; write NAME:FOLDER with one of {', '.join(published_names())}.")
    return _Published(match["name"].lower(), match["split"] or "", match["folder"].strip())


def _nothing_there(source: str) -> InputError:
    if os.sep in source:
        return InputError(f"There is nothing at '{source}'; pass a folder of images, or a CSV or Parquet file that lists them.")
    return InputError(
        f"There is no dataset '{source}'; pass {', '.join(plain_names())}, a folder of images, a CSV or Parquet file that lists them, or "
        f"NAME:FOLDER with one of {', '.join(published_names())}."
    )
