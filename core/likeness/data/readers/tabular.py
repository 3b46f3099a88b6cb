"""A CSV or Parquet file that lists images and what is known about each."""

import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from likeness.data.readers.folder import TABLE_SUFFIXES
from likeness.data.readers.remote import is_url
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import as_path, name_to_text, split_part, text_to_name

PATH_COLUMNS = ("path", "file", "filename", "image", "image_path", "file_name", "file_path", "filepath", "img")


def read_table(
    path: str | Path, path_column: str | None = None, name: str | None = None, remote: bool = False, check_there: bool = True
) -> ImageTable:
    """Reads a table of images: one row an image, one column of paths, every further column an attribute.

    Images that are missing stay in the table, and embedding lists them, as long as one is there.

    Args:
        path: a .csv (comma, semicolon or tab), .tsv or .parquet file; image paths are relative to its folder, or absolute.
        path_column: the column of paths; by default the first of `PATH_COLUMNS` that is there, in any case of letters.
        name: shown to people; by default the file's.
        remote: paths that are URLs count as images that are there; only for a file that the person who runs the program named.
        check_there: false: none of the images needs to be there.

    Raises:
        InputError: if the file is missing, cannot be parsed, has no rows, no column of paths or empty ones, or if no image is there.
    """
    file = as_path(path).absolute()
    _check_file(file, str(path))
    frame, column = _read(file, path_column)
    if frame.empty:
        raise InputError(f"The table '{file.name}' has no rows; add a row for each image.")
    images = _image_paths(frame[column], file.name, column)
    if check_there and not (remote and any(map(is_url, images))):
        _check_one_there(images, file)
    attributes = frame.drop(columns=column)
    attributes = attributes.rename(columns={"path": "path (attribute)"})
    attributes.insert(0, "path", images)
    return ImageTable(name or name_to_text(file.stem), file.parent, attributes)


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
        frame = _parse(file, lambda: pd.read_parquet(file)).rename(columns=str)
        column = _find_column(frame, path_column, file.name)
        return _plain(frame, column), column
    separator = _separator(file)
    head = _parse(file, lambda: pd.read_csv(file, sep=separator, nrows=0, encoding="utf-8-sig"))
    column = _find_column(head, path_column, file.name)
    # As text from the start: "007" must not become 7, nor a file named "NA" a missing value.
    return _parse(file, lambda: pd.read_csv(file, sep=separator, converters={column: str}, encoding="utf-8-sig")), column


def _parse(file: Path, read: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    try:
        return read()
    except pd.errors.EmptyDataError as error:
        raise InputError(f"The table '{file.name}' is empty; it needs a line of column names and a row for each image.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"The table '{file.name}' is not text in UTF-8; save it again as CSV in UTF-8.") from error
    except Exception as error:  # pandas' and pyarrow's own errors are mostly ValueErrors; damaged metadata raise others
        reason = " ".join(str(error).split())[:150]
        raise InputError(f"The table '{file.name}' cannot be parsed ({reason}); save it again as CSV or Parquet.") from error


def _separator(file: Path) -> str:
    """Tab for .tsv; otherwise whichever of comma, semicolon and tab is most frequent in the first line."""
    if file.suffix.lower() == ".tsv":
        return "\t"
    with file.open("rb") as content:
        line = content.readline(1 << 16)
    return max(",;\t", key=lambda separator: line.count(separator.encode()))


def _find_column(frame: pd.DataFrame, wanted: str | None, file_name: str) -> str:
    columns = [str(column) for column in frame.columns]
    listed = ", ".join(f"'{column}'" for column in columns[:20]) or "none"
    if wanted is not None:
        if wanted in columns:
            return wanted
        raise InputError(f"The table '{file_name}' has no column '{wanted}'; its columns are {listed}.")
    lower = {column.strip().lower(): column for column in reversed(columns)}
    for known in PATH_COLUMNS:
        if known in lower:
            return lower[known]
    raise InputError(f"The table '{file_name}' has no column of image paths among {listed}; call it 'path', or name the column that holds them.")


def _plain(frame: pd.DataFrame, keep: str) -> pd.DataFrame:
    """Lists and structs, which Parquet can hold, as text except in the column `keep`, so that they can be counted and compared."""
    frame = frame.reset_index(drop=True)
    for column in (column for column in frame.columns if column != keep and frame[column].dtype == object):
        frame[column] = frame[column].map(lambda value: value if isinstance(value, str | int | float | bool | None) else str(value))
    return frame


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
