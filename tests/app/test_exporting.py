"""Exports from the page Explore: each target's file is read by its own reader; what it may take, whose it is, how it goes; and reports."""

import shlex
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import likeness as lk
from api import picture_routes
from app_page import Page
from likeness import training
from likeness.exports import TARGETS, Written
from likeness.notions import get_notion
from likeness.reports import ReportOptions
from likeness.training import RunFolder
from server import export_files, visitor_data
from server.backup import back_up
from server.export_files import Room, write_download
from server.jobs import Job, jobs
from server.visitors import own_dir
from small_report import small_report
from waiting import wait_until
from worlds import ADA, BEN, cars, make_run, serve, visit

ROWS = np.arange(0, 180, 3)


@pytest.fixture
def form(app: Page) -> Page:
    """The page with 60 images selected and the form open."""
    app.session_state["rows"] = ROWS
    app.session_state["export_is_open"] = True
    app.visit(a="Car color")
    return app


def _ended(app: Page) -> Job:
    app.click("make_export").wait("export")
    return jobs().all("export")[-1]


def _made(app: Page) -> Path:
    job = _ended(app)
    assert job.error is None
    (link,) = (each.proto for each in app.get("link_button"))
    assert (link.label.split()[1], link.url) == (job.result.file.name, f"./exports/{job.result.file.parent.name}")
    file: Path = job.result.file
    return file


def _export(app: Page, target: str, to: Path) -> Path:
    """The file, or the folder that was in it, somewhere else."""
    app.set("export_target", target)
    file = _made(app)
    assert file.name.startswith("synthetic-cars." if target in ("csv", "parquet") else f"synthetic-cars-{target}")
    if file.suffix != ".zip":
        return file.rename(to / file.name)
    with zipfile.ZipFile(file) as packed:
        assert packed.testzip() is None
        assert all(name.startswith(f"{file.stem}/") and ".." not in name for name in packed.namelist())
        packed.extractall(to)
    assert not any(path.is_symlink() for path in to.rglob("*"))
    assert not file.with_suffix("").exists()  # what was packed
    return to / file.stem


def _as_here(found: lk.Space) -> bool:
    expected = cars().refit(get_notion("car-color"))
    return np.allclose(found.vectors, expected.vectors[ROWS], atol=1e-6) and found.table.frame["path"].tolist() == _paths()


# By target: what is chosen, whether the file holds what it should, and the controls; None where nothing is looked at, since tests/exports reads all
# of them, and test_browser_walks.py a COCO file
CHECKS: dict[str, tuple[dict[str, Any], Callable[[Path], Any] | None, set[str] | None]] = {
    "csv": ({}, lambda place: pd.read_csv(place)["path"].tolist() == _paths(), {"neighbors"}),
    "parquet": ({"vectors": True}, lambda place: lk.load(place).table.frame["path"].tolist() == _paths(), None),
    "coco": ({}, None, None),
    "yolo": ({"val": 0.5, "label": "body_type"}, lambda place: len(list(place.glob("*/*/*.webp"))) == len(ROWS), {"label", "split", "val"}),
    "links": ({}, lambda place: lk.read(place / "metadata.csv").file(0).read_bytes() == lk.read("cars").file(int(ROWS[0])).read_bytes(), None),
    "lancedb": ({}, None, {"name"}),
    "faiss": ({}, lambda place: _as_here(lk.load(f"faiss:{place}")), None),
    "notion": ({}, lambda place: len(np.load(place / "U.npy")) == cars().vectors.shape[1], set()),
    "fiftyone": ({}, None, {"labels", "vectors"}),
}


def _paths() -> list[str]:
    return [str(path) for path in lk.read("cars").frame["path"].iloc[ROWS]]


@pytest.mark.long
def test_every_target_is_offered_and_its_file_holds_what_was_selected(form: Page, tmp_path: Path) -> None:
    assert form.at("export_target").options == [TARGETS[name].title for name in CHECKS]
    assert {name for name, each in TARGETS.items() if each.takes != "run"} == set(CHECKS)
    for target, (chosen, holds, controls) in CHECKS.items():
        form.set("export_target", target)
        assert TARGETS[target].help in [each.value for each in form.caption]
        kinds = ("selectbox", "multiselect", "slider", "number_input", "checkbox", "text_input")
        keys = {str(each.key).removeprefix("export_") for kind in kinds for each in getattr(form, kind) if str(each.key).startswith("export_")}
        assert controls in (None, keys - {"target"})
        if holds is None:
            continue
        if chosen:
            form.enter(**{f"export_{name}": value for name, value in chosen.items()})
        place = _export(form, target, tmp_path)
        assert holds(place), target
        files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
        assert not any(path in file.read_bytes() for file in files for path in (bytes(lk.read("cars").root), bytes(tmp_path)))


