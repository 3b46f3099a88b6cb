"""What is said of trust beside a search, a notion and colors comes with a remedy that works."""

from dataclasses import replace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app_page import Page
from likeness.notion_trust import Trust
from likeness.notions import Notion, save_notion
from parts import cached


def _page() -> None:
    import streamlit as st

    from parts import drafts, errors, link, neighbors, selection, sidebar, verdict

    link.begin("explore")
    errors.begin()
    selection.keep_in_url()
    drafts.keep_in_url()
    view = sidebar.choose()
    st.session_state["shown"] = view
    st.text_input("Search", key="text")
    query = neighbors.current_query(view)
    verdict.of_query(view, query)
    verdict.of_presence(view, query)()
    if view.a is not view.base:
        notion = view.notions[st.session_state["a"]]
        verdict.of_words(view, notion)
        verdict.of_notion(view, notion)()
    st.session_state["entry"](view, verdict.of_encoder)
    link.end("explore", True)


@pytest.fixture
def page(app: Page, monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.setattr("streamlit.page_link", lambda page, *, label, icon: st.markdown(f"{label}: {page}"))  # which needs the app's menu
    page: Any = AppTest.from_function(_page, default_timeout=600)
    page.__class__ = Page
    page.session_state["entry"] = lambda view, show: show(view)
    return page


def test_a_search_leaves_out_what_the_encoder_does_not_read(page: Page) -> None:
    page.run().set("text", "a red xqzv car").says("The encoder does not know xqzv")
    page.press("Use fewer words").hides("xqzv")
    assert page.session_state["text"] == "a red car"
    page.set("text", f"a {'red ' * 60}car").says("its end is cut off").press("Use fewer words").hides("cut off")
    assert str(page.session_state["text"]).startswith("a red red")
    assert "Use fewer words" not in page.set("text", "xqzv").says("Use other words.").labels


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a red car", "Images here match “a red car”."),
        ("a red pickup", "Images here match “a red pickup”, or a part of it."),
        ("a car that is not red", "Encoders overlook “not”"),
        ("", None),
    ],
)
def test_a_line_says_whether_anything_matches(page: Page, text: str, said: str | None) -> None:
    page.session_state["text"] = text
    lines = [each.value for each in page.run().main.markdown if each.value]
    assert sum(said in line for line in lines) == 1 if said else not lines


def test_a_notion_leaves_out_what_the_encoder_does_not_read(page: Page, cache: Any) -> None:
    save_notion(Notion("paint", "a {} car", ["red", "green xqzv", "wjkq"]), folder=cache / "notions")
    page.run().set("a", "paint").says("The encoder does not know wjkq, xqzv").press("Use fewer words").hides("does not know")
    assert page.session_state["shown"].a.vectors.shape[1] == 2
    assert page.session_state["draft_history"][-1].aspects == "red\ngreen"


def test_a_doubtful_notion_gives_its_place_to_a_starter_that_can_be_relied_on(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    trust = cached.trust
    monkeypatch.setattr(cached, "trust", lambda base, notion: Trust(0.1, 1.0, 0.1, False) if notion.name == "viewpoint" else trust(base, notion))
    monkeypatch.setattr(cached, "first_starter", lambda base, notions: "car color")
    page.run().set("a", "viewpoint").says("do not rely on this notion").press("Try the starter notion Car color").hides("do not rely")
    assert page.at("a").value == "car color"
    monkeypatch.setattr(cached, "first_starter", lambda base, notions: "")
    page.set("a", "viewpoint").says("Choose another encoder: pages/images/page.py")


def test_an_encoder_that_sees_little_is_said_with_the_way_to_others(page: Page) -> None:
    assert not page.run().warning
    doubtful = "It hardly tells them apart."
    page.session_state["entry"] = lambda view, show: show(replace(view, entry=replace(view.entry, warning=doubtful)))
    assert page.run().warnings == [doubtful]
    page.says("Choose another encoder: pages/images/page.py")
