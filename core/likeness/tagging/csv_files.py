"""Import and export tags as CSV: a row per image, a column per tag, attribute and the notes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from likeness.data import TABLE_SUFFIXES, ImageTable, find_path_column, is_url, labeled_images
from likeness.errors import InputError
from likeness.io import as_path, csv_bytes, name_finder, name_to_text, plain_name, read_csv_cells, text_to_name, write_atomic
from likeness.tagging.attributes import with_tags
from likeness.tagging.edits import YES, Edit
from likeness.tagging.names import NOTE, TAG_PREFIX, Kind, check_note, check_value, name_key
from likeness.tagging.store import NewColumn, TagStore

MOST_CSV_BYTES = 200_000_000
_MOST_COLUMNS = 1_000
_TRUE, _FALSE = ("yes", "true", "1", "x"), ("no", "false", "0")


@dataclass(frozen=True)
class ImportReport:
    """How a CSV file matches the images of a dataset.

    Attributes:
        matched: number of rows that match exactly one image.
        missing: names that no image has, in the file's order.
        ambiguous: bare file names shared by several images; they match none.
        columns: name -> (kind, number of values for matched images) of each imported column.
        edit: the resulting edit; None for a dry run.
    """

    rows: int
    matched: int
    missing: tuple[str, ...]
    ambiguous: tuple[str, ...]
    columns: dict[str, tuple[Kind, int]]
    edit: Edit | None = None


def import_csv(store: TagStore, table: ImageTable, file: str | Path, who: str, path_column: str | None = None, dry_run: bool = False) -> ImportReport:
    """Imports tags and values from a CSV file as one edit; with `dry_run`, only reports.

    A column "tag:good", or with the name of an existing tag, is a tag: yes, true, 1 or x add it; no, false or 0 remove it. The column "note" holds
    notes; other columns are attributes. Empty cells change nothing, and empty columns are skipped, so that their names stay free. Images that are not
    in the dataset are skipped and reported. InputError: a missing or invalid CSV file, a duplicate image, an invalid name or value, no values at all,
    or no matching image.

    Args:
        file: UTF-8 with a header, separated by comma, semicolon or tab. Images are identified by path in the table, absolute path, or unique file
            name.
        path_column: column of image paths; by default "path", "file", "image" or the like.
    """
    frame, column = _read(as_path(file), path_column)
    named = [str(name) for name in frame[column]]
    found, ambiguous = match_images(table, named)
    rows = [row for row, path in enumerate(found) if path is not None]
    twice = [path for path, count in Counter(found[row] for row in rows).items() if count > 1]
    if twice:
        raise InputError(f"'{_name(file)}' lists the image '{twice[0]}' twice ({len(twice)} such); keep one row per image.")
    said = [name for name in frame.columns if name != column and (frame[name].str.strip() != "").any()]
    if not said:
        raise InputError(f"'{_name(file)}' has no values: all cells except image paths are empty; fill some in.")
    new = store.check_columns([_column(store, str(name), frame[name], rows, _name(file)) for name in said])
    missing = tuple(name for row, name in enumerate(named) if found[row] is None and name not in ambiguous)
    columns = {each.name: (each.kind, sum(value is not None for value in each.values)) for each in new}
    report = ImportReport(len(named), len(rows), missing, tuple(sorted(ambiguous)), columns)
    if dry_run:
        return report
    if not rows:
        raise InputError(f"'{_name(file)}' lists none of the {len(table):,} images of '{table.name}', as '{plain_name(named[0])}'; write paths.")
    return replace(report, edit=store.set_columns([str(found[row]) for row in rows], new, who))


def export_csv(store: TagStore, file: str | Path) -> int:
    """Writes all tags, values and notes atomically, in the format of `import_csv`; returns the number of images.

    InputError: there is nothing to export, or the file cannot be written.
    """
    paths = store.labeled_paths()
    if not paths:
        raise InputError("No image has a tag, a value or a note, so there is nothing to export; tag some first.")
    found = store.columns(paths)
    out = {"path": paths}
    for name in found.columns:
        if found[name].dtype == bool:
            out[f"{TAG_PREFIX}{name}"] = [YES if value else "" for value in found[name]]
        else:
            out[str(name)] = found[name].astype(object).where(found[name].notna(), "").tolist()
    _write(pd.DataFrame(out), file)
    return len(paths)


def export_table(store: TagStore, table: ImageTable, attributes: Sequence[str], file: str | Path) -> int:
    """Writes a table of the images that have values of all given attributes, for `likeness.data.read_dataset`: a fixed dataset for training and
    evaluation while labeling continues. It holds absolute paths and all attributes. Returns the number of images. InputError: an unknown attribute,
    no image has values, the file cannot be written or does not end in .csv.
    """
    if Path(file).suffix.lower() != ".csv":
        raise InputError(f"'{_name(file)}' must end in .csv to be read as a table; rename it.")
    frame = labeled_images(with_tags(table, store), list(attributes)).frame
    paths = [path if is_url(path) else name_to_text(str(table.root.absolute() / text_to_name(path))) for path in map(str, frame["path"])]
    _write(frame.assign(path=paths), file)
    return len(frame)


def _write(frame: pd.DataFrame, file: str | Path) -> None:
    try:
        write_atomic(as_path(file), csv_bytes(frame))
    except OSError as error:
        raise InputError(f"'{file}' cannot be written ({(error.strerror or str(error)).lower()}); free space, or choose another path.") from error


def match_images(table: ImageTable, names: Sequence[str]) -> tuple[list[str | None], set[str]]:
    """Matches names to paths in the table: the path of each name, or None, and the names that match several images.

    Args:
        names: paths as in the table, absolute paths, or file names, in any Unicode form. A backslash counts as a slash.
    """
    paths = {str(path) for path in table.frame["path"]}
    find = name_finder(paths)
    by_file: dict[str, list[str]] = {}
    for path in sorted(paths):
        by_file.setdefault(path.rsplit("/", 1)[-1], []).append(path)
    find_file = name_finder(by_file)
    root, found, ambiguous = f"{table.root}/", list[str | None](), set[str]()
    for name in names:
        tried = [name, (slashed := name.strip().replace("\\", "/")), slashed.removeprefix("./"), slashed.removeprefix(root)]
        match = next((each for each in tried if each in paths), None) or next(filter(None, map(find, tried)), None)
        files = by_file.get(find_file(slashed) or "", []) if match is None and "/" not in slashed else []
        if len(files) > 1:
            ambiguous.add(name)
        found.append(files[0] if len(files) == 1 else match)
    return found, ambiguous


def _read(file: Path, path_column: str | None) -> tuple[pd.DataFrame, str]:
    """The table as text, and the column of its images."""
    if file.suffix.lower() in TABLE_SUFFIXES and file.suffix.lower() not in (".csv", ".tsv"):
        raise InputError(f"'{_name(file)}' is not a CSV file; save it as CSV.")
    frame = read_csv_cells(file, MOST_CSV_BYTES)
    names = [str(name) for name in frame.columns]
    if frame.empty or not 1 < len(names) <= _MOST_COLUMNS:
        raise InputError(f"'{_name(file)}' has {len(names):,} columns and {len(frame):,} rows; it needs rows, a column of images and some of labels.")
    keys = [name_key(name.removeprefix(TAG_PREFIX)) for name in names]
    double = next((name for name, key in zip(names, keys, strict=True) if keys.count(key) > 1), None)
    if double is not None:
        raise InputError(f"'{_name(file)}' has the column '{plain_name(double)}' twice; rename one of them.")
    return frame, find_path_column(names, path_column, _name(file))


def _column(store: TagStore, name: str, cells: "pd.Series[str]", rows: list[int], file: str) -> NewColumn:
    """The values of selected rows of a column; errors name the row."""
    kind: Kind = "note" if name_key(name) == NOTE else "tag" if name.startswith(TAG_PREFIX) else "attribute"
    if kind == "attribute" and (store.kind_of(name) or ("", ""))[1] == "tag":
        kind = "tag"
    texts = cells.to_numpy()
    checked: dict[str, str | None] = {}
    values: list[str | None] = []
    for row in rows:
        cell = str(texts[row])
        if cell not in checked:
            try:
                checked[cell] = _value(cell.strip(), kind)
            except InputError as error:
                raise InputError(f"Row {row + 1} of '{file}', column '{plain_name(name)}': {error}") from error
        values.append(checked[cell])
    return NewColumn(NOTE if kind == "note" else name.removeprefix(TAG_PREFIX), kind, values)


def _value(cell: str, kind: Kind) -> str | None:
    if not cell:
        return None
    if kind != "tag":
        return check_note(cell) if kind == "note" else check_value(cell)
    if cell.lower() not in (*_TRUE, *_FALSE):
        raise InputError(f"'{plain_name(cell)}' is not a valid tag value; write yes or no.")
    return YES if cell.lower() in _TRUE else ""


def _name(file: str | Path) -> str:
    return plain_name(Path(file).name)
