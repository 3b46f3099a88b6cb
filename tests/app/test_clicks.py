"""Clicks on neighbors without a browser: buttons, the line, undo, what is kept, and what a link or a message may bring."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from app_page import Page
from likeness.data import read_dataset
from likeness.errors import InputError
from likeness.notions import Click, get_notion, save_notion, shipped_folder
from parts import clicks, drafts
from worlds import car_paths, cars

PATHS = car_paths()


def _said(app: Page) -> str:
    return next((each.value for each in app.markdown if "more like this" in each.value), "")


def _answers(app: Page) -> list[Any]:
    return [section["answers"] for section in app.sent("nearest")["sections"]]


def _show(app: Page, *history: drafts.Draft) -> Page:
    """The neighbors of the first image by edits of which these are the steps."""
    app.session_state["draft_history"], app.session_state["draft_valid"] = list(history), history[-1]
    return app.visit(a="My edits", query="0")


@pytest.fixture
def draft() -> drafts.Draft:
    return drafts.of(get_notion("car color", shipped_folder()))


def test_only_spaces_of_notions_have_the_buttons_and_saved_clicks_are_shown(app: Page) -> None:
    app.visit(b="Car color", query="0")
    assert (_answers(app), _said(app)) == ([None, [None] * 24], "")
    notion = get_notion("car color", shipped_folder())
    near = int(cars().refit(notion).nearest(0, 3).rows[2])
    save_notion(replace(notion, name="Clicked", clicks=(Click(PATHS[0], PATHS[near], True), Click(PATHS[0], "gone.png", False))))
    app = app.fresh("layout").visit(a="Clicked", query="0")
    assert "2 clicks**: 1 more like this, 1 not" in _said(app)
    assert app.sent("nearest")["sections"][0]["rows"][2] == near
    assert _answers(app) == [[None, None, True] + [None] * 21]


def test_words_follow_what_was_clicked_and_go_back(app: Page, draft: drafts.Draft) -> None:
    frame = read_dataset("cars").frame
    same = frame["background_color"] == frame["background_color"][0]
    liked, others = frame.index[same][1:4], frame.index[~same & (frame["car_color"] == frame["car_color"][0])][:3]
    app.session_state["clicks_clicks"] = tuple(Click(PATHS[0], PATHS[row], row in liked) for row in (*liked, *others))
    _show(app, draft)
    assert all(each in _said(app) for each in ("6 clicks**: 3 more like this, 3 not", "**car background color**"))
    assert set(app.sent("nearest")["sections"][0]["captions"]) == {frame["background_color"][0]}
    assert not _said(app.press("Undo"))
    assert set(app.sent("nearest")["sections"][0]["captions"]) == {frame["car_color"][0]}
    app.session_state["clicks_clicks"] = (Click(PATHS[0], PATHS[int(others[0])], True),)
    assert "1 click**: 1 more like this, 0 not" in _said(app.run())
    assert not _said(app.press("Forget"))
    assert _answers(app) == [[None] * 24]


def test_only_what_clicks_have_changed_is_said_of_them(app: Page, draft: drafts.Draft) -> None:
    clicked = replace(draft, aspects="red\nblue\ngreen", clicks=(Click(PATHS[0], PATHS[1], True),))
    another = replace(clicked, name="paint", aspects="matte\nglossy\nred")  # in the same template
    assert "They fit **paint**" in _said(_show(app, draft, another))
    first, fewer = replace(draft, aspects="red\nblue\ngreen\npink"), replace(clicked, aspects="red\nblue")
    assert "Words removed: **pink**." in _said(_show(app, first, clicked, fewer))
    by_hand = replace(clicked, aspects="red\ngreen")
    assert "The words already fit." in _said(_show(app, replace(clicked, clicks=()), clicked, by_hand))


def test_a_refused_neighbor_keeps_those_that_were_let_pass(monkeypatch: pytest.MonkeyPatch, draft: drafts.Draft) -> None:
    state: dict[str, Any] = {}
    monkeypatch.setattr(clicks.st, "session_state", state)
    monkeypatch.setattr(drafts, "current", lambda: draft)
    view: Any = SimpleNamespace(frame=pd.DataFrame({"path": [f"{row}.png" for row in range(40)]}))
    shown = list(range(20, 32))
    clicks.take(draft, view, 3, shown, 27, False)
    (click,) = state["clicks_clicks"]
    assert click == Click("3.png", "27.png", False, tuple(f"{row}.png" for row in range(22, 27)))
    clicked = replace(draft, clicks=(click,))
    monkeypatch.setattr(drafts, "current", lambda: clicked)
    clicks.take(clicked, view, 3, shown, 21, False)
    assert state["clicks_clicks"] == (click, Click("3.png", "21.png", False, ("20.png",)))
    clicks.take(clicked, view, 3, shown[::-1], 27, True)
    assert state["clicks_clicks"] == (Click("3.png", "27.png", True),)
    clicks.take(clicked, view, 3, shown[::-1], 27, False)  # again, which takes it back, whatever stands before it by now
    assert state["clicks_clicks"] == ()


def test_a_click_is_kept_with_the_draft_and_read_back(draft: drafts.Draft) -> None:
    draft = replace(draft, clicks=(Click(PATHS[0], PATHS[1], False),))
    assert draft.notion.clicks == draft.clicks
    text = json.dumps([drafts.asdict(draft)])
    assert drafts.history_of(text) == [draft]
    many = [{"query": "a", "neighbor": f"b{each}", "alike": True} for each in range(drafts.MOST_CLICKS + 1)]
    for damaged in (text.replace(PATHS[1], PATHS[0]), json.dumps([drafts.asdict(draft) | {"clicks": many}])):  # at first an image beside itself
        with pytest.raises(InputError):
            drafts.history_of(damaged)
