"""Views that are saved under a name: they come back as they were, per visitor, and say so where something is gone."""

import os
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import saved_views
from likeness.data import add_dataset, new_entry, remove_dataset
from likeness.errors import InputError
from saved_views import SavedView
from server_settings import ServerSettings
from shared import selection
from shared.view_list import address_of
from visitors import own_dir

ADA, BEN = "a" * 32, "b" * 32


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def be(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`be(ADA)`: from now on she is the visitor of a shared server, who may keep three files of a kind."""
    monkeypatch.setenv("LIKENESS_SERVER", ServerSettings(shared=True, visitor_files=3).as_text())
    return lambda who: monkeypatch.setattr("visitors._browser", lambda: who)


def _file(view: SavedView) -> Path:
    return own_dir() / "views" / f"{view.token}.json"


class TestFiles:
    def test_what_was_saved_comes_back(self) -> None:
        view = saved_views.save(SavedView("  Red \n cars ", "compare", {"a": ["Car color"], "filter_class": ["x", "ü&="]}, "abc"))
        assert view.name == "Red cars"
        assert saved_views.find(view.token) == view
        assert [each.name for each in saved_views.all_views()] == ["Red cars"]

    def test_names_are_unique_and_sorted_and_can_be_changed(self) -> None:
        second, first = (saved_views.save(SavedView(name, "", {})) for name in ("b", "A"))
        assert [each.name for each in saved_views.all_views()] == ["A", "b"]
        with pytest.raises(InputError, match="You have a view “B” already"):
            saved_views.save(SavedView("B", "", {}))
        with pytest.raises(InputError, match="already"):
            saved_views.rename(first.token, "B")
        saved_views.rename(second.token, "B")  # its own name in capitals
        saved_views.rename(first.token, "z")
        assert [each.name for each in saved_views.all_views()] == ["B", "z"]
        saved_views.remove(first.token)
        saved_views.remove(first.token)
        assert [each.name for each in saved_views.all_views()] == ["B"]

    @pytest.mark.parametrize(("name", "said"), [("", "has no name"), (" \t", "has no name"), ("x" * 61, "61 letters")])
    def test_names_that_are_none(self, name: str, said: str) -> None:
        with pytest.raises(InputError, match=said):
            saved_views.save(SavedView(name, "", {}))
        assert saved_views.all_views() == []

    @pytest.mark.parametrize("token", ["", "..", "../notions/x", "0" * 16, "0" * 15, "g" * 16])
    def test_tokens_of_nothing(self, token: str) -> None:
        with pytest.raises(InputError, match="not kept here"):
            saved_views.find(token)
        saved_views.remove(token)

    @pytest.mark.parametrize(
        "content",
        ["", "{", "[]", "{}", '{"name": "x", "page": "", "parameters": [], "rows": ""}', '{"name": 1, "page": "", "parameters": {}, "rows": ""}',
         '{"name": "x", "page": "../x", "parameters": {}, "rows": ""}', '{"name": "x", "page": "", "parameters": {"a": "b"}, "rows": ""}',
         '{"name": "x", "page": "", "parameters": {"a": [1]}, "rows": ""}', '{"name": "", "page": "", "parameters": {}, "rows": ""}'],
    )  # fmt: skip
    def test_a_damaged_one_is_left_out_and_counted(self, content: str) -> None:
        kept = saved_views.save(SavedView("kept", "", {}))
        spoilt = saved_views.save(SavedView("spoilt", "", {}))
        _file(spoilt).write_text(content)
        assert [each.name for each in saved_views.all_views()] == ["kept"]
        assert saved_views.damaged() == 1
        with pytest.raises(InputError):
            saved_views.find(spoilt.token)
        assert saved_views.find(kept.token) == kept

    def test_a_write_that_fails_leaves_the_view_as_it_was(self, monkeypatch: pytest.MonkeyPatch) -> None:
        view = saved_views.save(SavedView("kept", "", {"a": ["x"]}))
        monkeypatch.setattr(os, "fsync", lambda file: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space"):
            saved_views.rename(view.token, "other")
        assert saved_views.find(view.token) == view
        assert [file.name for file in _file(view).parent.iterdir()] == [f"{view.token}.json"]

    def test_what_swells_a_file_is_refused(self) -> None:
        with pytest.raises(InputError, match="holds more than is kept"):
            saved_views.save(SavedView("x", "", {"text": ["y" * 5000]}))
        with pytest.raises(InputError, match="select fewer images"):
            saved_views.save(SavedView("x", "", {}, "y" * 9_000_000))


class TestVisitors:
    def test_each_sees_and_opens_only_her_own(self, be: Any) -> None:
        be(ADA)
        view = saved_views.save(SavedView("mine", "", {}))
        be(BEN)
        assert saved_views.all_views() == []
        with pytest.raises(InputError, match="another person's"):
            saved_views.find(view.token)
        saved_views.remove(view.token)
        be(ADA)
        assert saved_views.find(view.token) == view

    def test_as_many_as_the_server_keeps(self, be: Any) -> None:
        be(ADA)
        for name in "abc":
            saved_views.save(SavedView(name, "", {}))
        with pytest.raises(InputError, match="You keep 3 saved views here"):
            saved_views.save(SavedView("d", "", {}))

    def test_who_may_change_nothing_saves_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        view = saved_views.save(SavedView("mine", "", {}))
        monkeypatch.setattr("access.refusal", lambda what: "Your account may look at everything but change nothing.")
        for act in (
            lambda: saved_views.save(SavedView("x", "", {})),
            lambda: saved_views.rename(view.token, "y"),
            lambda: saved_views.remove(view.token),
        ):
            with pytest.raises(InputError, match="change nothing"):
                act()
        assert [each.name for each in saved_views.all_views()] == ["mine"]


def _save(app: AppTest, name: str) -> SavedView:
    app.text_input(key="view_name").input(name)
    next(button for button in app.button if button.label == "Save view").click().run()
    assert not app.exception
    return next(view for view in saved_views.all_views() if view.name == name)


def _open(app: AppTest, view: SavedView) -> AppTest:
    """As a browser that follows the view's link to the first page, in a new session."""
    fresh = AppTest.from_file(app._script_path, default_timeout=600)
    for name, values in parse_qs(urlsplit(address_of(view)).query).items():
        fresh.query_params[name] = values
    fresh.run()
    assert not fresh.exception
    return fresh


def _said(app: AppTest) -> str:
    return "\n".join(each.value for kind in (app.warning, app.error) for each in kind)


class TestPage:
    def test_a_view_holds_spaces_color_filters_search_and_map(self, app: AppTest) -> None:
        asked = {
            "a": "Car color",
            "color": "Viewpoint",
            "filter_body_type": ["van", "suv"],
            "query": "12",
            "rows": selection.encode(np.array([3, 9])),
        }
        app.query_params.update({**asked, "map_seed": "7", "beside": "Table"})
        view = _save(app.run(), "Vans & more")
        assert app.text_input(key="view_name").value == ""
        opened = _open(app, view)
        assert not _said(opened)
        seen = opened.session_state["view"]
        assert (seen.a.name, seen.color, opened.session_state["query"], opened.session_state["rows"].tolist()) == (
            "car color",
            "viewpoint",
            12,
            [3, 9],
        )
        assert set(seen.frame["body_type"][~seen.hidden]) == {"van", "suv"}
        assert opened.session_state["beside"] == "Table"
        assert opened.query_params["layout"] in ("PCA", ["PCA"])
        assert "saved" not in opened.query_params
        assert any(unescape(each.proto.body).find("Vans & more") > 0 for each in opened.get("html"))

    def test_a_selection_that_is_too_large_for_a_link_comes_back(self, app: AppTest) -> None:
        rows = np.flatnonzero(np.random.default_rng(0).random(2000) < 0.5)
        app.run()
        app.session_state["rows"] = rows
        limit = selection._URL_LIMIT
        selection._URL_LIMIT = 10
        try:
            app.run()
            assert "rows" not in app.query_params
            view = _save(app, "Half of them")
            opened = _open(app, view)
            assert opened.session_state["rows"].tolist() == rows.tolist()
        finally:
            selection._URL_LIMIT = limit

    def test_a_view_of_images_that_are_gone_says_so(self, app: AppTest, tmp_path: Path) -> None:
        from PIL import Image

        (tmp_path / "few").mkdir()
        for number in range(6):
            Image.new("RGB", (20, 20), (40 * number, 90, 60)).save(tmp_path / "few" / f"{number}.png")
        entry = new_entry("Few", str(tmp_path / "few"), "cars-small")
        add_dataset(entry)
        app.query_params["dataset"] = entry.id
        view = _save(app.run(), "Few")
        remove_dataset(entry.id)
        opened = _open(app, view)
        assert f"There are no images “{entry.id}” here" in _said(opened)
        assert any("The images of this view are not here any more." in each.value for each in opened.caption)

    def test_a_view_that_was_removed_says_so(self, app: AppTest) -> None:
        view = _save(app.run(), "Short")
        app.checkbox(key=f"sure_{view.token}").check().run()
        app.button(key=f"remove_{view.token}").click().run()
        assert saved_views.all_views() == []
        assert "is not kept here: it was removed" in _said(_open(app, view))

    def test_a_view_gets_another_name_and_not_one_that_is_taken(self, app: AppTest) -> None:
        view = _save(app.run(), "One")
        _save(app, "Two")
        app.text_input(key=f"view_name_{view.token}").input("two")
        app.button(key=f"rename_{view.token}").click().run()
        assert "You have a view “two” already" in _said(app)
        app.text_input(key=f"view_name_{view.token}").input("Three")
        app.button(key=f"rename_{view.token}").click().run()
        assert [each.name for each in saved_views.all_views()] == ["Three", "Two"]
        assert not _said(app)
