"""Two tabs with the same link: what each changes stays, by field; where both changed the same, both versions are there."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from streamlit.testing.v1 import AppTest

from shared.three_way import merge_entries, merge_fields

MAIN = Path(__file__).resolve().parents[2] / "app" / "main.py"
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


def _field(app: AppTest, kind: str, name: str) -> Any:
    return next(element for element in getattr(app, kind) if str(element.key).startswith(name))


def _value(app: AppTest, kind: str, name: str) -> str:
    return str(_field(app, kind, name).value)


def _type(app: AppTest, kind: str, name: str, value: Any) -> None:
    _field(app, kind, name).set_value(value).run()
    assert not app.exception


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.code) for element in kind)


def _click(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


@pytest.fixture
def tabs(app: AppTest) -> tuple[AppTest, AppTest]:
    """The page Notions in two tabs, the second opened by the first one's link."""
    other = AppTest.from_file(str(MAIN), default_timeout=600)
    app.run()
    app.switch_page("pages/notions/page.py").run()
    _type(app, "text_area", "question", "Which paint?")
    for name in ("draft", "layout"):
        other.query_params[name] = app.query_params[name]
    other.switch_page("pages/notions/page.py").run()
    assert not other.exception
    assert _value(other, "text_area", "question") == "Which paint?"
    return app, other


def _kept(app: AppTest, cache: Path) -> dict[str, Any]:
    """The draft on the disk."""
    (token,) = app.query_params["draft"] if isinstance(app.query_params["draft"], list) else [app.query_params["draft"]]
    return dict(json.loads((cache / "drafts" / f"{token}.json").read_text())[-1])


def test_each_tab_keeps_what_the_other_one_changed(tabs: tuple[AppTest, AppTest], cache: Path) -> None:
    first, second = tabs
    _type(first, "text_area", "templates", "a photo of a {} car")
    _type(second, "text_area", "aspects_", "red\nblue")
    _type(first, "text_input", "name", "Paint")
    kept = _kept(first, cache)
    assert (kept["templates"], kept["aspects"], kept["name"], kept["question"]) == ("a photo of a {} car", "red\nblue", "Paint", "Which paint?")
    assert _value(first, "text_area", "aspects_") == "red\nblue"  # the fields show what came from the other tab
    second.run()
    assert (_value(second, "text_input", "name"), _value(second, "text_area", "templates")) == ("Paint", "a photo of a {} car")
    assert "Changed in another tab with this link: name" in _texts(second)
    assert not any("too. Yours stands here" in text for text in (_texts(first), _texts(second)))


def test_where_both_changed_the_same_field_both_versions_are_there(tabs: tuple[AppTest, AppTest], cache: Path) -> None:
    first, second = tabs
    _type(first, "text_area", "templates", "a photo of a {} car")
    _type(first, "text_input", "name", "Paint")
    _type(second, "text_area", "templates", "a drawing of a {} car")
    assert (_kept(first, cache)["templates"], _kept(first, cache)["name"]) == ("a drawing of a {} car", "Paint")
    assert "**Template**] changed in another tab, too" in _texts(second)
    assert "a photo of a {} car" in [code.value for code in second.code]
    _click(second, "Undo")
    assert _value(second, "text_area", "templates") == "a photo of a {} car"
    assert "changed in another tab, too" not in _texts(second)
    _type(second, "text_area", "templates", "a drawing of a {} car")
    first.run()
    assert _value(first, "text_area", "templates") == "a drawing of a {} car"
    _click(first, "Undo")
    assert _value(first, "text_area", "templates") == "a photo of a {} car"
    assert _kept(first, cache)["templates"] == "a photo of a {} car"


def test_the_other_tabs_version_can_be_taken_and_taken_back(tabs: tuple[AppTest, AppTest], cache: Path) -> None:
    first, second = tabs
    _type(first, "text_area", "aspects_", "red\nblue")
    _type(second, "text_area", "aspects_", "black\nwhite")
    _click(second, "Take the other tab's")
    assert _kept(first, cache)["aspects"] == "red\nblue"
    assert "changed in another tab, too" not in _texts(second)
    _click(second, "Undo")
    assert _kept(first, cache)["aspects"] == "black\nwhite"


