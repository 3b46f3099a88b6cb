"""CSV files: what is written is read again, cells are not guessed at, and what cannot be read is told."""

import ast
import csv
import io
import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings, strategies as st

from likeness.errors import InputError
from likeness.io import csv_bytes, csv_rows, read_csv_cells, read_figures, typed_columns

_ROOT = Path(__file__).resolve().parents[2]
_SIGNS = st.characters(codec="utf-8") | st.sampled_from(" ,;\t'\"\r\n=+-@\uff1d")
_FORMULAS = (
    '=HYPERLINK("http://127.0.0.1:9/"&A1)',
    "@SUM(1)",
    "-1+cmd|' /C calc'!A0",
    "+1+1",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1+1",
    "'=1",
    "''=1",
    "'",
    "'tis",
)
_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_WORDS = ("NA", "None", "null", "nan", "inf", "True", "true", "007", "01", "1", "1.1", "1.10", "1e1", "10", "-0", "-0.0", "0.0", "+5", "1_0", "９")
_SPREADS = ("-0.1 ± 0.2", "-0.1 ± =1", "-0.1 ±")
_CELLS = st.text(_SIGNS, max_size=6) | st.sampled_from(
    (*_WORDS, *_FORMULAS, *_SPREADS, "7706992903151817196", "7706992903151817197", "99999999999999999999", " 1", "1 ")
)
_NAMES = st.lists(st.text(_SIGNS, min_size=1, max_size=5).map(str.strip).filter(lambda name: name and name[0] != "\ufeff"), min_size=1, unique=True)
# whole columns of a kind; missing is None
_COLUMNS = st.sampled_from(
    (
        _CELLS,
        st.integers(-(2**63), 2**63 - 1),
        st.integers(-(2**63), 2**63 - 1) | st.none(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.booleans(),
    )
)


def _read(content: str | bytes, name: str = "t.csv", **options: int) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_csv_cells(path, **options)


def _is_number(cell: str) -> bool:
    """Also one with its spread, as `-0.1 ± 0.2`."""
    cell, _, spread = cell.partition(" ± ")
    if spread and not (spread[:1] in "0123456789." and _is_number(spread)):
        return False
    try:
        return float(cell) == float(cell) and "_" not in cell and cell.isascii() and cell == cell.strip()
    except ValueError:
        return False


def _taken_away(cell: str) -> str:
    """As a cell of another program's file is read."""
    bare = cell.lstrip("'")
    return cell[1:] if bare != cell and _FORMULA.match(bare) else cell


def _with(separator: str, names: list[str], rows: list[list[str]]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    return out.getvalue()


@st.composite
def _frames(draw: st.DrawFn) -> pd.DataFrame:
    names, count = draw(_NAMES), draw(st.integers(1, 5))
    columns = {name: draw(st.lists(draw(_COLUMNS), min_size=count, max_size=count)) for name in names}
    return pd.DataFrame({name: pd.Series(cells, dtype="Int64" if None in cells else None) for name, cells in columns.items()})


@settings(max_examples=300, deadline=None)
@given(_frames())
@example(pd.DataFrame({"path": ["a"], "a;b;c;d": ["x"]}))
@example(pd.DataFrame({"a": ["one\rline"], "b": ["x"]}))
def test_what_is_written_is_read_again_with_its_kind(frame: pd.DataFrame) -> None:
    found = typed_columns(_read(csv_bytes(frame)))
    assert found.columns.tolist() == frame.columns.tolist()
    for name in frame:
        written, read = frame[name].astype(object), found[name].astype(object)
        if pd.api.types.is_numeric_dtype(frame[name]) and not set(written) & {0.0, -0.0}:  # the two zeros are one number with two texts
            assert pd.api.types.is_numeric_dtype(found[name]) or frame[name].isna().all()
            assert read.isna().tolist() == written.isna().tolist()
            assert read.dropna().tolist() == written.dropna().tolist()
        texts = ["" if value is None or value is pd.NA else str(value) for value in written]
        assert ["" if pd.isna(value) else str(value) for value in read] == texts


@settings(max_examples=300, deadline=None)
@given(_frames())
@example(pd.DataFrame({text.strip(): [text] for text in _FORMULAS[:4]}))
def test_no_cell_that_is_written_is_a_formula(frame: pd.DataFrame) -> None:
    for row in csv.reader(io.StringIO(csv_bytes(frame).decode(), newline="")):
        assert not [cell for cell in row if _FORMULA.match(cell) and not _is_number(cell)]


@pytest.mark.parametrize("text", [*_FORMULAS, "-a.jpg", "@x.jpg", "a", ""])
def test_a_text_and_a_name_are_read_as_they_were_written(text: str) -> None:
    kinds = {"texts": pd.Series([text, "b"]), "objects": pd.Series([text, 3], dtype=object), "kinds": pd.Categorical([text, "b"])}
    found = _read(csv_bytes(pd.DataFrame(kinds)))
    assert found.iloc[0].tolist() == [text] * 3
    assert _read(csv_bytes(pd.DataFrame({"path": ["a"], text.strip() or "b": ["c"]}))).columns.tolist() == ["path", text.strip() or "b"]
    assert csv_rows(csv_bytes(pd.DataFrame([["a", text]]), header=False).decode()) == [["a", text.strip()]]


def test_numbers_stay_as_they_are() -> None:
    texts = ["-5", "+1.5e3", "-.5", "+3.", "-inf", "-1e-05"]
    written = csv_bytes(pd.DataFrame({"text": texts, "n": [-1.5, -2, 3, -4e300, -np.inf, 0], "m": [-1, -2, -3, -4, -5, -6]}))
    assert written.decode().splitlines()[1:3] == ["-5,-1.5,-1", "+1.5e3,-2.0,-2"]
    assert _read(written)["text"].tolist() == texts


def test_figures_are_read_with_the_kinds_that_pandas_sees(tmp_path: Path) -> None:
    frame = pd.DataFrame({"=row": ["+ELG", "'-x", None], "seed": [0, 1, 2], "gain": [-0.5, 1.0, None], "refused": [np.nan] * 3})
    (tmp_path / "runs.csv").write_bytes(csv_bytes(frame))
    pd.testing.assert_frame_equal(read_figures(tmp_path / "runs.csv"), frame, check_dtype=False)
    assert read_figures(tmp_path / "runs.csv").dtypes.astype(str).tolist() == ["str", "int64", "float64", "float64"]
    assert read_figures(tmp_path / "runs.csv", dtype={"refused": str}).dtypes["refused"] == "str"


def test_tables_are_written_as_csv_in_one_place() -> None:
    """Elsewhere nothing writes CSV by itself: what it writes would be run by a spreadsheet."""
    writers, found = {"to_csv", "writerow", "writerows", "DictWriter", "savetxt"}, set()
    for folder in ("core", "app", "experiments"):
        for file in (file for file in (_ROOT / folder).rglob("*.py") if "tests" not in file.parts):
            called = {node.attr for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Attribute)}
            found |= {file.relative_to(_ROOT).as_posix()} if called & writers else set()
    assert found == {"core/likeness/io/csv_cells.py"}


@settings(max_examples=200, deadline=None)
@given(st.data(), _NAMES, st.integers(1, 4), st.sampled_from((",", ";", "\t")))
def test_cells_are_read_with_each_separator_as_they_were_written(data: st.DataObject, names: list[str], count: int, separator: str) -> None:
    rows = [[data.draw(_CELLS) for _ in names] for _ in range(count)]
    expected = [_taken_away(name).strip() for name in names]
    assume(len(set(expected)) == len(names) and all(expected))
    found = _read(_with(separator, names, rows))
    assert found.columns.tolist() == expected
    assert found.to_numpy().tolist() == [[_taken_away(cell) for cell in row] for row in rows]


@settings(max_examples=300, deadline=None)
@given(st.lists(_CELLS, min_size=1, max_size=5))
def test_a_column_gets_a_kind_only_where_writing_it_gives_the_same_texts(cells: list[str]) -> None:
    typed = typed_columns(pd.DataFrame({"a": cells}))
    assert _read(csv_bytes(typed))["a"].tolist() == cells
    assert typed["a"].nunique() == len(set(cells) - {""})


@pytest.mark.parametrize(
    ("cells", "dtype", "values"),
    [
        (["1", "2"], "int64", [1, 2]),
        (["1", ""], "Int64", [1, None]),
        (["1.5", "2.0", ""], "float64", [1.5, 2.0, None]),
        (["True", "False"], "bool", [True, False]),
        (["True", ""], "object", [True, None]),
        (["true", "false"], "str", ["true", "false"]),
        (["001", "1", "01"], "str", ["001", "1", "01"]),
        (["1.1", "1.10"], "str", ["1.1", "1.10"]),
        (["1e1", "10"], "str", ["1e1", "10"]),
        (["1.5", "2"], "str", ["1.5", "2"]),
        (["nan", "1.5"], "str", ["nan", "1.5"]),
        (["None", "NA", "null", ""], "str", ["None", "NA", "null", None]),
        (["inf"], "str", ["inf"]),
        (["7706992903151817196", "7706992903151817197", ""], "Int64", [7706992903151817196, 7706992903151817197, None]),
        (["-9223372036854775808", "9223372036854775807"], "int64", [-(2**63), 2**63 - 1]),
        (["9223372036854775808", "1"], "str", ["9223372036854775808", "1"]),
        (["99999999999999999998", "99999999999999999999"], "str", ["99999999999999999998", "99999999999999999999"]),
        (["", ""], "str", [None, None]),
    ],
)
def test_kinds_of_columns(cells: list[str], dtype: str, values: list[object]) -> None:
    typed = typed_columns(pd.DataFrame({"a": cells}))["a"]
    assert str(typed.dtype) == dtype
    assert [None if pd.isna(value) else value for value in typed.astype(object)] == values


@pytest.mark.parametrize(
    ("content", "names", "rows"),
    [
        ("path,label\na,x,\nb,y,\n", ["path", "label"], [["a", "x"], ["b", "y"]]),
        ("path,mask,label\na,m,x,,\nb,n,,,\n", ["path", "mask", "label"], [["a", "m", "x"], ["b", "n", ""]]),
        ("path,label,,\na,x,,\n", ["path", "label"], [["a", "x"]]),
        ('"path","label"\n"1","a","x"\n"3","b","y"\n', ["path", "label"], [["a", "x"], ["b", "y"]]),
        ('"path";"label"\n"2";"a";"x"\n"1";"b";""\n"3";"c";"z"\n', ["path", "label"], [["a", "x"], ["b", ""], ["c", "z"]]),
        (" path , label \na, x \n", ["path", "label"], [["a", " x "]]),
        ('path,"x;y;z;u"\na,"1;2;3;4"\n', ["path", "x;y;z;u"], [["a", "1;2;3;4"]]),
        ('"a,b,c,d";path\n1;x\n', ["a,b,c,d", "path"], [["1", "x"]]),
        ("path;width\na;1,5\nb;2,5\n", ["path", "width"], [["a", "1,5"], ["b", "2,5"]]),
        ("path,label\na\n\nb,y\n", ["path", "label"], [["a", ""], ["b", "y"]]),
        ("\ufeffpath,label\r\na,x\r\n", ["path", "label"], [["a", "x"]]),
        ("path,label\ra,x\r", ["path", "label"], [["a", "x"]]),
        ("path,,label,\na,,x,\n", ["path", "label"], [["a", "x"]]),
        (",path,label\n0,a,x\n", ["", "path", "label"], [["0", "a", "x"]]),
        ("path,label,\na,x,more\n", ["path", "label", ""], [["a", "x", "more"]]),
    ],
)
def test_forms_of_files(content: str, names: list[str], rows: list[list[str]]) -> None:
    found = _read(content)
    assert found.columns.tolist() == names
    assert found.to_numpy().tolist() == rows


def test_a_cell_may_be_long_and_a_tab_separates_in_a_tsv_file() -> None:
    assert len(_read(f"path,outline\na,{'1 ' * 100_000}\n")["outline"][0]) == 200_000
    assert _read("path\ta,b,c\nx\t1,2,3\n", "t.tsv").columns.tolist() == ["path", "a,b,c"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"'t\.csv' is empty; it needs a header"),
        ("path,label\na,x\nb,y,z\n", r"Row 2 of 't\.csv' has 3 cells, and there are 2 column names"),
        ("path,label\na,x,\nb,y,z\n", r"Row 2 of 't\.csv' has 3 cells"),
        ("id,path,mask\n1,a,m,\n2,b,n,\n3,c,o,x\n", r"Row 3 of 't\.csv' has 4 cells"),
        ("path,mask\na,m,x\nb,n,y\n", r"Row 1 of 't\.csv' has 3 cells"),  # which column lacks its name nobody can tell
        ('path,label\n"a,x\n', r"'t\.csv' cannot be parsed \(unexpected end of data\)"),
        ("path,label, label\na,x,y\n", r"'t\.csv' has the column 'label' twice"),
        ("path,größe\n".encode("cp1252"), r"'t\.csv' is not text in UTF-8"),
        ("path,label\na,x\n".encode("utf-16"), r"'t\.csv' is not text in UTF-8"),
    ],
)
def test_what_cannot_be_read_is_told(content: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        _read(content)


def test_a_file_that_is_gone_or_too_long_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'none\.csv' cannot be read \(no such file"):
        read_csv_cells(tmp_path / "none.csv")
    with pytest.raises(InputError, match="has 11 bytes, more than the limit of 10"):
        _read("path,label\n", longest=10)


def test_rows_without_names() -> None:
    assert csv_rows('a, "b"\n\n ,\nc,"d, e",f\n') == [["a", '"b"'], ["c", "d, e", "f"]]


def test_signs_that_are_no_text_are_written_as_text() -> None:
    assert csv_bytes(pd.DataFrame({"path": pd.Series(["caf\udce9.png"], dtype=object), "n": [np.float32(0.1)]})) == b"path,n\ncaf\\udce9.png,0.1\n"
