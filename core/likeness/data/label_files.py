"""Files beside the table that lists the images: with labels, or with the names of some, such as those that an encoder was not trained on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import as_path, name_finder, read_csv_cells, regular_file, text_of, write_atomic

_PATH, _LABEL = "path", "label"


def add_label_files(table: ImageTable, files: Iterable[Path | str]) -> ImageTable:
    """The table with an attribute more for each CSV file, with the columns path and label, named as the file without its ending. An attribute that
    the table has stays as it is, an image that a file does not name has no label of it, and a file that names none of the images adds nothing.

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
    """The labels by the paths of the table that theirs stand for, in any Unicode form; those of no image stay as they are. Raises InputError where
    two of their paths stand for one image.
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
    """The whole table of such a file as texts: path, label, and what further columns there are. Raises InputError where it is not there, is damaged,
    lacks one of both columns, or has a path twice.
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


def keep_listed(table: ImageTable, file: str | Path) -> ImageTable:
    """The images that a text file lists, in the table's order: one a line, by its path in the table or by its file's name alone, in any Unicode
    form; what is a path stands for that image only. Blank lines are skipped.

    Raises:
        InputError: there is no such file, it is empty, or it names an image that the table lacks.

    Example:
        >>> import tempfile
        >>> from likeness.data import read_cars
        >>> file = Path(tempfile.mkdtemp()) / "some.txt"
        >>> write_listed(file, ["images/00003.webp"])
        >>> len(keep_listed(read_cars(), file))
        1
    """
    listed = {line.strip() for line in text_of(as_path(file)).splitlines() if line.strip()}
    if not listed:
        raise InputError(f"The file '{file}' lists no images; write one path or file name a line.")
    paths = [str(path) for path in table.frame["path"]]
    names = [path.rsplit("/", 1)[-1] for path in paths]
    find = name_finder([*paths, *names])
    found = {line: find(line) for line in listed}
    missing = sorted(line for line, name in found.items() if name is None)
    if missing:
        raise InputError(f"'{table.name}' lacks {len(missing)} of the {len(listed)} images that '{file}' lists, first '{missing[0]}'; name others.")
    there = set(found.values())
    by_name = there - set(paths)
    kept = [path in there or name in by_name for path, name in zip(paths, names, strict=True)]
    return replace(table, frame=table.frame[kept])


def write_listed(file: Path, paths: Sequence[str | Path]) -> None:
    """Writes such a file, whole or not at all, with the names of the files."""
    write_atomic(file, "".join(f"{Path(path).name}\n" for path in paths).encode())


def write_rows(file: Path, table: ImageTable, rows: Iterable[int]) -> None:
    """Writes such a file of these rows of a table, by their paths there.

    Example:
        >>> import tempfile
        >>> from likeness.data import read_cars
        >>> file = Path(tempfile.mkdtemp()) / "some.txt"
        >>> write_rows(file, read_cars(), [3, 5])
        >>> keep_listed(read_cars(), file).frame["path"].tolist()
        ['images/00003.webp', 'images/00005.webp']
    """
    paths = table.frame["path"].to_numpy()
    write_atomic(file, "".join(f"{paths[row]}\n" for row in rows).encode())
