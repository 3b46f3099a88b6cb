"""Exports from the page Explore: each target's file is read by its own reader; what it may take, whose it is, and how it goes."""

import json
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

import export_files
import likeness as lk
import visitor_data
from app_page import Page
from background import Job, jobs
from export_files import Room, write_download
from likeness.exports import TARGETS, Written, import_space
from likeness.notions import get_notion
from waiting import wait_until
from worlds import ADA, BEN, cars, serve, visit

ROWS = np.arange(0, 180, 3)


@pytest.fixture
def form(app: Page, monkeypatch: pytest.MonkeyPatch) -> Page:
    """The page with 60 images selected and the form open."""
    monkeypatch.setattr("likeness.exports.embedding_atlas._positions", lambda material, _: np.zeros((len(material), 2), np.float32))
    app.session_state["rows"] = ROWS
    app.session_state["export_open"] = True
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


def _check_coco(place: Path) -> None:
    from pycocotools.coco import COCO

    opened = COCO(str(place))
    assert [each["file_name"] for each in opened.loadImgs(opened.getImgIds())] == _paths()
    assert {each["name"] for each in opened.loadCats(opened.getCatIds())} <= {"convertible", "hatchback", "pickup", "sedan", "suv", "van"}


def _check_yolo(place: Path) -> None:
    from torchvision.datasets import ImageFolder

    train, val = (ImageFolder(str(place / part)) for part in ("train", "val"))
    assert train.classes == val.classes
    assert len(train) + len(val) == len(ROWS)


def _check_links(place: Path) -> None:
    cars, listed = lk.read("cars"), lk.read(place / "images.csv")
    assert [listed.file(row).read_bytes() for row in range(len(ROWS))] == [cars.file(int(row)).read_bytes() for row in ROWS]


def _check_space(found: lk.Space) -> None:
    expected = lk.embed(lk.read("cars"), "cars").refit(get_notion("car-color"))
    np.testing.assert_allclose(found.vectors, expected.vectors[ROWS], atol=1e-6)
    assert found.table.frame["path"].tolist() == _paths()


# By target: what is chosen, what reads the file, and the controls that it asks for, where they are looked at
# By target: what is chosen, what reads the file, and the controls that it asks for, where they are looked at; tests/exports reads all of them
CHECKS: dict[str, tuple[dict[str, Any], Callable[[Path], None], set[str] | None]] = {
    "csv": ({}, lambda place: _check_paths(pd.read_csv(place)), {"neighbors"}),
    "parquet": ({"vectors": True}, lambda place: _check_paths(lk.load(place).table.frame), None),
    "coco": ({"labels": ["body_type"]}, _check_coco, None),
    "yolo": ({"val": 0.5, "label": "body_type"}, _check_yolo, {"label", "split", "val"}),
    "links": ({}, _check_links, None),
    "qdrant": ({}, lambda place: _check_space(import_space("qdrant", str(place))), {"name"}),
    "lancedb": ({}, lambda place: _check_space(import_space("lancedb", str(place))), None),
    "faiss": ({}, lambda place: _check_space(import_space("faiss", str(place))), None),
    "notion": ({}, lambda place: np.testing.assert_equal(len(np.load(place / "U.npy")), cars().vectors.shape[1]), set()),
    "fiftyone": ({}, lambda place: _check_count(json.loads((place / "samples.json").read_text())["samples"]), {"labels", "vectors"}),
    "embedding-atlas": ({}, lambda place: _check_count(pd.read_parquet(place)), None),
}


def _check_count(images: Any) -> None:
    assert len(images) == len(ROWS)


def _check_paths(frame: pd.DataFrame) -> None:
    assert frame["path"].tolist() == _paths()


def _paths() -> list[str]:
    return [str(path) for path in lk.read("cars").frame["path"].iloc[ROWS]]


