"""Clicks on neighbors without a browser: buttons, the line, undo, what is kept, and what a link or a message may bring."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import likeness as lk
from app_page import Page
from likeness.data import read_dataset
from likeness.errors import InputError
from likeness.notions import Click, get_notion, save_notion, shipped_folder
from shared import clicks, drafts


@pytest.fixture(scope="module")
def paths() -> list[str]:
    return [str(path) for path in read_dataset("cars").frame["path"]]


def _said(app: Page) -> str:
    return next((each.value for each in app.markdown if "more like this" in each.value), "")


def test_only_spaces_of_notions_have_the_buttons(app: Page) -> None:
    app.query_params["b"], app.query_params["query"] = "Car color", "0"
    app.run()
    raw, notion = app.sent("nearest")["sections"]
    assert raw["answers"] is None
    assert notion["answers"] == [None] * 24
    assert not _said(app)


def test_saved_clicks_are_shown(app: Page, paths: list[str]) -> None:
    notion = get_notion("car color", shipped_folder())
    space = lk.embed(lk.read("cars"), "cars")
    near = int(space.refit(notion).nearest(0, 3).rows[2])
    said = (Click(paths[0], paths[near], True), Click(paths[0], "gone.png", False))
    save_notion(replace(notion, name="Clicked", clicks=said))
    app.query_params["a"], app.query_params["query"] = "Clicked", "0"
    app.run()
    assert "2 clicks**: 1 more like this, 1 not" in _said(app)
    (section,) = app.sent("nearest")["sections"]
    assert section["rows"][2] == near
    assert section["answers"] == [None, None, True] + [None] * 21


def test_words_follow_what_was_clicked_and_go_back(app: Page, paths: list[str]) -> None:
    frame = read_dataset("cars").frame
    same = frame["background_color"] == frame["background_color"][0]
    liked, others = frame.index[same][1:4], frame.index[~same & (frame["car_color"] == frame["car_color"][0])][:3]
    draft = drafts.of(get_notion("car color", shipped_folder()))
    app.session_state["draft_history"], app.session_state["draft_valid"] = [draft], draft
    app.session_state["click_asked"] = tuple(Click(paths[0], paths[row], row in liked) for row in (*liked, *others))
    app.query_params["a"], app.query_params["query"] = "My edits", "0"
    app.run()
    assert "6 clicks**: 3 more like this, 3 not. They fit **car background color** better than car color." in _said(app)
    captions = app.sent("nearest")["sections"][0]["captions"]
    assert set(captions) == {frame["background_color"][0]}
    app.press("Undo")
    assert not _said(app)
    assert set(app.sent("nearest")["sections"][0]["captions"]) == {frame["car_color"][0]}
    app.session_state["click_asked"] = (Click(paths[0], paths[int(others[0])], True),)
    app.run()
    assert "1 click**: 1 more like this, 0 not. The words fit them as they are." in _said(app)
    app.press("Forget")
    assert not _said(app)
    assert app.sent("nearest")["sections"][0]["answers"] == [None] * 24


def test_another_notion_in_the_same_template_is_not_said_to_lack_words(app: Page, paths: list[str]) -> None:
    first = drafts.of(get_notion("car color", shipped_folder()))
    after = replace(first, name="paint", aspects="matte\nglossy\nred", clicks=(Click(paths[0], paths[1], True),))
    app.session_state["draft_history"], app.session_state["draft_valid"] = [first, after], after
    app.query_params["a"], app.query_params["query"] = "My edits", "0"
    app.run()
    assert "They fit **paint** better than car color." in _said(app)


def test_a_refused_neighbor_keeps_those_that_were_let_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {}
    monkeypatch.setattr(clicks.st, "session_state", state)
    monkeypatch.setattr(drafts, "current", lambda: draft)
    draft = drafts.of(get_notion("car color", shipped_folder()))
    view: Any = SimpleNamespace(frame=pd.DataFrame({"path": [f"{row}.png" for row in range(40)]}))
    shown = list(range(20, 32))
    clicks.take(draft, view, 3, shown, 27, False)
    (click,) = state["click_asked"]
    assert click == Click("3.png", "27.png", False, tuple(f"{row}.png" for row in range(22, 27)))
    clicked = replace(draft, clicks=(click,))
    monkeypatch.setattr(drafts, "current", lambda: clicked)
    clicks.take(clicked, view, 3, shown, 21, False)
    assert state["click_asked"] == (click, Click("3.png", "21.png", False, ("20.png",)))
    clicks.take(clicked, view, 3, shown[::-1], 27, True)
    assert state["click_asked"] == (Click("3.png", "27.png", True),)
    clicks.take(clicked, view, 3, shown[::-1], 27, False)  # again, which takes it back, whatever stands before it by now
    assert state["click_asked"] == ()


def test_what_was_edited_by_hand_is_not_said_to_be_left_out_by_clicks(app: Page, paths: list[str]) -> None:
    first = drafts.of(get_notion("car color", shipped_folder()))
    clicked = replace(first, aspects="red\nblue\ngreen", clicks=(Click(paths[0], paths[1], True),))
    fewer = replace(clicked, aspects="red\nblue")
    app.session_state["draft_history"], app.session_state["draft_valid"] = [replace(first, aspects="red\nblue\ngreen\npink"), clicked, fewer], fewer
    app.query_params["a"], app.query_params["query"] = "My edits", "0"
    app.run()
    assert "Left out by them: **pink**." in _said(app)
    by_hand = replace(clicked, aspects="red\ngreen")
    app.session_state["draft_history"], app.session_state["draft_valid"] = [replace(clicked, clicks=()), clicked, by_hand], by_hand
    app.run()
    assert "The words fit them as they are." in _said(app)


def test_a_click_is_kept_with_the_draft_and_read_back(paths: list[str]) -> None:
    draft = replace(drafts.of(get_notion("car color", shipped_folder())), clicks=(Click(paths[0], paths[1], False),))
    assert draft.notion.clicks == draft.clicks
    text = json.dumps([drafts.asdict(draft)])
    assert drafts.history_of(text) == [draft]
    with pytest.raises(InputError):
        drafts.history_of(text.replace(paths[1], paths[0]))  # an image beside itself
    many = [drafts.asdict(draft) | {"clicks": [{"query": "a", "neighbor": f"b{each}", "alike": True} for each in range(drafts.MOST_CLICKS + 1)]}]
    with pytest.raises(InputError, match="damaged"):
        drafts.history_of(json.dumps(many))
