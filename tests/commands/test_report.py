"""`likeness report` as a person meets it."""

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_a_notion_as_one_file(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "color.html"
    status, _, err = run("report", "cars", "--notion", "car-color", "--out", str(out), "--images", "40", "--layout", "pca", "--color", "body_type")
    assert status == 0
    assert f"{out}: 40 images" in err
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cars"], "Name what the report is of"),
        (["cars", "-n", "car-color", "--run", "x"], "Name what the report is of"),
        (["-n", "car-color"], "A notion's report needs images"),
        (["cars", "--run", "x"], "leave SOURCE"),
        (["--run", "nothing-here"], "There is no run in"),
        (["cars", "-n", "nothing-here"], "nothing-here"),
        (["cars", "-n", "car-color", "--layout", "globe"], "no layout method 'globe'"),
        (["cars", "-n", "car-color", "--color", "weight"], "no attribute 'weight' to color by"),
        (["cars", "-n", "car-color", "--megabytes", "nan"], "megabytes"),
        (["cars", "-n", "car-color", "--out", "file/x.html"], "x.html"),
    ],
)
def test_wrong_input_is_one_line(words: list[str], message: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("no folder")
    status, printed, err = run("report", *words)
    assert status == 2
    assert message in err
    assert "Traceback" not in printed + err
    assert not list(tmp_path.glob("*.html"))


def test_a_file_that_is_there_is_kept(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("report.html").write_text("mine")
    status, _, err = run("report", "cars", "-n", "car-color")
    assert status == 2
    assert "is there already" in err
    assert Path("report.html").read_text() == "mine"
