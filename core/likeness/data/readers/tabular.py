"""Read CSV, Parquet and Arrow files of image paths, or images, and attributes."""

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from likeness.data.captions_column import with_caption_column
from likeness.data.format import Format, ReadOptions
from likeness.data.listed_files import find_files
from likeness.data.readers.folder import COLUMNAR_SUFFIXES, TABLE_SUFFIXES
from likeness.data.readers.parquet_columns import read_parquet
from likeness.data.readers.remote import is_url
from likeness.data.regions import with_regions
from likeness.data.repeated_images import one_row_an_image
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import as_path, name_to_text, read_csv_cells, split_part, text_to_name, typed_columns

PATH_COLUMNS = ("path", "file", "filename", "image", "image_path", "file_name", "file_path", "filepath", "img")


def read_table(
    path: str | Path,
    path_column: str | None = None,
    name: str | None = None,
    remote: bool = False,
    check_there: bool = True,
    caption_column: str | None = None,
) -> ImageTable:
    """Reads a table of images, a .csv (comma, semicolon or tab), .tsv, .parquet, .arrow or .feather file: one row per image, a column of paths,
    absolute or relative to the file's folder, or of images inside (`read_parquet`), and every other column an attribute.

    Missing images stay in the table, and embedding reports them; at least one must exist, unless `check_there` is false. A path may differ from its
    file name in Unicode form. Boxes make regions of rows (`with_regions`). Several rows of one image become one if they agree (`one_row_an_image`);
    several captions become a list.

    Args:
        path_column: column of paths; by default the first of `PATH_COLUMNS` that exists, ignoring case.
        remote: accept URLs as paths without a check; only for files named by the person who runs the program.
        caption_column: column of captions, a sentence or a JSON list of sentences per cell; by default "captions" or "caption", as it is named in the
            table, where labels and training find it.

    Raises:
        InputError: the file is missing, cannot be parsed, has no rows, no column of paths or empty paths, or no image exists.
    """
    file = as_path(path).absolute()
    _check_file(file, str(path))
    frame, column = _read(file, path_column)
    if frame.empty:
        raise InputError(f"The table '{file.name}' has no rows; add one per image.")
    images, files = find_files(_image_paths(frame[column], file.name, column), file.parent)
    if check_there and not (remote and any(map(is_url, images))) and not _any_there(images, file.parent):
        first = ", ".join(f"'{image}'" for image in images[:3])
        raise InputError(
            f"None of the {len(images)} images that '{file.name}' lists exists (the first are {first}); write paths relative to '{file.parent}'."
        )
    attributes = frame.drop(columns=column)
    if caption_column is not None:
        attributes = with_caption_column(attributes, caption_column, file.name)
    attributes = attributes.rename(columns={"path": "path (attribute)"})
    attributes.insert(0, "path", images)
    return one_row_an_image(with_regions(ImageTable(name or name_to_text(file.stem), file.parent, attributes)), files)


def _check_file(file: Path, given: str) -> None:
    if not file.exists():
        raise InputError(f"There is no file '{given}'; check the spelling, and that it is on the machine that runs Likeness.")
    if not file.is_file():
        raise InputError(f"'{given}' is {'a folder' if file.is_dir() else 'a pipe or a device'}, not a table; pass a CSV or Parquet file.")
    if file.suffix.lower() not in TABLE_SUFFIXES:
        raise InputError(f"'{file.name}' is not one of {', '.join(TABLE_SUFFIXES)}; save the table as CSV or Parquet.")


def _read(file: Path, path_column: str | None) -> tuple[pd.DataFrame, str]:
    """The table with the column of paths as text, and that column's name."""
    if file.suffix.lower() in COLUMNAR_SUFFIXES:
        listed = partial(find_path_column, wanted=path_column, file_name=file.name)
        return read_parquet(file, listed, path_column, lambda paths: any(map(is_url, map(str, paths))) or _any_there(paths, file.parent))
    cells = read_csv_cells(file)
    cells = cells.set_axis([str(name) or f"Unnamed: {place}" for place, name in enumerate(cells.columns)], axis=1)
    column = find_path_column([str(name) for name in cells.columns], path_column, file.name)
    return typed_columns(cells).assign(**{column: cells[column]}), column


def find_path_column(columns: list[str], wanted: str | None, file_name: str) -> str:
    """The column of paths of a table: the wanted one, or as `column_of_paths`. Raises InputError if there is none."""
    listed = ", ".join(f"'{column}'" for column in columns[:20]) or "none"
    if wanted is not None:
        found = wanted if wanted in columns else wanted.strip()
        if found in columns:
            return found
        raise InputError(f"The table '{file_name}' has no column '{wanted}'; its columns are {listed}.")
    if (column := column_of_paths(columns)) is not None:
        return column
    raise InputError(f"The table '{file_name}' has no column of image paths among {listed}; rename it to 'path', or pass its name.")


def _image_paths(values: "pd.Series[str]", file_name: str, column: str) -> list[str]:
    """Paths with forward slashes."""
    wrong = [row for row, value in enumerate(values) if not isinstance(value, str) or not value.strip() or "\0" in value]
    if wrong:
        rows = ", ".join(str(row + 1) for row in wrong[:5])
        raise InputError(
            f"The column '{column}' of '{file_name}' has {len(wrong)} entries that are not paths (rows {rows}); fill them in or choose "
            "another column."
        )
    return [value.strip().replace("\\", "/") for value in values]


def _any_there(images: Iterable[Any], folder: Path) -> bool:
    """True if one of these is a file; false for what is no path at all."""
    return any(isinstance(image, str) and os.path.isfile(folder / text_to_name(split_part(image)[0])) for image in images)


def column_of_paths(columns: Iterable[str]) -> str | None:
    """The first of `PATH_COLUMNS` among the names of columns, ignoring case; None if there is none."""
    lower = {column.strip().lower(): column for column in reversed(list(columns))}
    return next((lower[known] for known in PATH_COLUMNS if known in lower), None)


def with_listed_images(frame: pd.DataFrame, name: str, root: Path) -> ImageTable:
    """The table of rows that may list images in a column of paths; without images if none of them is there."""
    column = column_of_paths(frame.columns)
    is_there = column is not None and _any_there(frame[column], root)
    frame = frame.rename(columns={column: "path"} if is_there else {"path": "path (attribute)"})
    return ImageTable(name, root, frame, has_images=is_there)


def _read_format(path: Path, options: ReadOptions) -> ImageTable:
    """A CSV, Parquet or Arrow file with a column of paths, or of images inside."""
    return read_table(path, options.path_column, options.name, options.remote, caption_column=options.caption_column)


_FORM = "`labels.csv`, `images.parquet`"
FORMAT = Format("table", "a table", _FORM, lambda path: path.suffix.lower() in TABLE_SUFFIXES, _read_format, takes="columns")
