"""A CSV or Parquet file that lists images and what is known about each."""

import os
from pathlib import Path

import pandas as pd

from likeness.data.captions_column import with_caption_column
from likeness.data.listed_files import find_files
from likeness.data.readers.folder import TABLE_SUFFIXES
from likeness.data.readers.parquet_columns import read_parquet
from likeness.data.readers.remote import is_url
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
    """Reads a table of images, a .csv (comma, semicolon or tab), .tsv or .parquet file: one row an image, one column of paths, relative to the
    file's folder or absolute, every further column an attribute.

    Images that are missing stay in the table, and embedding lists them, as long as one is there or none needs to be (`check_there`). A path may be
    in another Unicode form than the name of its file. One image in several rows becomes one row where these agree (`one_row_an_image`); several
    captions become a list of them.

    Args:
        path_column: the column of paths; by default the first of `PATH_COLUMNS` that is there, in any case of letters.
        remote: paths that are URLs count as images that are there; only for a file that the person who runs the program named.
        caption_column: the column of captions, a sentence or a JSON list of sentences a cell; by default "captions" or "caption". It is called so in
            the table, where labels and training find it.

    Raises:
        InputError: if the file is missing, cannot be parsed, has no rows, no column of paths or empty ones, or if no image is there.
    """
    file = as_path(path).absolute()
    _check_file(file, str(path))
    frame, column = _read(file, path_column)
    if frame.empty:
        raise InputError(f"The table '{file.name}' has no rows; add a row for each image.")
    images, files = find_files(_image_paths(frame[column], file.name, column), file.parent)
    if check_there and not (remote and any(map(is_url, images))):
        _check_one_there(images, file)
    attributes = frame.drop(columns=column)
    if caption_column is not None:
        attributes = with_caption_column(attributes, caption_column, file.name)
    attributes = attributes.rename(columns={"path": "path (attribute)"})
    attributes.insert(0, "path", images)
    return one_row_an_image(ImageTable(name or name_to_text(file.stem), file.parent, attributes), files)


def _check_file(file: Path, given: str) -> None:
    if not file.exists():
        raise InputError(f"There is no file '{given}'; check the spelling, and that it lies on the machine that runs Likeness.")
    if not file.is_file():
        raise InputError(f"'{given}' is {'a folder' if file.is_dir() else 'a pipe or a device'}, not a table; give a CSV or Parquet file.")
    if file.suffix.lower() not in TABLE_SUFFIXES:
        raise InputError(f"'{file.name}' is not one of {', '.join(TABLE_SUFFIXES)}; save the table as CSV or Parquet.")


def _read(file: Path, path_column: str | None) -> tuple[pd.DataFrame, str]:
    """The table with the column of paths as text, and that column's name."""
    if file.suffix.lower() == ".parquet":
        return read_parquet(file, path_column, lambda names: _find_column(names, path_column, file.name))
    cells = read_csv_cells(file)
    cells = cells.set_axis([str(name) or f"Unnamed: {place}" for place, name in enumerate(cells.columns)], axis=1)
    column = _find_column([str(name) for name in cells.columns], path_column, file.name)
    return typed_columns(cells).assign(**{column: cells[column]}), column


def _find_column(columns: list[str], wanted: str | None, file_name: str) -> str:
    listed = ", ".join(f"'{column}'" for column in columns[:20]) or "none"
    if wanted is not None:
        found = wanted if wanted in columns else wanted.strip()
        if found in columns:
            return found
        raise InputError(f"The table '{file_name}' has no column '{wanted}'; its columns are {listed}.")
    lower = {column.strip().lower(): column for column in reversed(columns)}
    for known in PATH_COLUMNS:
        if known in lower:
            return lower[known]
    raise InputError(f"The table '{file_name}' has no column of image paths among {listed}; call it 'path', or name the column that holds them.")


def _image_paths(values: "pd.Series[str]", file_name: str, column: str) -> list[str]:
    """Paths with forward slashes."""
    wrong = [row for row, value in enumerate(values) if not isinstance(value, str) or not value.strip() or "\0" in value]
    if wrong:
        rows = ", ".join(str(row + 1) for row in wrong[:5])
        raise InputError(
            f"The column '{column}' of '{file_name}' has entries that are no paths, {len(wrong)} in all (rows {rows}); "
            f"fill them in or name another column."
        )
    return [value.strip().replace("\\", "/") for value in values]


def _check_one_there(images: list[str], file: Path) -> None:
    if not any(os.path.isfile(file.parent / text_to_name(split_part(image)[0])) for image in images):  # false for what is no path at all
        first = ", ".join(f"'{image}'" for image in images[:3])
        raise InputError(
            f"None of the {len(images)} images that '{file.name}' lists is there (the first are {first}); give paths relative to '{file.parent}'."
        )
