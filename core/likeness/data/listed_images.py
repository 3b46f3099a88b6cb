"""The images of a table that a text file names, such as those that an encoder was not trained on."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import as_path, name_finder, text_of, write_atomic


def keep_listed(table: ImageTable, file: str | Path) -> ImageTable:
    """The images that a text file lists, in the table's order.

    Args:
        file: one image a line, by its path in the table or by its file's name alone, in any Unicode form; what is a path stands for that image
            only. Blank lines are skipped.

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
