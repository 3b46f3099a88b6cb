"""Labels of images in files of their own, beside the table that lists the images."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import as_path, name_finder, read_csv_cells, regular_file

_PATH, _LABEL = "path", "label"


def add_label_files(table: ImageTable, files: Iterable[Path | str]) -> ImageTable:
    """The table with an attribute more for each file, named as the file without its ending.

    An attribute that the table has stays as it is, an image that a file does not name has no label of it, and a file that names none of the
    images adds nothing.

    Args:
        table: with paths.
        files: CSV files with the columns path, as in the table, and label.

    Raises:
        InputError: a table without images, a file that is not there, or one without these columns or with a path twice.
    """
    columns = {}
    for file in map(as_path, files):
        if not table.has_images:
            raise InputError(f"The rows of '{table.name}' have no images, so the labels of '{file.name}' fit none of them.")
        labels = labels_by_path(read_label_file(file), table)
        values = table.frame[_PATH].map(labels)
        if file.stem not in table.frame and values.notna().any():
            columns[file.stem] = values
    return replace(table, frame=table.frame.assign(**columns)) if columns else table


def read_label_file(file: Path) -> dict[str, str]:
    """Path -> label of a file as `add_label_files` takes it; InputError as `label_frame`."""
    frame = label_frame(file)
    return dict(zip(frame[_PATH], frame[_LABEL], strict=True))


def labels_by_path(labels: Mapping[str, str], table: ImageTable) -> dict[str, str]:
    """The labels by the paths of the table that theirs stand for, in any Unicode form; those of no image stay as they are.

    Raises:
        InputError: two of their paths stand for one image.
    """
    find = name_finder(map(str, table.frame[_PATH]))
    found: dict[str, str] = {}
    for path, label in labels.items():
        image = find(path) or path
        if image in found:
            raise InputError(f"The image '{image}' has two labels, '{found[image]}' and '{label}', in two Unicode forms of its name; leave one.")
        found[image] = label
    return found


def label_frame(file: Path) -> pd.DataFrame:
    """The whole table of such a file as texts: path, label, and what further columns there are.

    Raises:
        InputError: it is not there, or is damaged, or lacks one of both columns, or has a path twice.
    """
    try:
        regular_file(file)
    except OSError as error:
        raise InputError(f"The label file '{file}' cannot be read ({error.strerror or error}); choose other labels, or bring it back.") from error
    frame = read_csv_cells(file)
    if not {_PATH, _LABEL} <= set(frame):
        raise InputError(f"The label file '{file.name}' has the columns {', '.join(map(str, frame))}; give one with {_PATH} and {_LABEL}.")
    if frame[_PATH].duplicated().any():
        raise InputError(f"The label file '{file.name}' names '{frame[_PATH][frame[_PATH].duplicated()].iloc[0]}' twice; leave one of them.")
    return frame
