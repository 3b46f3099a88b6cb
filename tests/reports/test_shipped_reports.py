"""The reports in docs/reports, which README links."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from likeness.commands.inputs import composition_named
from likeness.reports import ReportOptions, notion_report
from worlds import cars

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.append(str(DOCS))
from write_reports import FOLDER, REPORTS  # noqa: E402


def test_they_are_small_and_load_nothing_from_elsewhere() -> None:
    assert {file.name for file in FOLDER.iterdir()} == set(REPORTS)
    for name in REPORTS:
        text = (FOLDER / name).read_text()
        assert len(text) < 1_000_000
        assert 'http-equiv="Content-Security-Policy" content="default-src \'none\';' in text
        assert re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', text) == []


@pytest.mark.parametrize("name", [name for name, command in REPORTS.items() if "--notion" in command])
def test_their_figures_are_those_of_today(name: str) -> None:
    words = shlex.split(REPORTS[name])
    notion = composition_named(words[words.index("--notion") + 1])
    text = (FOLDER / name).read_text()
    for table in notion_report(cars(), notion, ReportOptions(images=3, layout="pca")).tables:
        for _, *values in table.rows:
            assert "".join(f"<td>{value}</td>" for value in values if value[:1].isdigit()) in text
