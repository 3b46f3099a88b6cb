"""Broken images, encoders and labels: one error for one cause, with a way to try again, and the pages that need none of it stay."""

from pathlib import Path

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

import added_labels
import navigation
from background import Job, jobs
from likeness.data import DatasetEntry, add_dataset, new_entry, read_dataset
from likeness.errors import InputError
from likeness.notions import get_notion
from shared import cached
from shared.app_page import AppPage

EACH_PAGE = pytest.mark.parametrize("page", navigation.PAGES, ids=lambda page: page.address)


@pytest.fixture
def photos(tmp_path: Path) -> DatasetEntry:
    for number in range(6):
        (tmp_path / "photos").mkdir(exist_ok=True)
        Image.new("RGB", (20, 20), (40 * number, 90, 60)).save(tmp_path / "photos" / f"{number}.png")
    entry = new_entry("Photos", str(tmp_path / "photos"), "cars-small")
    add_dataset(entry)
    return entry


def _open(app: AppTest, page: AppPage, entry: DatasetEntry) -> AppTest:
    app.query_params["dataset"] = entry.id
    app.switch_page(str(page.folder / "page.py")).run()
    assert not app.exception
    return app


@EACH_PAGE
@pytest.mark.parametrize("broken", ["folder", "encoder"])
def test_images_that_cannot_be_opened_are_one_error_and_can_be_tried_again(app: AppTest, page: AppPage, tmp_path: Path, broken: str) -> None:
    (tmp_path / "photos").mkdir()
    entry = new_entry("Photos", str(tmp_path / "photos"), "no such encoder" if broken == "encoder" else "cars-small")
    add_dataset(entry)
    if broken == "folder":
        (tmp_path / "photos").rmdir()
    else:
        Image.new("RGB", (20, 20)).save(tmp_path / "photos" / "0.png")
    _open(app, page, entry)
    assert len(app.error) == 1
    assert ("There is no" if broken == "folder" else "has no known form") in app.error[0].value
    problem = app.error[0].value
    assert not app.warning
    assert bool(app.title) == (page.needs == "nothing")
    (tmp_path / "photos").mkdir(exist_ok=True)
    for number in range(6):
        Image.new("RGB", (20, 20), (40 * number, 90, 60)).save(tmp_path / "photos" / f"{number}.png")
    app.button(key="try_again").click().run()
    assert not app.exception
    assert [each.value for each in app.error] == ([] if broken == "folder" else [problem])


@pytest.mark.parametrize("address", ["explore", "notions"])
def test_what_keeps_two_spaces_away_is_said_once(app: AppTest, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object, **options: object) -> None:
        raise InputError("The encoder is not here; get it.")

    monkeypatch.setattr(cached, "fit", fail)
    app.query_params.update({"a": "Car color", "b": "Viewpoint"})
    app.switch_page(f"pages/{address}/page.py").run()
    assert not app.exception
    said = [each.value for kind in (app.error, app.warning, app.info) for each in kind if "The encoder is not here" in each.value]
    assert said == ["Car color and Viewpoint are not shown. The encoder is not here; get it."]


def test_what_ends_the_work_on_two_spaces_is_one_error_and_both_are_tried_again(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise InputError("The language model is not here; get it.")

    def measured() -> list[Job]:
        return sorted(jobs().all("semantics"), key=lambda job: job.title)

    app.query_params["b"] = "Car color"
    with monkeypatch.context() as patch:
        patch.setattr("likeness.language.class_similarities", fail)
        app.switch_page("pages/semantics/page.py").run()
        assert all(job.wait(600) for job in measured())
        app.run()
        assert [each.value for each in app.error] == ["The language model is not here; get it."]
        (again,) = (button for button in app.button if button.label == "Try again")
    before = measured()
    assert len(before) == 2
    again.click().run()
    assert all(job.wait(600) for job in measured())
    assert not set(map(id, before)) & set(map(id, measured()))
    app.run()
    assert not app.exception
    assert not app.error


@pytest.mark.parametrize("page", [page for page in navigation.PAGES if page.needs != "spaces"], ids=lambda page: page.address)
def test_pages_without_spaces_fit_none(app: AppTest, page: AppPage, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object, **options: object) -> None:
        raise AssertionError("a space is fitted")

    monkeypatch.setattr(cached, "fit", fail)
    app.query_params.update({"a": "Car color", "b": "Viewpoint", "color": "Viewpoint"})
    app.switch_page(str(page.folder / "page.py")).run()
    assert not app.exception
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == ("car color", "viewpoint")  # kept for the other pages


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\0", b'path,label\n"a.png,1', b"path,other\n1.png,x\n", b"path,label\n1.png,x,y,z\n2.png,a,b,c,d\n"]
)
def test_damaged_labels_are_left_out_said_so_and_can_be_removed(app: AppTest, photos: DatasetEntry, content: bytes) -> None:
    table = read_dataset(photos.source)
    name = added_labels.add(photos, table, get_notion("car color"), ["red"] * 6)
    (file,) = (file for file in Path(added_labels.folder_of(photos)).glob("*.csv"))
    file.write_bytes(content)
    _open(app, navigation.PAGES[0], photos)
    assert name not in app.session_state["view"].frame
    assert [each.value for each in app.warning] == [
        "The labels “Car color by encoder” are left out, because their file is damaged. Remove them, and label the images again."
    ]
    app.button(key=f"remove_damaged_{name}").click().run()
    assert not app.exception
    assert not app.warning
