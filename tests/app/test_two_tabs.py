"""Two tabs with the same link: what each changes stays, by field; where both changed the same, both versions are there."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from app_page import Page
from shared.three_way import merge_entries, merge_fields

FIELDS = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3))
ENTRIES = st.lists(st.integers(0, 6), unique=True).map(tuple)


@given(FIELDS, FIELDS, FIELDS)
def test_no_change_of_either_is_lost_unless_both_changed_the_same(base: dict[str, int], mine: dict[str, int], theirs: dict[str, int]) -> None:
    merged, clashes = merge_fields(base, mine, theirs)
    for name in "abcd":
        was, own, other, now = (each.get(name) for each in (base, mine, theirs, merged))
        assert now == (other if own == was else own)
        assert (name in clashes) == (own != was and other not in (was, own))
    assert merge_fields(base, mine, base)[0] == mine
    assert merge_fields(base, base, theirs)[0] == theirs


@given(ENTRIES, ENTRIES, ENTRIES)
def test_of_lists_each_entry_that_was_added_or_taken_out_is(base: tuple[int, ...], mine: tuple[int, ...], theirs: tuple[int, ...]) -> None:
    merged = merge_entries(base, mine, theirs)
    added, gone = (set(mine) | set(theirs)) - set(base), set(base) - (set(mine) & set(theirs))
    assert len(set(merged)) == len(merged)
    assert set(merged) == (set(base) | added) - gone


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


def test_each_tab_keeps_what_the_other_one_changed(tabs: tuple[Page, Page], cache: Path) -> None:
    first, second = tabs
    first.fill("text_area", "templates", "a photo of a {} car")
    second.fill("text_area", "aspects_", "red\nblue")
    first.fill("text_input", "name", "Paint")
    kept = _kept(first, cache)
    assert (kept["templates"], kept["aspects"], kept["name"], kept["question"]) == ("a photo of a {} car", "red\nblue", "Paint", "Which paint?")
    assert first.control("text_area", "aspects_").value == "red\nblue"  # the fields show what came from the other tab
    second.run()
    assert (second.control("text_input", "name").value, second.control("text_area", "templates").value) == ("Paint", "a photo of a {} car")
    assert "Changed in another tab with this link: name" in second.texts
    assert not any("too. Yours stands here" in text for text in (first.texts, second.texts))


def test_where_both_changed_the_same_field_both_versions_are_there(tabs: tuple[Page, Page], cache: Path) -> None:
    first, second = tabs
    first.fill("text_area", "templates", "a photo of a {} car").fill("text_input", "name", "Paint")
    second.fill("text_area", "templates", "a drawing of a {} car")
    assert (_kept(first, cache)["templates"], _kept(first, cache)["name"]) == ("a drawing of a {} car", "Paint")
    assert "**Template**] changed in another tab, too" in second.texts
    assert "a photo of a {} car" in [code.value for code in second.code]
    second.press("Undo")
    assert second.control("text_area", "templates").value == "a photo of a {} car"
    assert "changed in another tab, too" not in second.texts
    second.fill("text_area", "templates", "a drawing of a {} car")
    first.run()
    assert first.control("text_area", "templates").value == "a drawing of a {} car"
    first.press("Undo")
    assert first.control("text_area", "templates").value == "a photo of a {} car"
    assert _kept(first, cache)["templates"] == "a photo of a {} car"


def test_the_other_tabs_version_can_be_taken_and_taken_back(tabs: tuple[Page, Page], cache: Path) -> None:
    first, second = tabs
    first.fill("text_area", "aspects_", "red\nblue")
    second.fill("text_area", "aspects_", "black\nwhite").press("Take the other tab's")
    assert _kept(first, cache)["aspects"] == "red\nblue"
    assert "changed in another tab, too" not in second.texts
    second.press("Undo")
    assert _kept(first, cache)["aspects"] == "black\nwhite"


def test_undo_in_one_tab_leaves_what_the_other_one_changed(tabs: tuple[Page, Page], cache: Path) -> None:
    first, second = tabs
    before = _kept(first, cache)["templates"]
    first.fill("text_area", "templates", "a photo of a {} car")
    second.fill("text_input", "name", "Paint")
    first.press("Undo")
    assert (_kept(first, cache)["name"], _kept(first, cache)["templates"]) == ("Paint", before)
    assert first.control("text_area", "templates").value == before


def test_another_notion_in_one_tab_is_not_mixed_with_edits_in_the_other(tabs: tuple[Page, Page], cache: Path) -> None:
    first, second = tabs
    first.fill("selectbox", "picked", "viewpoint")
    second.fill("text_area", "templates", "a drawing of a {} car")
    kept = _kept(first, cache)
    assert (kept["origin"], kept["question"], kept["templates"]) == ("car color", "Which paint?", "a drawing of a {} car")
    assert "has opened **viewpoint** under this link" in second.texts
    second.press("Take the other tab's")
    assert _kept(first, cache)["origin"] == "viewpoint"
    second.press("Undo")
    assert _kept(first, cache)["templates"] == "a drawing of a {} car"


def test_a_saved_notion_is_not_replaced_by_what_is_older_without_a_question(app: Page, cache: Path) -> None:
    """Two tabs with links of their own edit the same notion of the library."""
    app.open("notions").fill("text_input", "name", "Paint").press("Save")
    other = app.fresh("layout").open("notions", notion="Paint")
    other.fill("text_area", "question", "Which paint?").press("Save")
    assert "Which paint?" in (cache / "notions" / "paint.yaml").read_text()
    app.fill("text_area", "templates", "a drawing of a {} car").press("Save")
    assert "Which paint?" in (cache / "notions" / "paint.yaml").read_text()
    assert "saved in another tab since" in app.texts
    app.press("Replace it")
    assert "a drawing of a {} car" in (cache / "notions" / "paint.yaml").read_text()


@pytest.fixture
def trainings(app: Page) -> tuple[Page, Page]:
    """The page Train in two tabs, the second opened by the first one's link."""
    app.open("train").set("train_field_epochs", 3)
    other = app.fresh("config", "layout").open("train")
    assert other.number_input(key="train_field_epochs").value == 3
    return app, other


def test_two_tabs_change_a_config_by_key(trainings: tuple[Page, Page]) -> None:
    first, second = trainings
    first.set("train_field_seed", 7)
    second.set("train_field_epochs", 5)
    first.run()
    for tab in trainings:
        assert (tab.number_input(key="train_field_seed").value, tab.number_input(key="train_field_epochs").value) == (7, 5)
        assert "has changed the same" not in tab.texts


def test_of_a_key_that_both_tabs_changed_both_values_can_be_had(trainings: tuple[Page, Page]) -> None:
    first, second = trainings
    first.set("train_field_epochs", 4)
    second.set("train_field_epochs", 5)
    assert any("epochs: 5 here, 4 in the other tab" in each.value for each in second.code)
    for label, epochs in (("Take the other one", 4), ("Take the other one", 5)):
        second.press(label)
        assert second.number_input(key="train_field_epochs").value == epochs
        assert first.run().number_input(key="train_field_epochs").value == epochs
    second.press("Keep this one")
    assert "has changed the same" not in second.texts
