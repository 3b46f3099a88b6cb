"""Broken images, encoders and labels: one error for one cause, with a way to try again, and the pages that need none of it stay."""

from pathlib import Path

import pytest

import added_labels
from app_page import Page
from background import Job, jobs
from likeness.data import read_dataset
from likeness.errors import InputError
from likeness.notions import get_notion
from shared import cached
from worlds import dataset, draw


@pytest.mark.parametrize("address", ["explore", "notions"])
def test_what_keeps_two_spaces_away_is_said_once(app: Page, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object, **options: object) -> None:
        raise InputError("The encoder is not here; get it.")

    monkeypatch.setattr(cached, "fit", fail)
    app.query_params.update({"a": "Car color", "b": "Viewpoint"})
    app.open(address)
    said = [each.value for kind in (app.error, app.warning, app.info) for each in kind if "The encoder is not here" in each.value]
    assert said == ["Car color and Viewpoint are not shown. The encoder is not here; get it."]


def test_what_ends_the_work_on_two_spaces_is_one_error_and_both_are_tried_again(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise InputError("The language model is not here; get it.")

    def measured() -> list[Job]:
        return sorted(jobs().all("semantics"), key=lambda job: job.title)

    app.query_params["b"] = "Car color"
    with monkeypatch.context() as patch:
        patch.setattr("likeness.language.class_similarities", fail)
        app.open("semantics")
        assert all(job.wait(600) for job in measured())
        app.run()
        assert app.errors == ["The language model is not here; get it."]
        (again,) = (button for button in app.button if button.label == "Try again")
    before = measured()
    assert len(before) == 2
    again.click().run()
    assert all(job.wait(600) for job in measured())
    assert not set(map(id, before)) & set(map(id, measured()))
    app.run()
    assert app.errors == []


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\0", b'path,label\n"a.png,1', b"path,other\n1.png,x\n", b"path,label\n1.png,x,y,z\n2.png,a,b,c,d\n"]
)
def test_damaged_labels_are_left_out_said_so_and_can_be_removed(app: Page, tmp_path: Path, content: bytes) -> None:
    photos = dataset(draw(tmp_path / "photos", 6), "cars-small")
    name = added_labels.add(photos, read_dataset(photos.source), get_notion("car color"), ["red"] * 6)
    (file,) = (file for file in Path(added_labels.folder_of(photos)).glob("*.csv"))
    file.write_bytes(content)
    app.open("explore", dataset=photos.id)
    assert name not in app.session_state["view"].frame
    assert app.warnings == ["The labels “Car color by encoder” are left out, because their file is damaged. Remove them, and label the images again."]
    app.click(f"remove_damaged_{name}")
    assert not app.warning
