"""Tables as CSV files: cells are texts, and stay what they were written as.

An empty cell is a missing value: CSV cannot tell it from a text without signs. A text that a spreadsheet would run as a formula is written with an
apostrophe before it, which is taken away when it is read.
"""

import csv
import io
import math
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from likeness.errors import InputError
from likeness.io.confinement import regular_file
from likeness.io.text import plain_name

SEPARATORS = ",;\t"
_QUOTED = re.compile(rf'(^|[{SEPARATORS}])[ ]*"(?:[^"]|"")*"')
_WHOLE = re.compile(r"-?[1-9][0-9]*|0")
_LOOKED_AT = 1 << 16  # characters by which the separator is found
_ROWS_LOOKED_AT = 100
_LARGEST = 2**63
_TRUTHS = {"True": True, "False": False}
# Signs by which spreadsheets know a formula (OWASP, "CSV injection"), the last four in full width.
_FORMULA_SIGNS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
_FORMULA, _GUARDED = re.compile(f"'*[{_FORMULA_SIGNS}]"), re.compile(f"'+[{_FORMULA_SIGNS}]")
_FIRST_SIGNS = frozenset("'=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # by which most cells are passed over
_DIGITS = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"[+-]?{_DIGITS}(?: ± {_DIGITS})?|[+-]inf")  # also one with its spread, as our tables show them: a spreadsheet runs neither

csv.field_size_limit(1 << 30)  # a cell of captions or outlines may pass the 131,072 signs that are the module's own limit


def read_csv_cells(path: Path, longest: int | None = None) -> pd.DataFrame:
    """The cells of a CSV file in UTF-8 as texts, "" where one is empty; the names of its columns without blanks around them. Of apostrophes before a
    sign of a formula one is taken away.

    Comma, semicolon or tab stand between the cells, a tab in a .tsv file. Empty cells at the end of a line, beyond the names, are none, and a
    column without name and content is none. In a table that R wrote, whose lines begin with a row's number that has no name, the numbers are left
    out.

    Raises:
        InputError: it is not there, cannot be read, is no such text, has more than `longest` bytes, is damaged, has no line of names, a name twice,
            or a line with more cells than names.
    """
    name = plain_name(path.name)
    try:
        size = regular_file(path).stat().st_size
        if longest is not None and size > longest:
            raise InputError(f"'{name}' has {size:,} bytes, and {longest:,} are read at most; split it.")
        with path.open(encoding="utf-8-sig", newline="") as file:
            separator = "\t" if path.suffix.lower() == ".tsv" else _separator(file.read(_LOOKED_AT))
            file.seek(0)
            rows = [row for row in csv.reader(file, delimiter=separator, strict=True) if row]
    except UnicodeDecodeError as error:
        raise InputError(f"'{name}' is not text in UTF-8; save it again as CSV in UTF-8.") from error
    except csv.Error as error:
        raise InputError(f"'{name}' cannot be parsed ({error}); save it again as CSV with a line of column names.") from error
    except (OSError, MemoryError) as error:
        reason = (getattr(error, "strerror", None) or "too little memory").lower()
        raise InputError(f"'{name}' cannot be read ({reason}); check that it is there, and allow reading it.") from error
    if not rows:
        raise InputError(f"'{name}' is empty; it needs a line of column names and a line for each row.")
    return _columns(rows[0], rows[1:], name)


def csv_rows(text: str) -> list[list[str]]:
    """The lines of a text with commas between the cells and no line of names, without blanks around cells and without empty lines; of apostrophes as
    `read_csv_cells`.
    """
    rows = ([_unguarded(cell.strip()).strip() for cell in row] for row in csv.reader(io.StringIO(text, newline="")))
    return [row for row in rows if any(row)]


