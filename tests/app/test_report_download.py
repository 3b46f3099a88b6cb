"""A report to share from the pages Notions and Runs, without a browser."""

from pathlib import Path
from typing import Any

import pytest

from app_page import Page
from background import jobs
from likeness import training
from likeness.reports import ReportOptions
from likeness.training import RunFolder
from small_report import small_report
from worlds import make_run, serve, visit


def _make(app: Page, kind: str) -> bytes:
    """Clicks, waits for the file and returns it."""
    app.click(f"make_report_{kind}").wait("report")
    job = jobs().all("report")[-1]
    assert job.error is None
    content: bytes = job.result
    return content


def _downloads(app: Page) -> list[str]:
    return [each.proto.label for each in app.get("download_button") if each.proto.label.startswith("Download the report")]


def test_a_notions_report_is_made_and_offered_until_the_notion_changes(app: Page) -> None:
    content = _make(app.open("notions"), "notion")
    assert content.startswith(b"<!doctype html>")
    assert len(content) < 5_000_000
    assert _downloads(app) == [f"Download the report ({len(content) / 1e6:.1f} MB)"]
    assert _downloads(app.fill("number_input", "dim_", 4)) == []
    assert "Make a report to share" in app.labels


@pytest.fixture
def run(tmp_path: Path, app: Page, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run that has weights, of images in a root of this shared server."""
    changes = {"data.source": "photos/birds", "data.attribute": "class", "guidance": None}
    folder = make_run(tmp_path / "runs" / "mine", training.Status("finished", 4, 4), changes=changes)
    folder.best.write_bytes(b"")
    (tmp_path / "photos" / "birds").mkdir(parents=True)
    serve(monkeypatch, shared=True, roots={"photos": str(tmp_path / "photos")}, training=True)
    visit(monkeypatch)
    return folder


def test_a_runs_report_reads_its_images_where_the_visitor_may(
    app: Page, run: RunFolder, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def fake(run: RunFolder, options: ReportOptions, *, config: training.RunConfig, **_: Any) -> Any:
        asked.append(config.data.source)
        options.progress(1, 2, "Reading the images")
        return small_report(tmp_path / "small", options=options)

    monkeypatch.setattr("shared.report_download.run_report", fake)
    assert _make(app.open("runs"), "run").startswith(b"<!doctype html>")
    assert asked == [str(tmp_path / "photos" / "birds")]
    assert len(_downloads(app)) == 1
    foreign = cache / "visitors" / "somebody" / "uploads" / "cats"
    foreign.mkdir(parents=True)
    (run.path / "config.yaml").write_text(training.as_yaml(training.with_changes(run.config(), {"data.source": str(foreign)})))
    app = app.fresh("layout").open("runs")
    assert "Make a report to share" not in app.labels
    (said,) = [each.value for each in app.caption if each.value.startswith("No report can be made")]
    assert "somebody" not in said
