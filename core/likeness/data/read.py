"""From what a person names to a table of images."""

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
            raise InputError(f"There is no dataset '{self.name}' in '{self}'; write one of {known} before the colon, or give a folder.")
        return found

    def __str__(self) -> str:
        return f"{self.name}{f'/{self.split}' if self.split else ''}:{self.folder}"


class TableColumns(NamedTuple):
    """Columns of a CSV, TSV or Parquet file, by their names; None: they are found."""

    path: str | None = None
    caption: str | None = None


_NAMED: ContextVar[TableColumns | None] = ContextVar("named columns", default=None)


@contextmanager
def named_columns(columns: TableColumns) -> Iterator[None]:
    """Within it, `read_dataset` takes these columns where it is told none: for a command, which hands on the name of a source alone."""
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
    """A table from what a person names.

    Args:
        source: a folder of images, all of which are taken; a CSV, TSV or Parquet file that lists them; a ZIP file of images; or a dataset by name
            (`likeness.data.dataset_names`): "cars", which ships; "caltech101", fetched when first read; "synthetic-poses" or "synthetic-poses@500",
            drawn once; "cars196:FOLDER", a published one with its labels; "cars196/all:FOLDER" for more of it than the paper evaluates.
        path_column: the column of paths in a table; by default it is found.
        name: shown to people; by default the folder's, file's or dataset's.
        caption_column: the column of captions in such a file, a sentence or a JSON list of sentences a cell; by default "captions" or "caption".
        gps: of a folder of photos, where they were taken is read, too, as "latitude" and "longitude".
        remote: paths of such a file that are URLs count as images that are there; only for a file that the person who runs the program named.

    Raises:
        InputError: if there is no such place or dataset, or it holds no images, or a column is named and it is no such file.

    Example:
        >>> read_dataset("cars").name
        'Synthetic Cars'
    """
    named = _NAMED.get() or TableColumns()
    table = _read(source, TableColumns(path_column or named.path, caption_column or named.caption), name, gps, remote)
    return replace(table, name=name or table.name)


def read_official_parts(source: str) -> tuple[ImageTable, int]:
    """The train and the test part of a paper's dataset in one table, the first one first, and how many images train. Raises InputError for what is no
    published dataset, such as "cub200:FOLDER", or one that cannot be read.
    """
    if not is_published_source(source):
        raise InputError(f"'{source}' has no official split; name a paper's dataset, such as 'cub200:FOLDER', or split by classes.")
    name, _, folder = source.partition(":")
    parts = [read_dataset(f"{name.partition('/')[0]}/{part}:{folder}") for part in ("train", "test")]
    frame = pd.concat([part.frame for part in parts], ignore_index=True)
    return ImageTable(parts[1].name, parts[1].root, frame), len(parts[0])


def absolute_source(source: str) -> str:
    """What `read_dataset` takes, so that it is found from anywhere: with an absolute folder or file. Raises InputError for a path that may not be
    read here.
    """
    if source.partition("@")[0] in plain_names():
        return source
    if is_published_source(source):
        published = _published(source)
        return name_to_text(str(published._replace(folder=str(as_path(published.folder).resolve()))))
    return name_to_text(str(as_path(source).resolve()))


def is_published_source(source: str) -> bool:
    """Whether this reads `NAME:FOLDER` and is not the path of something that is there."""
    return _PUBLISHED.fullmatch(source.strip()) is not None and not Path(source).expanduser().exists()


def recognized(folder: str | Path) -> str | None:
    """The source that reads this folder as the published dataset that lies in it, such as "cars196:data/cars", for a hint: a folder alone is never
    read so, since who names one means all images in it. None if there is none.
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
            f"The images are a {type(source).__name__}; give a folder, a file or a dataset's name. `lk.embed` takes a data frame with a column "
            f"'path', and a list of paths."
        )
    text = str(source)
    if not text.strip():
        raise InputError("No images are named; give 'cars', a folder, a CSV or Parquet file, or a dataset such as 'cars196:FOLDER'.")
    named = columns.path or columns.caption
    if named is not None and Path(text).suffix.lower() not in (*TABLE_SUFFIXES, *ARCHIVE_SUFFIXES):
        raise InputError(f"'{text}' is no CSV, Parquet or ZIP file, so it has no column '{named}' to read; give the file that lists the images.")
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
        raise InputError(f"'{path.name}' is an archive that is not unpacked here; unpack it and name the folder, or pack the images as a ZIP file.")
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
        raise InputError(f"There are no generated images '{source}'; write one of {named}, perhaps with a number: '{generated[0]}@500'.")
    return dataset.read(int(count) if count else None)


def _read_published(source: _Published) -> ImageTable:
    dataset = source.dataset()
    if not source.folder:
        raise InputError(f"'{source}' names no folder; write where it lies, as in '{source.name}:data/{source.name}'.")
    return dataset.read(source.folder, source.split or dataset.split)


def _published(source: str) -> _Published:
    match = _PUBLISHED.fullmatch(source.strip())
    if match is None:
        raise InputError(f"'{source}' names no dataset; write it as NAME:FOLDER with one of {', '.join(published_names())}.")
    return _Published(match["name"].lower(), match["split"] or "", match["folder"].strip())


def _nothing_there(source: str) -> InputError:
    if os.sep in source:
        return InputError(f"There is nothing at '{source}'; give a folder of images, or a CSV or Parquet file that lists them.")
    return InputError(
        f"There is no dataset '{source}'; give {', '.join(plain_names())}, a folder of images, a CSV or Parquet file that lists them, or "
        f"NAME:FOLDER with one of {', '.join(published_names())}."
    )