def test_undo_in_one_tab_leaves_what_the_other_one_changed(tabs: tuple[AppTest, AppTest], cache: Path) -> None:
    first, second = tabs
    before = _kept(first, cache)["templates"]
    _type(first, "text_area", "templates", "a photo of a {} car")
    _type(second, "text_input", "name", "Paint")
    _click(first, "Undo")
    assert (_kept(first, cache)["name"], _kept(first, cache)["templates"]) == ("Paint", before)
    assert _value(first, "text_area", "templates") == before


def test_another_notion_in_one_tab_is_not_mixed_with_edits_in_the_other(tabs: tuple[AppTest, AppTest], cache: Path) -> None:
    first, second = tabs
    _type(first, "selectbox", "picked", "viewpoint")
    _type(second, "text_area", "templates", "a drawing of a {} car")
    kept = _kept(first, cache)
    assert (kept["origin"], kept["question"], kept["templates"]) == ("car color", "Which paint?", "a drawing of a {} car")
    assert "has opened **viewpoint** under this link" in _texts(second)
    _click(second, "Take the other tab's")
    assert _kept(first, cache)["origin"] == "viewpoint"
    _click(second, "Undo")
    assert _kept(first, cache)["templates"] == "a drawing of a {} car"


def test_a_saved_notion_is_not_replaced_by_what_is_older_without_a_question(app: AppTest, cache: Path) -> None:
    """Two tabs with links of their own edit the same notion of the library."""
    tabs = app, AppTest.from_file(str(MAIN), default_timeout=600)
    app.run()
    app.switch_page("pages/notions/page.py").run()
    _type(app, "text_input", "name", "Paint")
    _click(app, "Save")
    other = tabs[1]
    other.query_params["layout"], other.query_params["notion"] = "PCA", "Paint"
    other.switch_page("pages/notions/page.py").run()
    _type(other, "text_area", "question", "Which paint?")
    _click(other, "Save")
    assert "Which paint?" in (cache / "notions" / "paint.yaml").read_text()
    _type(app, "text_area", "templates", "a drawing of a {} car")
    _click(app, "Save")
    assert "Which paint?" in (cache / "notions" / "paint.yaml").read_text()
    assert "saved in another tab since" in _texts(app)
    _click(app, "Replace it")
    assert "a drawing of a {} car" in (cache / "notions" / "paint.yaml").read_text()


@pytest.fixture
def trainings(app: AppTest) -> tuple[AppTest, AppTest]:
    """The page Train in two tabs, the second opened by the first one's link."""
    other = AppTest.from_file(str(MAIN), default_timeout=600)
    app.switch_page("pages/train/page.py").run()
    app.number_input(key="train_field_epochs").set_value(3).run()
    for name in ("config", "layout"):
        other.query_params[name] = app.query_params[name]
    other.switch_page("pages/train/page.py").run()
    assert not app.exception
    assert not other.exception
    assert other.number_input(key="train_field_epochs").value == 3
    return app, other


def test_two_tabs_change_a_config_by_key(trainings: tuple[AppTest, AppTest]) -> None:
    first, second = trainings
    first.number_input(key="train_field_seed").set_value(7).run()
    second.number_input(key="train_field_epochs").set_value(5).run()
    first.run()
    for tab in trainings:
        assert (tab.number_input(key="train_field_seed").value, tab.number_input(key="train_field_epochs").value) == (7, 5)
        assert "has changed the same" not in _texts(tab)


def test_of_a_key_that_both_tabs_changed_both_values_can_be_had(trainings: tuple[AppTest, AppTest]) -> None:
    first, second = trainings
    first.number_input(key="train_field_epochs").set_value(4).run()
    second.number_input(key="train_field_epochs").set_value(5).run()
    assert "epochs: 5 here, 4 in the other tab" in _texts(second)
    for label, epochs in (("Take the other one", 4), ("Take the other one", 5)):
        _click(second, label)
        assert second.number_input(key="train_field_epochs").value == epochs
        assert first.run().number_input(key="train_field_epochs").value == epochs
    _click(second, "Keep this one")
    assert "has changed the same" not in _texts(second)
