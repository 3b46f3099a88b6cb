"""Views that are saved under a name: they come back as they were, per visitor, and say so where something is gone."""

import os
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

import saved_views
from app_page import Page
from likeness.data import remove_dataset
from likeness.errors import InputError
from saved_views import SavedView
from shared import selection
from shared.view_list import address_of
from visitors import own_dir
from worlds import ADA, BEN, dataset, draw, serve, visit


@pytest.fixture
def be(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`be(ADA)`: from now on she is the visitor of a shared server, who may keep three files of a kind."""
    serve(monkeypatch, shared=True, visitor_files=3)
    return lambda who: visit(monkeypatch, who)


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

    def test_names_and_tokens_that_are_none(self) -> None:
        for name, said in (("", "has no name"), (" \t", "has no name"), ("x" * 61, "61 letters")):
            with pytest.raises(InputError, match=said):
                saved_views.save(SavedView(name, "", {}))
        assert saved_views.all_views() == []
        for token in ("", "..", "../notions/x", "0" * 16, "0" * 15, "g" * 16):
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


def _save(app: Page, name: str) -> SavedView:
    app.at("view_name").set_value(name)
    app.press("Save view")
    return next(view for view in saved_views.all_views() if view.name == name)


def _open(app: Page, view: SavedView) -> Page:
    """As a browser that follows the view's link to the first page, in a new session."""
    fresh = app.fresh()
    fresh.query_params = parse_qs(urlsplit(address_of(view)).query)
    fresh.run()
    return fresh


class TestPage:
    def test_a_view_holds_spaces_color_filters_search_and_map(self, app: Page) -> None:
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
        assert not opened.alerts
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

    def test_a_selection_that_is_too_large_for_a_link_comes_back(self, app: Page) -> None:
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

    def test_a_view_of_images_that_are_gone_says_so(self, app: Page, tmp_path: Path) -> None:
        entry = dataset(draw(tmp_path / "few", 6), "cars-small")
        view = _save(app.visit(dataset=entry.id), "Few")
        remove_dataset(entry.id)
        opened = _open(app, view)
        assert f"There are no images “{entry.id}” here" in opened.alerts
        assert any("The images of this view are not here any more." in each.value for each in opened.caption)

    def test_a_view_gets_another_name_and_is_removed(self, app: Page) -> None:
        view = _save(app.run(), "One")
        _save(app, "Two")
        app.at(f"view_name_{view.token}").set_value("two")
        app.click(f"rename_{view.token}")
        assert "You have a view “two” already" in app.alerts
        app.at(f"view_name_{view.token}").set_value("Three")
        app.click(f"rename_{view.token}")
        assert [each.name for each in saved_views.all_views()] == ["Three", "Two"]
        assert not app.alerts
        app.set(f"sure_{view.token}", True).click(f"remove_{view.token}")
        assert [each.name for each in saved_views.all_views()] == ["Two"]
        assert "is not kept here: it was removed" in _open(app, view).alerts