def test_a_table_has_labels_by_hand_and_a_later_one_takes_its_place(form: Page, tmp_path: Path) -> None:
    from likeness.data import SHIPPED_CARS
    from server.hand_labels import edit_labels

    def label(value: str) -> None:
        edit_labels(SHIPPED_CARS, lk.read("cars"), lambda store, who: store.set_value(_paths()[:2], "paint", value, who))
        form.run()

    label("matt")
    assert pd.read_csv(_export(form, "csv", tmp_path))["paint"].dropna().tolist() == ["matt", "matt"]
    label("shiny")
    first = _made(form)
    form.set("export_neighbors", 2)
    assert _made(form).exists()
    assert not first.exists()
    assert form.set("export_neighbors", 0).has("make_export")  # the file is gone, so it is offered anew
    assert _made(form).exists()
    form.session_state["rows"] = np.empty(0, np.int64)
    assert len(pd.read_csv(_export(form.run(), "csv", tmp_path))) == 2_000


def test_the_command_that_is_shown_does_the_same(form: Page, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def commands() -> list[str]:
        return [each.value for each in form.code if each.value.startswith("likeness export")]

    form.set("export_target", "faiss")
    (first,) = commands()
    assert first == "likeness export cars faiss faiss/ --only images.txt --encoder cars --notion car-color --portable"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "images.txt").write_text("\n".join(_paths()))
    assert run(*shlex.split(first)[1:])[0] == 0
    assert _as_here(lk.load(f"faiss:{tmp_path}/faiss"))
    form.set("export_target", "yolo").set("export_val", 0.5)
    assert commands()[0] == "likeness export cars yolo yolo/ --only images.txt --label body_type --val 0.5 --portable"


