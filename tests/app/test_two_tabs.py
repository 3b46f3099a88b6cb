"""Two tabs with the same link: what each changes stays, by field; where both changed the same, undo brings the other version back."""

import json
from pathlib import Path
from typing import Any

import pytest

from app_page import Page


@pytest.fixture
def tabs(app: Page) -> tuple[Page, Page]:
    """The page Notions in two tabs, the second opened by the first one's link."""
    app.open("notions").fill("text_area", "question", "Which paint?")
    other = app.fresh("draft", "layout").open("notions")
    assert other.control("text_area", "question").value == "Which paint?"
    return app, other


def _kept(app: Page, cache: Path) -> dict[str, Any]:
    """The draft on the disk."""
    (token,) = app.query_params["draft"] if isinstance(app.query_params["draft"], list) else [app.query_params["draft"]]
    return dict(json.loads((cache / "drafts" / f"{token}.json").read_text())[-1])


def _template(app: Page) -> str:
    return str(app.control("text_area", "templates").value)


def _draw(app: Page, what: str) -> Page:
    """The page after its template was edited to that of a photo or a drawing."""
    return app.fill("text_area", "templates", f"a {what} of a {{}} car")


PHOTO, DRAWING = "a photo of a {} car", "a drawing of a {} car"
YOURS = "Your version is shown"


def test_each_tab_keeps_what_the_other_one_changed(tabs: tuple[Page, Page], cache: Path) -> None:
    first, second = tabs
    name = first.control("text_input", "name").value
    _draw(first, "photo")
    second.fill("text_area", "aspects_", "red\nblue")
    first.fill("text_input", "name", "Paint")
    kept = _kept(first, cache)
    assert (kept["templates"], kept["aspects"], kept["name"], kept["question"]) == (PHOTO, "red\nblue", "Paint", "Which paint?")
    assert first.control("text_area", "aspects_").value == "red\nblue"  # the fields show what came from the other tab
    second.run()
    assert (second.control("text_input", "name").value, _template(second)) == ("Paint", PHOTO)
    second.says("another tab with this link: name")
    assert YOURS not in first.texts + second.texts
    second.fill("text_area", "question", "Which one?")
    first.press("Undo")  # leaves what the other one changed
    kept = _kept(first, cache)
    assert (kept["name"], kept["question"], kept["aspects"], kept["templates"]) == (name, "Which one?", "red\nblue", PHOTO)
    assert first.control("text_input", "name").value == name


def test_where_both_changed_the_same_field_undo_brings_the_other_version_back(tabs: tuple[Page, Page], cache: Path) -> None:
    first, second = tabs
    _draw(first, "photo").fill("text_input", "name", "Paint")
    _draw(second, "drawing").says(f"another tab with this link: name, template. {YOURS}")
    assert (_kept(first, cache)["templates"], _kept(first, cache)["name"]) == (DRAWING, "Paint")
    assert _template(second.press("Undo")) == PHOTO
    second.hides(YOURS)
    _draw(second, "drawing")
    assert _template(first.run()) == DRAWING
    assert _template(first.press("Undo")) == _kept(first, cache)["templates"] == PHOTO


def test_another_notion_in_one_tab_is_not_mixed_with_edits_in_the_other(tabs: tuple[Page, Page], cache: Path) -> None:
    first, second = tabs
    first.fill("selectbox", "picked", "viewpoint")
    _draw(second, "drawing").says(YOURS)
    kept = _kept(first, cache)
    assert (kept["origin"], kept["question"], kept["templates"]) == ("car color", "Which paint?", DRAWING)
    second.press("Undo")
    assert _kept(first, cache)["origin"] == "viewpoint"


def test_a_saved_notion_is_not_replaced_by_what_is_older_without_a_question(app: Page, cache: Path) -> None:
    """Two tabs with links of their own edit the same notion of the library."""
    file = cache / "notions" / "paint.yaml"
    app.open("notions").fill("text_input", "name", "Paint").press("Save")
    app.fresh("layout").open("notions", notion="Paint").fill("text_area", "question", "Which paint?").press("Save")
    _draw(app, "drawing").says("saved in another tab since")
    assert "Save" not in app.labels
    assert "Which paint?" in file.read_text()
    app.press("Replace it")
    assert DRAWING in file.read_text()


def test_two_tabs_change_a_config_by_key_and_of_one_that_both_changed_the_last_value_stays(app: Page) -> None:
    def values() -> list[tuple[int, int]]:
        return [(tab.at("train_field_seed").value, tab.at("train_field_epochs").value) for tab in (first.run(), second.run())]

    first = app.open("train").set("train_field_epochs", 3)
    second = app.fresh("config", "layout").open("train")
    assert second.at("train_field_epochs").value == 3
    first.set("train_field_seed", 7)
    second.set("train_field_epochs", 5)
    assert values() == [(7, 5)] * 2
    first.set("train_field_epochs", 4)
    second.set("train_field_epochs", 6)
    assert values() == [(7, 6)] * 2
    typed = first.at("train_typed").value
    second.set("train_field_seed", 9)
    first.set("train_typed", typed.replace("epochs: 6", "epochs: 8"))
    assert "Another tab with this link" in first.alerts
    assert values() == [(7, 8)] * 2
