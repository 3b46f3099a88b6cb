"""Files that refer to images of a table: CSV files of labels, and text files that list images, such as those an encoder was not trained on."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import as_path, name_finder, read_csv_cells, text_of, write_atomic

_PATH, _LABEL = "path", "label"


def add_label_files(table: ImageTable, files: Iterable[Path | str]) -> ImageTable:
    """Adds an attribute for each CSV file with the columns path and label, named as the file without suffix. Existing attributes are not changed,
    images not in a file get no label, and a file that lists none of the images adds nothing.

    Raises:
        InputError: a table without images, a missing file, or one without these columns or with a duplicate path.
    """
    columns = {}
    for file in map(as_path, files):
        if not table.has_images:
            raise InputError(f"The rows of '{table.name}' have no images, so the labels of '{file.name}' match none of them.")
        labels = labels_by_path(read_label_file(file), table)
        values = table.frame[_PATH].map(labels)
        if file.stem not in table.frame and values.notna().any():
            columns[file.stem] = values
    return replace(table, frame=table.frame.assign(**columns)) if columns else table


def read_label_file(file: Path) -> dict[str, str]:
    """Maps paths to labels, from a file as in `add_label_files`; raises InputError as `label_frame`."""
    frame = label_frame(file)
    return dict(zip(frame[_PATH], frame[_LABEL], strict=True))


def labels_by_path(labels: Mapping[str, str], table: ImageTable) -> dict[str, str]:
    """The labels keyed by paths of the table, matched in any Unicode form; keys of no image are unchanged. Raises InputError if two keys match one
    image.
    """
    find = name_finder(map(str, table.frame[_PATH]))
    found: dict[str, str] = {}
    for path, label in labels.items():
        image = find(path) or path
        if image in found:
            raise InputError(f"The image '{image}' has two labels, '{found[image]}' and '{label}', in two Unicode forms of its name; remove one.")
        found[image] = label
    return found


def label_frame(file: Path) -> pd.DataFrame:
    """The table of such a file as text: path, label and further columns. Raises InputError if it is missing or damaged, lacks a column, or has a
    duplicate path.
    """
    frame = read_csv_cells(file)
    if not {_PATH, _LABEL} <= set(frame):
        raise InputError(f"The label file '{file.name}' has the columns {', '.join(map(str, frame))}; give one with {_PATH} and {_LABEL}.")
    if frame[_PATH].duplicated().any():
        raise InputError(f"The label file '{file.name}' names '{frame[_PATH][frame[_PATH].duplicated()].iloc[0]}' twice; remove one of them.")
    return frame


def keep_listed(table: ImageTable, file: str | Path) -> ImageTable:
    """The images listed in a text file, in the table's order. Each line is a path in the table, or a file name, in any Unicode form; an exact path
    matches only that image. Blank lines are skipped.

    Raises:
        InputError: the file is missing or empty, or lists an image that is not in the table.

    Example:
        >>> import tempfile
        >>> from likeness.data import read_cars
        >>> file = Path(tempfile.mkdtemp()) / "some.txt"
        >>> _ = file.write_text("images/00003.webp")
        >>> len(keep_listed(read_cars(), file))
        1
    """
    listed = {line.strip() for line in text_of(as_path(file)).splitlines() if line.strip()}
    if not listed:
        raise InputError(f"The file '{file}' lists no images; write one path or file name per line.")
    paths = [str(path) for path in table.frame["path"]]
    names = [path.rsplit("/", 1)[-1] for path in paths]
    find = name_finder([*paths, *names])
    found = {line: find(line) for line in listed}
    missing = sorted(line for line, name in found.items() if name is None)
    if missing:
        raise InputError(
            f"'{table.name}' lacks {len(missing)} of the {len(listed)} images listed in '{file}', first '{missing[0]}'; remove them from the list."
        )
    there = set(found.values())
    by_name = there - set(paths)
    kept = [path in there or name in by_name for path, name in zip(paths, names, strict=True)]
    return replace(table, frame=table.frame[kept])


def write_rows(file: Path, table: ImageTable, rows: Iterable[int]) -> None:
    """Writes a file of the paths of these rows for `keep_listed`.

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