def typed_columns(cells: pd.DataFrame) -> pd.DataFrame:
    """The columns of `read_csv_cells` with their kinds; an empty cell is missing. A column is one of whole numbers (Int64 where some are missing),
    numbers or True and False only where writing it again gives the same text for every cell: "007", "1e1", "1.10", "NA" and numbers of more than
    64 bits stay texts, with all of their column.

    Example:
        >>> typed_columns(pd.DataFrame({"a": ["1", "2"], "b": ["1", ""], "c": ["01", "2"], "d": ["1.5", "2.0"]})).dtypes.astype(str).to_dict()
        {'a': 'int64', 'b': 'Int64', 'c': 'str', 'd': 'float64'}
    """
    typed = {place: _typed(cells.iloc[:, place].tolist()) for place in range(len(cells.columns))}
    return pd.DataFrame(typed, index=cells.index).set_axis(cells.columns, axis=1)


def read_figures(file: Path, **options: Any) -> pd.DataFrame:
    """A table of figures that `csv_bytes` wrote, as `pandas.read_csv` reads it by its options, with the texts as they were.

    Raises:
        OSError: it is not there or cannot be read.
    """
    found: pd.DataFrame = pd.read_csv(file, **options)
    for name in (name for name in found if found[name].dtype == "str"):
        found[name] = found[name].map(_unguarded, na_action="ignore").astype("str")  # also where all of it is missing
    return found.rename(columns=_unguarded)


def csv_bytes(frame: pd.DataFrame, header: bool = True) -> bytes:
    """A table as CSV, so that `read_csv_cells` and `typed_columns` read the same. Half of a surrogate pair is written as "\\udce9".

    A text, or name of a column, that begins with a sign of a formula gets an apostrophe before it, so that no spreadsheet runs it, and so does one
    with apostrophes before such a sign; what is plainly a number stays as it is.

    Example:
        >>> csv_bytes(pd.DataFrame({"name": ["=1+1", "'=1+1", "'tis", "-5"], "n": [-1, 2, 3, 4]})).decode().splitlines()
        ['name,n', "'=1+1,-1", "''=1+1,2", "'tis,3", '-5,4']
    """
    rows = frame.reset_index(drop=True)
    plain = pd.DataFrame({place: _guarded(rows.iloc[:, place]) for place in range(len(rows.columns))}, index=rows.index)
    text: str = plain.to_csv(index=False, header=False, lineterminator="\n")
    if "\r" in text:  # Python's writer puts a cell into quotes for the end of its own lines alone
        text = plain.to_csv(index=False, header=False, lineterminator="\n", quoting=csv.QUOTE_ALL)
    return ((_head([_guard(str(name)) for name in frame.columns]) if header else "") + text).encode("utf-8", "backslashreplace")


def _guarded(column: "pd.Series[Any]") -> "pd.Series[Any]":
    if column.dtype.kind in "biufcmM":  # numbers, truths and times
        return column
    return pd.Series([cell if str(cell)[:1] not in _FIRST_SIGNS else _guard(cell) for cell in column.tolist()], dtype=object)


def _guard(cell: Any) -> Any:
    """The cell, as a text with an apostrophe more where a spreadsheet would take it for a formula."""
    text = str(cell)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else cell


def _unguarded(text: str) -> str:
    return text[1:] if _GUARDED.match(text) else text


def _head(names: list[str]) -> str:
    """The line of names, in quotes where one of them holds what separates cells in other files."""
    out, odd = io.StringIO(newline=""), any(set(name) & set(";\t\r") for name in names)
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL).writerow(names)
    return out.getvalue()


def _separator(text: str) -> str:
    """The one that stands in the first line outside of quotes; of several that with which most of the next lines have as many cells as the first."""
    line = re.split(r"[\r\n]", _QUOTED.sub(r"\1", text), maxsplit=1)[0]
    there = [each for each in SEPARATORS if each in line]
    if len(there) < 2:
        return (there or [","])[0]
    return max(there, key=lambda each: (_even_rows(text, each), line.count(each)))


