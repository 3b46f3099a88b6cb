"""Tags from and to CSV files: a row for each image, a column for each tag, attribute and the notes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from likeness.data import PATH_COLUMNS, TABLE_SUFFIXES, ImageTable, is_url
from likeness.errors import InputError
from likeness.io import as_path, csv_bytes, name_finder, name_to_text, plain_name, read_csv_cells, text_to_name, write_atomic
from likeness.tagging.attributes import labeled_rows, with_tags
from likeness.tagging.edits import YES, Edit
from likeness.tagging.names import NOTE, TAG_PREFIX, Kind, check_note, check_value, name_key
from likeness.tagging.store import NewColumn, TagStore

MOST_CSV_BYTES = 200_000_000
_MOST_COLUMNS = 1_000
_TRUE, _FALSE = ("yes", "true", "1", "x"), ("no", "false", "0")


@dataclass(frozen=True)
class ImportReport:
    """How a CSV file fits the images of a dataset.

    Attributes:
        matched: how many of its rows name one image of the dataset.
        missing: names that no image has, in the file's order.
        ambiguous: file names without a folder that several images have; they match none.
        columns: name -> (kind, number of values for matched images), of each column that is taken over.
        edit: what was changed; None of a dry run.
    """

    rows: int
    matched: int
    missing: tuple[str, ...]
    ambiguous: tuple[str, ...]
    columns: dict[str, tuple[Kind, int]]
    edit: Edit | None = None


def import_csv(store: TagStore, table: ImageTable, file: str | Path, who: str, path_column: str | None = None, dry_run: bool = False) -> ImportReport:
    """Gives images what a CSV file says of them, as one edit; where `dry_run`, only reports.

    A column "tag:good" is the tag "good": yes, true, 1 or x give it, and no, false or 0 take it away; so is a column whose name is a tag's here.
    The column "note" holds notes, and each further one is an attribute. An empty cell leaves the image as it is, and a column of empty cells is
    passed over: its name stays free. Images that the dataset lacks are left out and reported.

    Args:
        file: comma, semicolon or tab between the cells; UTF-8; a line of column names. It names images by their path in the table, by an
            absolute path, or by the file's name alone, where only one image has it.
        path_column: the column of the images; by default "path", "file", "image" or the like.

    Raises:
        InputError: a file that is not there or no such CSV, an image named twice, a name or value that may not be, no value at all, or no image that
            matches.
    """
    frame, column = _read(as_path(file), path_column)
    named = [str(name) for name in frame[column]]
    found, ambiguous = match_images(table, named)
    rows = [row for row, path in enumerate(found) if path is not None]
    twice = [path for path, count in Counter(found[row] for row in rows).items() if count > 1]
    if twice:
        raise InputError(f"'{_name(file)}' names the image '{twice[0]}' twice ({len(twice)} such); leave one row for each image.")
    said = [name for name in frame.columns if name != column and (frame[name].str.strip() != "").any()]
    if not said:
        raise InputError(f"'{_name(file)}' says nothing of its images: all cells beside their names are empty; fill some in.")
    new = store.check_columns([_column(store, str(name), frame[name], rows, _name(file)) for name in said])
    missing = tuple(name for row, name in enumerate(named) if found[row] is None and name not in ambiguous)
    columns = {each.name: (each.kind, sum(value is not None for value in each.values)) for each in new}
    report = ImportReport(len(named), len(rows), missing, tuple(sorted(ambiguous)), columns)
    if dry_run:
        return report
    if not rows:
        raise InputError(
            f"'{_name(file)}' names none of the {len(table):,} images of '{table.name}', first '{plain_name(named[0])}'; give their paths."
        )
    edit = store.set_columns([str(found[row]) for row in rows], new, who)
    return ImportReport(report.rows, report.matched, report.missing, report.ambiguous, report.columns, edit)


def export_csv(store: TagStore, file: str | Path) -> int:
    """Writes what all images have, whole or not at all, so that `import_csv` reads the same; returns the number of images.

    Raises:
        InputError: no image has anything, or the file cannot be written.
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
    """Writes a table of the images that have a value of each of some attributes, which `likeness.data.read_dataset` reads: something to train and
    to judge by that stays the same while labeling goes on. It holds the images' absolute paths and all that is known about them. Returns their
    number.

    Raises:
        InputError: no such attribute, no image has it, or the file cannot be written or does not end in .csv.
    """
    if Path(file).suffix.lower() != ".csv":
        raise InputError(f"'{_name(file)}' does not end in .csv, by which it would be read as a table; name it so.")
    tagged = with_tags(table, store)
    frame = tagged.frame.iloc[labeled_rows(tagged, attributes)]
    if frame.empty:
        raise InputError(f"No image of '{table.name}' has a value of {' and '.join(attributes)}; label some first.")
    paths = [path if is_url(path) else name_to_text(str(table.root.absolute() / text_to_name(path))) for path in map(str, frame["path"])]
    _write(frame.assign(path=paths), file)
    return len(frame)


def _write(frame: pd.DataFrame, file: str | Path) -> None:
    try:
        write_atomic(as_path(file), csv_bytes(frame))
    except OSError as error:
        raise InputError(f"'{file}' cannot be written ({(error.strerror or str(error)).lower()}); make room there, or name another place.") from error


def match_images(table: ImageTable, names: Sequence[str]) -> tuple[list[str | None], set[str]]:
    """The path in the table that each name stands for, None where there is none; and the names that stand for several images.

    Args:
        names: paths as in the table, below its folder in full, or names of files alone, in any Unicode form. A backslash counts as a slash.
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
        raise InputError(f"'{_name(file)}' is no CSV file; save it as CSV.")
    frame = read_csv_cells(file, MOST_CSV_BYTES)
    names = [str(name) for name in frame.columns]
    if frame.empty or not 1 < len(names) <= _MOST_COLUMNS:
        raise InputError(f"'{_name(file)}' has {len(names):,} columns and {len(frame):,} rows; give a column of images, some of labels, and rows.")
    keys = [name_key(name.removeprefix(TAG_PREFIX)) for name in names]
    double = next((name for name, key in zip(names, keys, strict=True) if keys.count(key) > 1), None)
    if double is not None:
        raise InputError(f"'{_name(file)}' has the column '{plain_name(double)}' twice; rename one of them.")
    return frame, _path_column(names, path_column, _name(file))


def _path_column(names: list[str], wanted: str | None, file: str) -> str:
    lower = {name.lower(): name for name in names}
    found = wanted if wanted in names else next((lower[each] for each in PATH_COLUMNS if each in lower), None) if wanted is None else None
    if found is None:
        listed = ", ".join(f"'{plain_name(name)}'" for name in names[:20])
        raise InputError(f"'{file}' has no column {f'{wanted!r}' if wanted else 'of images'} among {listed}; call it 'path', or name it.")
    return found


def _column(store: TagStore, name: str, cells: "pd.Series[str]", rows: list[int], file: str) -> NewColumn:
    """What the chosen rows of a column say, checked with the row where something is wrong."""
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
        raise InputError(f"'{plain_name(cell)}' says neither that the tag is given nor that it is taken away; write yes or no.")
    return YES if cell.lower() in _TRUE else ""


def _name(file: str | Path) -> str:
    return plain_name(Path(file).name)
