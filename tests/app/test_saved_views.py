"""Views that are saved under a name: they come back as they were, per visitor, and say so where something is gone."""

import json
import os
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from app_page import Page
from likeness.data import remove_dataset
from likeness.errors import InputError
from parts.view_list import address_of
from server import saved_views
from server.saved_views import SavedView
from server.visitors import own_dir
from state import encode_rows
from worlds import ADA, BEN, dataset, draw, serve, visit


@pytest.fixture
def be(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`be(ADA)`: from now on she is the visitor of a shared server, who may keep three files of a kind."""
    serve(monkeypatch, shared=True, visitor_files=3)
    return lambda who: visit(monkeypatch, who)


def _file(view: SavedView) -> Path:
    return own_dir() / "views" / f"{view.token}.json"


def _keep(name: str, *more: Any) -> SavedView:
    return saved_views.save(SavedView(name, "", *(more or ({},))))


def _names() -> list[str]:
    return [each.name for each in saved_views.all_views()]


def test_what_was_saved_comes_back_under_a_name_that_is_unique_and_can_be_changed() -> None:
    view = saved_views.save(SavedView("  Red \n cars ", "compare", {"a": ["Car color"], "filter_class": ["x", "ü&="]}, "abc"))
    assert view.name == "Red cars"
    assert saved_views.find(view.token) == view
    saved_views.remove(view.token)
    second, first = _keep("b"), _keep("A")
    assert _names() == ["A", "b"]
    with pytest.raises(InputError, match="You already have a view “B”"):
        _keep("B")
    with pytest.raises(InputError, match="already"):
        saved_views.rename(first.token, "B")
    saved_views.rename(second.token, "B")  # its own name in capitals
    saved_views.rename(first.token, "z")
    assert _names() == ["B", "z"]
    for _ in range(2):
        saved_views.remove(first.token)
        assert _names() == ["B"]


def test_what_is_no_name_no_token_or_swells_a_file_is_refused_and_who_may_change_nothing_saves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for view, said in (
        (("",), "Enter a name for the view"),
        ((" \t",), "Enter a name for the view"),
        (("x" * 61,), "61 characters"),
        (("x", {"text": ["y" * 5000]}), "too large to save"),
        (("x", {}, "y" * 9_000_000), "Select fewer images"),
    ):
        with pytest.raises(InputError, match=said):
            _keep(*view)
    assert _names() == []
    for token in ("", "..", "../notions/x", "0" * 16, "0" * 15, "g" * 16):
        with pytest.raises(InputError, match="was removed or belongs"):
            saved_views.find(token)
        saved_views.remove(token)
    kept = _keep("mine")
    monkeypatch.setattr("server.access.refusal", lambda what: "Your account can only view.")
    for act in (lambda: _keep("x"), lambda: saved_views.rename(kept.token, "y"), lambda: saved_views.remove(kept.token)):
        with pytest.raises(InputError, match="can only view"):
            act()
    assert _names() == ["mine"]


def test_a_damaged_one_is_left_out_and_counted_and_a_write_that_fails_leaves_a_view_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, spoilt = _keep("kept", {"a": ["x"]}), _keep("spoilt")
    sound = {"name": "x", "page": "", "parameters": {}, "rows": ""}
    wrong = ({"parameters": []}, {"name": 1}, {"page": "../x"}, {"parameters": {"a": "b"}}, {"parameters": {"a": [1]}}, {"name": ""})
    for content in ("", "{", "[]", "{}", *(json.dumps(sound | each) for each in wrong)):
        _file(spoilt).write_text(content)
        assert (_names(), saved_views.damaged()) == (["kept"], 1)
        with pytest.raises(InputError):
            saved_views.find(spoilt.token)
    _file(spoilt).unlink()
    monkeypatch.setattr(os, "fsync", lambda file: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        saved_views.rename(kept.token, "other")
    assert saved_views.find(kept.token) == kept
    assert [file.name for file in _file(kept).parent.iterdir()] == [f"{kept.token}.json"]


def test_each_sees_and_opens_only_their_own_as_many_as_the_server_keeps(be: Any) -> None:
    be(ADA)
    view, _, _ = (_keep(name) for name in "abc")
    with pytest.raises(InputError, match="You have 3 saved views"):
        _keep("d")
    be(BEN)
    assert _names() == []
    with pytest.raises(InputError, match="someone else"):
        saved_views.find(view.token)
    saved_views.remove(view.token)
    be(ADA)
    assert saved_views.find(view.token) == view


def _save(app: Page, name: str) -> SavedView:
    app.at("view_name").set_value(name)
    app.press("Save view")
    return next(view for view in saved_views.all_views() if view.name == name)


def _open(app: Page, view: SavedView) -> Page:
    """As a browser that follows the view's link to the first page, in a new session."""
    fresh = app.fresh()
    fresh.query_params = parse_qs(urlsplit(address_of(view)).query)
    return fresh.visit()


def test_a_view_holds_spaces_color_filters_search_and_map(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"a": "Car color", "color": "Viewpoint", "filter_body_type": ["van", "suv"], "query": "12", "rows": encode_rows(np.array([3, 9]))}
    view = _save(app.visit(**asked, map_seed="7", beside="Table"), "Vans & more")
    assert app.at("view_name").value == ""
    opened = _open(app, view)
    assert not opened.alerts
    seen, state = opened.session_state["view"], opened.session_state
    assert (seen.a.name, seen.color, state["query"], state["rows"].tolist(), state["beside"]) == ("car color", "viewpoint", 12, [3, 9], "Table")
    assert set(seen.frame["body_type"][~seen.hidden]) == {"van", "suv"}
    assert opened.query_params["layout"] in ("PCA", ["PCA"])
    assert "saved" not in opened.query_params
    assert "Vans & more" in unescape(opened.html)
    rows = np.flatnonzero(np.random.default_rng(0).random(2000) < 0.5)
    monkeypatch.setattr("state.MOST_LETTERS", 10)  # a selection that is too large for a link comes back, too
    app.session_state["rows"] = rows
    assert "rows" not in app.run().query_params
    assert _open(app, _save(app, "Half of them")).session_state["rows"].tolist() == rows.tolist()


def test_a_view_gets_another_name_is_removed_and_says_so_where_its_images_are_gone(app: Page, tmp_path: Path) -> None:
    entry = dataset(draw(tmp_path / "few", 6), "cars-small")
    view = _save(app.visit(dataset=entry.id), "One")
    few = _save(app, "Two")
    for name, names in (("two", ["One", "Two"]), ("Three", ["Three", "Two"])):
        app.at(f"view_name_{view.token}").set_value(name)
        app.click(f"rename_{view.token}")
        assert ("You already have a view “two”" in " ".join(app.toasts)) == (name == "two")
        assert _names() == names
    app.set(f"sure_{view.token}", True).click(f"remove_{view.token}")
    assert _names() == ["Two"]
    assert "was removed or belongs to someone else" in _open(app, view).alerts
    remove_dataset(entry.id)
    assert f"There are no images “{entry.id}” here" in _open(app, few).says("images of this view have been removed").alerts