def _even_rows(text: str, separator: str) -> int:
    """How many of the first lines have as many cells as the line of names, those left out that are empty at the end."""
    lengths = [_length(row) for row in islice(_lenient(text, separator), _ROWS_LOOKED_AT)]
    return lengths.count(lengths[0]) if lengths else 0


def _lenient(text: str, separator: str) -> Iterator[list[str]]:
    try:
        yield from (row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row)
    except csv.Error:
        return


def _length(row: list[str]) -> int:
    """Cells without the empty ones at the end."""
    return next((place for place in range(len(row), 0, -1) if row[place - 1].strip()), 0)


def _columns(head: list[str], rows: list[list[str]], file: str) -> pd.DataFrame:
    names = [_unguarded(name.strip()).strip() for name in head[: _length(head)]]
    widest = max((_length(row) for row in rows if len(row) > len(names)), default=0)
    if widest > len(names) and len(names) < len(head):  # a column without a name but with content
        names += [_unguarded(name.strip()).strip() for name in head[len(names) : widest]]
    if widest > len(names):
        rows = _without_row_numbers(names, rows, file)
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"'{file}' has the column '{plain_name(twice)}' twice; rename one of them.")
    found = {place: [_unguarded(row[place]) if place < len(row) else "" for row in rows] for place in range(len(names))}
    kept = {place: cells for place, cells in found.items() if names[place] or any(cell.strip() for cell in cells)}
    frame = pd.DataFrame(kept, index=range(len(rows)), dtype=object)
    return frame.set_axis([names[place] for place in kept], axis=1)


def _without_row_numbers(names: list[str], rows: list[list[str]], file: str) -> list[list[str]]:
    """Lines that have a cell more than there are names: as R writes them, with the row's number first. Only distinct whole numbers are taken for
    that: with other words nobody can tell whether the first or the last column lacks its name.
    """
    firsts = {row[0] for row in rows}
    even = all(len(row) == len(names) + 1 for row in rows) and 2 * sum(row[-1].strip() != "" for row in rows) > len(rows)
    if even and len(firsts) == len(rows) and all(map(_WHOLE.fullmatch, firsts)):
        return [row[1:] for row in rows]
    number, row = next((number, row) for number, row in enumerate(rows, start=1) if _length(row) > len(names))
    raise InputError(
        f"Row {number} of '{file}' has {_length(row)} cells, and there are {len(names)} column names; give every column a name, and put a cell that "
        f"holds the separator in quotes."
    )


def _typed(cells: list[str]) -> "pd.Series[Any]":
    there = [cell for cell in cells if cell]
    missing = len(there) < len(cells)
    if there and there[0] in _TRUTHS and set(there) <= set(_TRUTHS):
        return pd.Series([_TRUTHS.get(cell) for cell in cells], dtype=object if missing else bool)
    numbers = _whole(there) or _numbers(there)
    if not numbers:
        return pd.Series([cell or None for cell in cells], dtype="str")
    rest = iter(numbers)
    values = [next(rest) if cell else None for cell in cells] if missing else numbers
    return pd.Series(values, dtype="float64" if isinstance(numbers[0], float) else "Int64" if missing else "int64")


def _whole(cells: list[str]) -> list[int]:
    """Whole numbers of 64 bits, if all cells are such as they are written; none otherwise."""
    try:
        numbers = list(map(int, cells))
    except ValueError:
        return []
    fit = numbers and min(numbers) >= -_LARGEST and max(numbers) < _LARGEST and list(map(str, numbers)) == cells
    return numbers if fit else []


def _numbers(cells: list[str]) -> list[float]:
    """Numbers, if all cells are written as Python writes one with a point or an exponent, and no two texts are one number; none otherwise."""
    try:
        numbers = list(map(float, cells))
    except ValueError:
        return []
    words = "nan" in cells or not any(map(math.isfinite, numbers)) or ("-0.0" in cells and "0.0" in cells)
    return numbers if not words and list(map(repr, numbers)) == cells else []
