"""Read images from a folder, file, URL or dataset name into a table."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from likeness.data import readers
from likeness.data.captions_column import with_caption_column
from likeness.data.format import Format, ReadOptions
from likeness.data.formats import FORMATS
from likeness.data.formats.hub import PREFIX as HUB
from likeness.data.listed_files import find_files
from likeness.data.own_images import own_table
from likeness.data.readers.dataset import Dataset
from likeness.data.regions import with_regions
from likeness.data.registry import dataset_names, named_dataset, plain_names, published_names
from likeness.data.repeated_images import one_row_an_image
from likeness.data.table import ImageTable
from likeness.data.uploads import is_upload, read_upload
from likeness.errors import InputError
from likeness.io import TransientError, as_path, check_url, is_transient, name_to_text, reason_of

# Two characters at least: "C:\cars" is a folder.
_PUBLISHED = re.compile(r"(?P<name>[A-Za-z0-9][\w-]+)(?:/(?P<split>\w+))?:(?P<folder>.*)", re.DOTALL)
_BOXES = "boxes:"
_MAX_DIGITS = 8
_OTHER_ARCHIVES = (".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")


class _Published(NamedTuple):
    name: str
    split: str
    folder: str

    def read(self) -> ImageTable:
        found = named_dataset(self.name) if self.name in dataset_names() else None
        if found is None or found.layout is None:
            known = ", ".join(published_names())
            raise InputError(f"There is no dataset '{self.name}' in '{self}'; write one of {known} before the colon, or pass a folder.")
        if not self.folder:
            raise InputError(f"'{self}' lacks a folder; write it as '{self.name}:data/{self.name}'.")
        return found.read(self.folder, self.split or found.split)

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
    source: Any,
    path_column: str | None = None,
    name: str | None = None,
    gps: bool = False,
    caption_column: str | None = None,
    remote: bool = False,
    as_: str | None = None,
    regions: bool = False,
) -> ImageTable:
    """Reads a table of images from a source.

    Args:
        source: a file or folder in one of the formats of `likeness kinds formats`, such as a folder of images or a CSV file that lists them; a
            dataset by name (`likeness.data.dataset_names`): "cars", which ships; "caltech101", downloaded on first use; "synthetic-poses" or
            "synthetic-poses@500", generated once; "cars196:FOLDER", a published one with its labels; "cars196/all:FOLDER" for more than the paper
            evaluates; "hf://datasets/ORG/NAME"; or a data frame, list or dataset in memory (`own_table`).
        path_column: column of paths or images in a table; by default it is detected.
        name: display name; by default that of the folder, file or dataset.
        caption_column: column of captions in a table, a sentence or a JSON list of sentences per cell; by default "captions" or "caption".
        gps: also read positions of photos in a folder, as "latitude" and "longitude".
        remote: accept URLs as paths in a table without a check; only for files named by the person who runs the program.
        as_: name of the format, where the source looks like another: "folder" takes all images of a folder; "folder:SOURCE" says the same.
        regions: a row per box instead of per image, of annotations with boxes; "boxes:SOURCE" says the same, also to commands and the app.

    Raises:
        InputError: the source does not exist, is damaged or holds no images, or an option that it does not have.

    Example:
        >>> read_dataset("cars").name
        'Synthetic Cars'
    """
    named = _NAMED.get() or TableColumns()
    options = ReadOptions(name, path_column or named.path, caption_column or named.caption, gps, remote, regions)
    table = _read(source, options, as_) if isinstance(source, str | Path) else _of_objects(source, options)
    return replace(table, name=name or table.name)


def _of_objects(source: Any, options: ReadOptions) -> ImageTable:
    """The table of images given as Python objects, processed like a table file."""
    table = own_table(source, "Images", options.path_column)
    paths, files = find_files(table.frame["path"].tolist(), table.root)
    frame = table.frame.assign(path=paths)
    frame = with_caption_column(frame, options.caption_column, table.name) if options.caption_column else frame
    return one_row_an_image(with_regions(replace(table, frame=frame)), files)


def find_format(path: Path, as_: str | None = None) -> Format | None:
    """The format of this name, or the first that matches the path; None if there is none. Raises InputError for an unknown name."""
    if as_ is None:
        return next((each for each in FORMATS if each.matches(path)), None)
    found = next((each for each in FORMATS if each.name == as_), None)
    if found is None:
        raise InputError(f"There is no format '{as_}'; choose from {', '.join(each.name for each in FORMATS)}.")
    return found


def read_format(path: Path, chosen: Format, options: ReadOptions) -> Any:
    """What the reader of a format gives. Raises InputError for whatever it raises on a damaged file."""
    try:
        return chosen.read(path, options)
    except InputError:
        raise
    except Exception as error:  # foreign files, and the libraries that read them, raise anything
        if is_transient(error):
            raise TransientError(f"'{path.name}'", error) from error
        file = f": '{Path(error.filename).name}'" if isinstance(error, OSError) and error.filename else ""
        reason = f"{str(error.strerror).lower()}{file}" if isinstance(error, OSError) and file else reason_of(error)
        raise InputError(f"'{path.name}' cannot be read as {chosen.title} ({reason}); write it again, or choose another format.") from error


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
    if source.partition("@")[0] in plain_names() or source.startswith(HUB):
        return source
    if way := _way(source):
        return way + absolute_source(source.removeprefix(way))
    if published := _published(source):
        return name_to_text(str(published._replace(folder=str(as_path(published.folder).resolve()))))
    return name_to_text(str(as_path(source).resolve()))


def is_published_source(source: str) -> bool:
    """True if the source has the form `NAME:FOLDER` and is not an existing path."""
    return _published(source) is not None


def _published(source: str) -> _Published | None:
    match = _PUBLISHED.fullmatch(source.strip())
    if match is None or Path(source).expanduser().exists() or source.startswith(HUB) or _way(source):
        return None
    return _Published(match["name"].lower(), match["split"] or "", match["folder"].strip())


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


def _way(source: str) -> str:
    """The "boxes:" or "FORMAT:" that a source begins with, or ""."""
    way = source.partition(":")[0] + ":"
    known = {_BOXES, *(f"{each.name}:" for each in FORMATS)}
    return way if way in known and source.startswith(way) and not Path(source).exists() else ""


def _read(source: str | Path, options: ReadOptions, as_: str | None) -> ImageTable:
    text = str(source)
    if not text.strip():
        raise InputError("No images are given; pass 'cars', a folder, a CSV or Parquet file, or a dataset such as 'cars196:FOLDER'.")
    if way := _way(text):
        own = options._replace(regions=options.regions or way == _BOXES)
        return _read(text.removeprefix(way), own, as_ if way == _BOXES else way[:-1])
    plain, _, count = text.partition("@")
    named = options.path_column or options.caption_column
    no_column = InputError(f"'{text}' is not a CSV, Parquet or ZIP file, so it has no column '{named}'; pass the file that lists the images.")
    published = _published(text)
    if plain in plain_names() or published is not None:
        if named is not None:
            raise no_column
        if as_ is not None or options.regions:
            raise InputError(f"'{text}' is a dataset by name, which has no other formats nor boxes; read it by its name alone.")
        return _read_plain(named_dataset(plain), text, count) if published is None else published.read()
    if text.startswith(HUB):
        check_url(text)
    path = Path(text) if text.startswith(HUB) else as_path(source)
    if path.is_dir() and is_upload(path):
        return one_row_an_image(read_upload(path, options.name))
    chosen = find_format(path, as_)
    if chosen is None:
        raise _nothing_there(text) if not path.exists() else _unknown_file(path)
    if chosen.gives == "space":
        raise InputError(f"'{path.name}' holds vectors ({chosen.title}); `lk.load({text!r})` makes a space of them.")
    if named is not None and chosen.takes != "columns":
        raise no_column
    if options.regions and chosen.takes != "regions":
        raise InputError(f"'{path.name}' is read as {chosen.title}, which has no boxes; read it without `regions`.")
    table: ImageTable = read_format(path, chosen, options)
    table = one_row_an_image(table) if chosen.name == "folder" else table
    if as_ is None and path.is_dir() and chosen.name not in ("folder", "shards", "archive"):
        note = f"Read as {chosen.title}; 'folder:{path.name}' takes all of its images, and the names of its folders."
        return replace(table, notes=(note, *table.notes))
    return table


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


def _nothing_there(source: str) -> InputError:
    if os.sep in source:
        return InputError(f"There is nothing at '{source}'; pass a folder of images, or a CSV or Parquet file that lists them.")
    return InputError(
        f"There is no dataset '{source}'; pass {', '.join(plain_names())}, a folder of images, a CSV or Parquet file that lists them, or "
        f"NAME:FOLDER with one of {', '.join(published_names())}."
    )


def _unknown_file(path: Path) -> InputError:
    if path.suffix.lower() in _OTHER_ARCHIVES:
        return InputError(f"'{path.name}' is an archive of an unsupported kind; unpack it and pass the folder, or pack the images as a ZIP file.")
    known = ", ".join(each.form for each in FORMATS).replace("`", "")
    return InputError(f"'{path.name}' is in no format that is known here; pass one of {known}, or name its format by `as_`.")