def test_every_target_but_addresses_is_offered_and_its_file_is_read_by_its_reader(form: Page, tmp_path: Path) -> None:
    assert form.at("export_target").options == [TARGETS[name].title for name in CHECKS]
    assert {name for name, each in TARGETS.items() if each.takes != "run"} - set(CHECKS) == {"pgvector"}
    kinds = ("selectbox", "multiselect", "slider", "number_input", "checkbox", "text_input")
    for target, (chosen, check, controls) in CHECKS.items():
        form.set("export_target", target)
        assert TARGETS[target].help in [each.value for each in form.caption]
        keys = {str(each.key).removeprefix("export_") for kind in kinds for each in getattr(form, kind) if str(each.key).startswith("export_")}
        assert controls in (None, keys - {"target"})
        for name, value in chosen.items():
            form.set(f"export_{name}", value)
        place = _export(form, target, tmp_path)
        check(place)
        files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
        assert not any(path in file.read_bytes() for file in files for path in (bytes(lk.read("cars").root), bytes(tmp_path)))


def test_a_table_has_labels_by_hand_and_a_later_one_takes_its_place(form: Page, tmp_path: Path) -> None:
    from hand_labels import edit_labels
    from likeness.data import SHIPPED_CARS

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


def _commands(app: Page) -> list[str]:
    return [each.value for each in app.code if each.value.startswith("likeness export")]


def test_the_command_that_is_shown_does_the_same(form: Page, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shlex

    form.set("export_target", "faiss")
    first, address = _commands(form)
    assert first == "likeness export cars faiss faiss/ --only images.txt --encoder cars --notion car-color --portable"
    assert address == "likeness export cars pgvector postgresql://USER@HOST/DATABASE --only images.txt --encoder cars --notion car-color"
    place = _export(form, "faiss", tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "images.txt").write_text("\n".join(_paths()))
    assert run(*shlex.split(first)[1:])[0] == 0
    np.testing.assert_allclose(import_space("faiss", str(tmp_path / "faiss")).vectors, import_space("faiss", str(place)).vectors, atol=1e-6)
    form.set("export_target", "yolo").set("export_val", 0.5)
    assert _commands(form)[0] == "likeness export cars yolo yolo/ --only images.txt --label body_type --val 0.5 --portable"


def test_what_fails_is_told_in_a_sentence_and_leaves_nothing(form: Page, cache: Path) -> None:
    form.set("export_target", "yolo").set("export_label", "yaw")
    assert "would have no image in 'train'" in str(_ended(form).error)
    assert "would have no image in 'train'" in "".join(form.errors)
    assert list((cache / "exports").iterdir()) == []
    before = jobs().all("export")[-1]
    del form.session_state["export"]  # as on another page of the browser, where the button is there
    assert _ended(form.run()) is not before


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


def test_a_visitor_fills_no_disk(app: Page, shared: None, cache: Path) -> None:
    app.session_state["export_open"] = True
    app.run()
    for target in ("links", "qdrant"):
        assert "takes more than the 0.001 GB that this server has for it" in str(_ended(app.set("export_target", target)).error)
    assert list((cache / "visitors" / ADA / "exports").iterdir()) == []


def test_no_more_is_written_than_there_is_room_for(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    assert "takes more than" in str(_download(folder, 2_000, 1e-6).error)
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


def test_a_file_is_served_to_whom_it_was_made_for(shared: None, monkeypatch: pytest.MonkeyPatch) -> None:
    import routes

    client, made = TestClient(Starlette(routes=routes.ROUTES)), _download(export_files.exports_dir()).result
    answer = client.get(made.url)
    assert (answer.status_code, answer.content) == (200, b"x" * 10)
    assert answer.headers["content-disposition"] == 'attachment; filename="a.csv"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    visit(monkeypatch, BEN)
    assert client.get(made.url).status_code == 404
    visit(monkeypatch)
    for odd in ("nope", "..", "%2e%2e", "*", "x" * 3_000):
        assert client.get(f"/exports/{odd}").status_code == 404
    export_files.remove_ended(export_files.exports_dir())
    assert "not kept any more" in client.get(made.url).text


def test_it_goes_after_its_hour_and_what_a_killed_server_left_with_housekeeping(
    shared: None, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backup import back_up

    monkeypatch.setattr(export_files, "_KEPT_S", 0.0)
    gone = _download(export_files.exports_dir()).result.file.parent
    wait_until(lambda: not gone.exists())
    monkeypatch.setattr(export_files, "_KEPT_S", 3600.0)
    left = _download(export_files.exports_dir()).result.file
    assert back_up(tmp_path / "copy.tar") == 0
    visitor_data.remove_leftovers(0)
    assert not left.exists()
