"""Names that a spreadsheet would run as a formula: no table that a command writes has them as they are, and each is read again with them."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from likeness.io import csv_bytes, read_csv_cells
from likeness.notions import Notion, write_notion
from worlds import make_run

_NAMES = ("-1+cmd.png", "@SUM(1).png", "=HYPERLINK(1).png", "+1.png", "'=1.png", "''@1.png", "plain.png", "-a.jpg.png")
_VALUES = ("\t=1+1", '=HYPERLINK("http://127.0.0.1:9/?"&A1)', "@SUM(1+1)*cmd|' /C calc'!A0", "-1+cmd|x", "+1+1")
_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Images, two equal ones among them, with columns and values of such names."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for number, name in enumerate(_NAMES):
        Image.new("RGB", (32, 32), (30 * max(1, number), 90, 60)).save(folder / name)
    values = [_VALUES[number % 2] for number in range(len(_NAMES))]
    frame = pd.DataFrame({"path": list(_NAMES), "=class": values, "-n": range(-4, 4), "label": values})
    (folder / "table.csv").write_bytes(csv_bytes(frame))
    (folder / "other.csv").write_bytes(csv_bytes(frame.iloc[1:]))
    (folder / "given.csv").write_bytes(csv_bytes(frame[["path", "label"]].iloc[[1, 2]]))
    return folder / "table.csv"


def _formulas(content: str) -> list[str]:
    """The cells that a spreadsheet would run."""
    rows = csv.reader(io.StringIO(content, newline=""))
    return [cell for row in rows for cell in row if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)]


def _written(folder: Path) -> Iterator[Path]:
    yield from (file for file in sorted(folder.rglob("*.csv")) if file.stat().st_size)


LINES = [
    "tags export {table} {out}/a.csv",
    "tags export {table} {out}/a.csv --labeled =size",
    "export {table} csv {out}/a.csv",
    "export {table} csv {out}/a.csv -k 2 -e cars-small",
    "export {table} links {out}/links --link copy",
    "matches {table} --row 0 -e cars-small --out {out}/a.csv --answers {out}/b.csv --ask 3",
    "duplicates {table} --exact --out {out}/a.csv --format csv",
    "duplicates {table} -t 0.9 -e cars-small --out {out}/a.csv",
    "clusters {table} --by =class -e cars-small --out {out}/a.csv --format csv",
    "compare moved {table} --from @cars-small --to @cars --k 2 --out {out}/a.csv",
    "compare queries {table} --from @cars-small --to @cars --label =class --out {out}/a.csv --format csv",
    "compare versions {table} {other} -e cars-small --out {out}/a.csv",
    "spread {given} {table} -e cars-small --out {out}/a.csv --queue {out}/b.csv --format csv",
    "search {table} --row 0 -e cars-small --csv",
    "evaluate {table} -e cars-small --notions {notion} --methods raw,exact --seeds 1 --dims 2 --out {out}/a.csv --format csv",
    "analyze semantics {table} -e cars-small -a =class --language clip:cars --neighbors 2 --out {out}/a.csv --format csv",
    "tags list {table} --format csv",
    "runs list {runs} --format csv",
]


@pytest.mark.parametrize("line", LINES)
def test_no_table_that_is_written_holds_a_formula(line: str, table: Path, ok: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    notion = Notion("=1+1", "a {} car", list(_VALUES[:2]), attribute="=class")
    write_notion(tmp_path / "notion.yaml", notion)
    make_run(tmp_path / "runs" / "=1+1")
    if "tags" in line:
        ok("tags", "set", table, "@tag", "--all", "--who", "ada")
        ok("tags", "set", table, "=size", "--value", "-1+1", "--all", "--who", "ada")
        ok("tags", "set", table, "note", "--value", "=1+1", "--path", "@SUM(1).png", "--who", "ada")
    places = {"table": table, "out": out, "other": table.with_name("other.csv"), "given": table.with_name("given.csv")}
    places |= {"notion": tmp_path / "notion.yaml", "runs": tmp_path / "runs"}
    printed, _ = ok(*(word.format(**places) for word in line.split()))
    files = list(_written(out))
    tables = [file.read_text(encoding="utf-8") for file in files] + ([printed] if line.endswith("csv") else [])
    assert tables
    assert not [cell for content in tables for cell in _formulas(content)]
    assert any("'=" in content or "'@" in content or "'-" in content for content in tables)
    for file in files:
        cells = read_csv_cells(file)
        assert not any(cell.startswith(("'=", "'@", "'-", "'+")) for name in cells for cell in cells[name] if cell not in _NAMES)


def test_images_with_such_names_are_found_again(table: Path, ok: Any, tmp_path: Path) -> None:
    ok("export", table, "csv", table.with_name("again.csv"))
    assert lk.read(table.with_name("again.csv")).frame["path"].tolist() == lk.read(table).frame["path"].tolist() == list(_NAMES)
    ok("tags", "set", table, "@tag", "--all", "--who", "ada")
    ok("tags", "export", table, tmp_path / "tags.csv")
    ok("tags", "remove", table, "@tag", "--all", "--who", "ada")
    printed, _ = ok("tags", "import", table, tmp_path / "tags.csv", "--who", "ada")
    assert f"{len(_NAMES)} of {len(_NAMES)} rows name an image" in printed
    ok("export", table, "links", tmp_path / "links", "--link", "copy")
    assert sorted(lk.read(tmp_path / "links" / "metadata.csv").frame["path"]) == sorted(_NAMES)
