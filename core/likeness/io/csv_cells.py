"""Read and write CSV files without changing the text of cells.

An empty cell is a missing value, because CSV cannot distinguish it from empty text. Text that a spreadsheet would run as a formula is written with a
leading apostrophe, which is removed when it is read.
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
    """The cells of a UTF-8 CSV file as text, "" if empty; column names are stripped. One apostrophe before a formula character is removed.

    Separators are comma, semicolon or tab; tab in a .tsv file. Empty trailing cells beyond the header, and columns without name and content, are
    dropped. So are the unnamed row numbers of tables written by R.

    Raises:
        InputError: the file is missing, unreadable, not UTF-8, longer than `longest` bytes or damaged, has no header, a duplicate column name, or a
            line with more cells than columns.
    """
    name = plain_name(path.name)
    try:
        size = regular_file(path).stat().st_size
        if longest is not None and size > longest:
            raise InputError(f"'{name}' has {size:,} bytes, more than the limit of {longest:,}; split it.")
        with path.open(encoding="utf-8-sig", newline="") as file:
            separator = "\t" if path.suffix.lower() == ".tsv" else _separator(file.read(_LOOKED_AT))
            file.seek(0)
            rows = [row for row in csv.reader(file, delimiter=separator, strict=True) if row]
    except UnicodeDecodeError as error:
        raise InputError(f"'{name}' is not text in UTF-8; save it again as CSV in UTF-8.") from error
    except csv.Error as error:
        raise InputError(f"'{name}' cannot be parsed ({error}); save it again as CSV with a header.") from error
    except (OSError, MemoryError) as error:
        reason = (getattr(error, "strerror", None) or "too little memory").lower()
        raise InputError(f"'{name}' cannot be read ({reason}); check that it exists and its permissions.") from error
    if not rows:
        raise InputError(f"'{name}' is empty; it needs a header and a line per row.")
    return _columns(rows[0], rows[1:], name)


def csv_rows(text: str) -> list[list[str]]:
    """The stripped cells of comma-separated text without header; empty lines are skipped, apostrophes handled as in `read_csv_cells`."""
    rows = ([_unguarded(cell.strip()).strip() for cell in row] for row in csv.reader(io.StringIO(text, newline="")))
    return [row for row in rows if any(row)]


def typed_columns(cells: pd.DataFrame) -> pd.DataFrame:
    """Converts the columns of `read_csv_cells` to types; an empty cell is missing. A column becomes integer (Int64 if values are missing), float or
    boolean only if writing it gives the same text for every cell: a column with "007", "1e1", "1.10", "NA" or a number of more than 64 bits stays
    text.

    Example:
        >>> typed_columns(pd.DataFrame({"a": ["1", "2"], "b": ["1", ""], "c": ["01", "2"], "d": ["1.5", "2.0"]})).dtypes.astype(str).to_dict()
        {'a': 'int64', 'b': 'Int64', 'c': 'str', 'd': 'float64'}
    """
    typed = {place: _typed(cells.iloc[:, place].tolist()) for place in range(len(cells.columns))}
    return pd.DataFrame(typed, index=cells.index).set_axis(cells.columns, axis=1)


def read_figures(file: Path, **options: Any) -> pd.DataFrame:
    """Reads a table of results written by `csv_bytes` with `pandas.read_csv` and its options; text is restored.

    Raises:
        OSError: it is not there or cannot be read.
    """
    found: pd.DataFrame = pd.read_csv(file, **options)
    for name in (name for name in found if found[name].dtype == "str"):
        found[name] = found[name].map(_unguarded, na_action="ignore").astype("str")  # also where all of it is missing
    return found.rename(columns=_unguarded)


def csv_bytes(frame: pd.DataFrame, header: bool = True) -> bytes:
    """A table as CSV, so that `read_csv_cells` and `typed_columns` read the same. Half of a surrogate pair is written as "\\udce9".

    Text or a column name that starts with a formula character, or with apostrophes before one, gets a leading apostrophe, so that no spreadsheet runs
    it; plain numbers are unchanged.

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
    """The cell as text, with a leading apostrophe if a spreadsheet would take it for a formula."""
    text = str(cell)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else cell


def _unguarded(text: str) -> str:
    return text[1:] if _GUARDED.match(text) else text


def _head(names: list[str]) -> str:
    """The header, quoted if a name contains another file's separator."""
    out, odd = io.StringIO(newline=""), any(set(name) & set(";\t\r") for name in names)
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL).writerow(names)
    return out.getvalue()


def _separator(text: str) -> str:
    """The separator found outside quotes in the first line; among several, the one that gives most of the next lines as many cells as the first."""
    line = re.split(r"[\r\n]", _QUOTED.sub(r"\1", text), maxsplit=1)[0]
    there = [each for each in SEPARATORS if each in line]
    if len(there) < 2:
        return (there or [","])[0]
    return max(there, key=lambda each: (_even_rows(text, each), line.count(each)))


def _even_rows(text: str, separator: str) -> int:
    """How many of the first lines have as many cells as the header, without empty trailing cells."""
    lengths = [_length(row) for row in islice(_lenient(text, separator), _ROWS_LOOKED_AT)]
    return lengths.count(lengths[0]) if lengths else 0


def _lenient(text: str, separator: str) -> Iterator[list[str]]:
    try:
        yield from (row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row)
    except csv.Error:
        return


def _length(row: list[str]) -> int:
    """Number of cells without empty trailing ones."""
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
    """Drops unnamed row numbers, as R writes them, from lines with one cell more than the header. Only distinct integers count: otherwise it is
    ambiguous whether the first or the last column lacks its name.
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
    """64-bit integers if every cell is the canonical text of one; else an empty list."""
    try:
        numbers = list(map(int, cells))
    except ValueError:
        return []
    fit = numbers and min(numbers) >= -_LARGEST and max(numbers) < _LARGEST and list(map(str, numbers)) == cells
    return numbers if fit else []


def _numbers(cells: list[str]) -> list[float]:
    """Floats if every cell is written as Python writes one, with a point or exponent, and no two texts are the same number; else an empty list."""
    try:
        numbers = list(map(float, cells))
    except ValueError:
        return []
    words = "nan" in cells or not any(map(math.isfinite, numbers)) or ("-0.0" in cells and "0.0" in cells)
    return numbers if not words and list(map(repr, numbers)) == cells else []
