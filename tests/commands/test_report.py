"""`likeness report` as a person meets it."""

from pathlib import Path

import pytest

from worlds import Run


def test_a_notion_as_one_file(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "color.html"
    status, _, err = run("report", "cars", "--notion", "car-color", "--out", str(out), "--images", "40", "--layout", "pca", "--color", "body_type")
    assert status == 0
    assert f"{out}: 40 images" in err
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_file_that_is_there_is_kept(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("report.html").write_text("mine")
    status, _, err = run("report", "cars", "-n", "car-color")
    assert status == 2
    assert "is there already" in err
    assert Path("report.html").read_text() == "mine"
