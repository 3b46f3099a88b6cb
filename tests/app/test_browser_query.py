"""A query of pictures and words in a browser: a picture dragged onto the bar, a word typed, signs, weights and the keyboard."""

from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest

from browsing import WAIT, open_map, settled

pytestmark = pytest.mark.long


def _terms(page: Any) -> list[str]:
    settled(page)
    return parse_qs(urlparse(page.url).query).get("term", [])


def test_a_picture_is_dragged_and_a_word_typed(page: Any, server: Any) -> None:
    open_map(page, f"{server.url}/?layout=PCA&query=5")
    page.get_by_role("heading", name="Neighbors of").wait_for(timeout=WAIT)
    bar = page.get_by_role("group", name="The query")
    assert bar.locator(".qb-chip").count() == 1
    tile = page.locator(".ga-cell").nth(3)
    tile.drag_to(bar)
    page.get_by_role("heading", name="Images for the whole query").wait_for(timeout=WAIT)
    dragged = _terms(page)
    assert dragged[0] == "1 row:5"
    assert len(dragged) == 2
    page.get_by_label("Search by text").fill("a red car")
    page.get_by_label("Search by text").press("Enter")
    bar.get_by_text("a red car").wait_for(timeout=WAIT)
    assert _terms(page) == [*dragged, "1 text:a red car"]
    assert page.get_by_label("Search by text").input_value() == ""
    bar.get_by_role("button", name="With a red car; click to take it away").click()
    bar.get_by_role("button", name="Without a red car; click to search for it").wait_for(timeout=WAIT)
    bar.get_by_role("button", name="Weight 1 of a red car; click for another").click()
    bar.get_by_role("button", name="Weight 2 of a red car; click for another").wait_for(timeout=WAIT)
    assert _terms(page) == [*dragged, "-2 text:a red car"]
    link = page.url
    found = page.locator(".ga-tile img").first.get_attribute("src")
    open_map(page, link)
    assert bar.locator(".qb-chip").count() == 3
    assert page.locator(".ga-tile img").first.get_attribute("src") == found
    bar.get_by_role("button", name="Remove a red car from the query").press("Enter")
    bar.get_by_text("a red car").wait_for(state="detached", timeout=WAIT)
    assert _terms(page) == dragged
    page.locator(".ga-tile").first.click()  # a plain click makes the image the only query
    page.get_by_role("heading", name="Neighbors of").wait_for(timeout=WAIT)
    assert _terms(page) == []


def test_the_keyboard_adds_words_and_pictures(page: Any, server: Any) -> None:
    open_map(page, f"{server.url}/?layout=PCA&text=a+red+car")
    bar = page.get_by_role("group", name="The query")
    bar.get_by_role("button", name="Add words").press("Enter")
    page.wait_for_function("document.querySelector('[aria-label=\"Search by text\"]').value === ''", timeout=WAIT)
    assert _terms(page) == ["1 text:a red car"]
    page.locator(".ga-add").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Images for the whole query").wait_for(timeout=WAIT)
    page.wait_for_function("new URLSearchParams(location.search).getAll('term').length === 2", timeout=WAIT)
    assert _terms(page)[1].startswith("1 row:")
