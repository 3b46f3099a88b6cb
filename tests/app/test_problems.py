"""Broken images, encoders and labels: one error for one cause, with a way to try again, and the pages that need none of it stay."""

from pathlib import Path

import pytest

import added_labels
from app_page import Page
from background import jobs
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
    app.open(address, a="Car color", b="Viewpoint")
    said = [text for text in app.errors + app.warnings + app.infos if "The encoder is not here" in text]
    assert said == ["Car color and Viewpoint are not shown. The encoder is not here; get it."]


def test_what_ends_the_work_on_two_spaces_is_one_error_and_both_are_tried_again(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise InputError("The language model is not here; get it.")

    with monkeypatch.context() as patch:
        patch.setattr("likeness.language.class_similarities", fail)
        app.open("semantics", b="Car color").wait("semantics")
        assert app.errors == ["The language model is not here; get it."]
        assert app.labels.count("Try again") == 1
    before = jobs().all("semantics")
    assert len(before) == 2
    app.press("Try again").wait("semantics")
    assert not set(map(id, before)) & set(map(id, jobs().all("semantics")))
    assert app.errors == []


def test_damaged_labels_are_left_out_said_so_and_can_be_removed(app: Page, tmp_path: Path) -> None:
    photos = dataset(draw(tmp_path / "photos", 6), "cars-small")
    name = added_labels.add(photos, read_dataset(photos.source), get_notion("car color"), ["red"] * 6)
    (file,) = Path(added_labels.folder_of(photos)).glob("*.csv")
    for content in (b"", b"\xff\xfe\0", b'path,label\n"a.png,1', b"path,other\n1.png,x\n", b"path,label\n1.png,x,y,z\n2.png,a,b,c,d\n"):
        file.write_bytes(content)
        (warning,) = app.open("explore", dataset=photos.id).warnings
        assert "“Car color by encoder” are left out, because their file is damaged" in warning
        assert name not in app.session_state["view"].frame
    assert not app.click(f"remove_damaged_{name}").warning