def test_what_fails_is_told_in_a_sentence_and_leaves_nothing(form: Page, cache: Path) -> None:
    form.set("export_target", "yolo").set("export_label", "yaw")
    before = _ended(form)
    assert all("would have no image in 'train'" in said for said in (str(before.error), form.alerts))
    assert list((cache / "exports").iterdir()) == []
    form.press("Try again").wait("export")
    assert jobs().all("export")[-1] is not before


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shared server that keeps 1 MB for a visitor; ada asks."""
    serve(monkeypatch, shared=True, visitor_uploads_gb=0.001)
    visit(monkeypatch)


def _download(folder: Path, size: int = 10, most: float | None = None) -> Job:
    def write(place: Path, progress: Any) -> Written:
        place.write_bytes(b"x" * size)
        progress(1, 1)
        return Written(1, str(place), f"Open with: x {place}")

    job = Job("export", "a.csv", "Export", lambda job: write_download(job, Room(folder, most), "a.csv", write))
    assert job.wait(60)
    return job


def test_a_visitor_fills_no_disk(app: Page, shared: None, cache: Path, tmp_path: Path) -> None:
    app.session_state["export_is_open"] = True
    app.run()
    for target in ("links", "lancedb"):
        assert "is larger than the 0.001 GB that this server allows" in str(_ended(app.set("export_target", target)).error)
    assert list((cache / "visitors" / ADA / "exports").iterdir()) == []
    folder = tmp_path / "exports"
    assert "is larger than" in str(_download(folder, 2_000, 1e-6).error)
    assert list(folder.iterdir()) == []
    made = _download(folder, 900, 1e-6).result
    assert (made.file.read_bytes(), made.note) == (b"x" * 900, "Open with: x a.csv")
    assert _download(folder, 900, 1e-6).error is None  # the one before makes room
    assert len(list(folder.iterdir())) == 1


def test_what_is_stopped_leaves_nothing_and_what_is_under_way_stays(tmp_path: Path) -> None:
    begun, never, folder = threading.Event(), threading.Event(), tmp_path / "exports"

    def write(place: Path, progress: Any) -> Written:
        place.write_bytes(b"x")
        begun.set()
        while not never.wait(0.001):
            progress(0, 1)
        raise AssertionError

    job = Job("export", "slow", "Export", lambda job: write_download(job, Room(folder, None), "slow.csv", write))
    assert begun.wait(60)
    assert _download(folder).succeeded
    assert len(list(folder.iterdir())) == 2
    job.stop()
    assert job.wait(60)
    assert job.error is None
    assert [file.name for file in folder.rglob("*.csv")] == ["a.csv"]


def test_a_file_is_served_to_whom_it_was_made_for_until_its_hour_or_housekeeping(
    shared: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, made = TestClient(Starlette(routes=picture_routes.ROUTES)), _download(own_dir() / "exports").result
    answer = client.get(made.url)
    assert (answer.status_code, answer.content) == (200, b"x" * 10)
    assert answer.headers["content-disposition"] == 'attachment; filename="a.csv"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    visit(monkeypatch, BEN)
    assert client.get(made.url).status_code == 404
    visit(monkeypatch)
    for odd in ("nope", "..", "%2e%2e", "*", "x" * 3_000):
        assert client.get(f"/exports/{odd}").status_code == 404
    export_files.remove_ended(own_dir() / "exports")
    assert "has been removed" in client.get(made.url).text
    monkeypatch.setattr(export_files, "_KEPT_S", 0.0)
    gone = _download(own_dir() / "exports").result.file.parent
    wait_until(lambda: not gone.exists())
    monkeypatch.setattr(export_files, "_KEPT_S", 3600.0)
    left = _download(own_dir() / "exports").result.file
    assert back_up(tmp_path / "copy.tar") == 0
    visitor_data.remove_leftovers(0)  # as of what a killed server left
    assert not left.exists()


def _downloads(app: Page) -> list[str]:
    return [each.proto.label for each in app.get("download_button") if each.proto.label.startswith("Download the report")]


def _report(app: Page, kind: str) -> bytes:
    """Clicks, waits for the file and returns it."""
    app.click(f"make_report_{kind}").wait("report")
    job = jobs().all("report")[-1]
    assert job.error is None
    content: bytes = job.result
    assert content.startswith(b"<!doctype html>")
    return content


def test_a_notions_report_is_made_and_offered_until_the_notion_changes(app: Page) -> None:
    content = _report(app.open("notions"), "notion")
    assert len(content) < 5_000_000
    assert _downloads(app) == [f"Download the report ({len(content) / 1e6:.1f} MB)"]
    assert _downloads(app.fill("number_input", "dim_", 4)) == []
    assert "Make a report to share" in app.labels


@pytest.fixture
def trained(tmp_path: Path, app: Page, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run that has weights, of images in a root of this shared server."""
    changes = {"data.source": "photos/birds", "data.attribute": "class", "guidance": None}
    folder = make_run(tmp_path / "runs" / "mine", training.Status("finished", 4, 4), changes=changes)
    folder.best.write_bytes(b"")
    (tmp_path / "photos" / "birds").mkdir(parents=True)
    serve(monkeypatch, shared=True, roots={"photos": str(tmp_path / "photos")}, training=True)
    visit(monkeypatch)
    return folder


def test_a_runs_report_reads_its_images_where_the_visitor_may(
    app: Page, trained: RunFolder, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def fake(run: RunFolder, options: ReportOptions, *, config: training.RunConfig, **_: Any) -> Any:
        asked.append(config.data.source)
        options.progress(1, 2, "Reading the images")
        return small_report(tmp_path / "small", options=options)

    monkeypatch.setattr("parts.report_download.run_report", fake)
    _report(app.open("runs"), "run")
    assert asked == [str(tmp_path / "photos" / "birds")]
    assert len(_downloads(app)) == 1
    foreign = cache / "visitors" / "somebody" / "uploads" / "cats"
    foreign.mkdir(parents=True)
    (trained.path / "config.yaml").write_text(training.as_yaml(training.with_changes(trained.config(), {"data.source": str(foreign)})))
    app = app.fresh("layout").open("runs")
    assert "Make a report to share" not in app.labels
    (said,) = [each.value for each in app.caption if each.value.startswith("The report cannot be created")]
    assert "somebody" not in said
