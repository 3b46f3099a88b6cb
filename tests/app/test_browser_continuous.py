"""The page Continuous in Chromium: labels on the pictures, a click that asks anew, another label, and the link that reopens it."""

import re
from typing import Any

import pytest

from browsing import WAIT, settled

pytestmark = pytest.mark.long
# Galleries live in shadow roots, which Playwright's locators see through and document.querySelector does not.
_LOADED = """(count) => {
  const found = [];
  const walk = (root) => { for (const each of root.querySelectorAll("*")) {
    if (each.matches(".ga-tile:not([hidden]) img")) found.push(each);
    if (each.shadowRoot) walk(each.shadowRoot);
  } };
  walk(document);
  return found.length === count && found.every((each) => each.complete && each.naturalWidth > 0);
}"""
_SHOWS = """(source) => {
  const walk = (root) => [...root.querySelectorAll("*")].some((each) =>
    (each.matches(".ga-query img") && each.getAttribute("src") === source) || (each.shadowRoot && walk(each.shadowRoot)));
  return walk(document);
}"""
_PICTURES = 1 + 2 * 8 + 12  # the query, two rows, other queries


def _settled(page: Any) -> None:
    settled(page)
    page.wait_for_function(_LOADED, arg=_PICTURES, timeout=WAIT)


def _row(source: str) -> int:
    return int(re.search(r"/(\d+)(\?|$)", source)[1])  # type: ignore[index]


def test_a_click_on_a_picture_asks_with_it_and_labels_can_be_changed(page: Any, server: Any) -> None:
    page.goto(f"{server.url}/?layout=UMAP")  # not the first screen, which shows two spaces
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    page.get_by_role("link", name="Continuous").click()
    page.get_by_role("heading", name="Continuous", exact=True).wait_for(timeout=WAIT)
    _settled(page)
    tiles = page.locator(".ga-tile:visible")
    before = tiles.first.locator("img").get_attribute("src")
    assert before.startswith("./labeled/cars/")
    assert "kind=angles" in before

    third = tiles.nth(3)  # the third retrieved picture
    wanted = third.locator("img").get_attribute("src")
    assert third.get_attribute("title").startswith("Rank 3, ")
    third.click()
    page.wait_for_url(re.compile(rf"[?&]query={_row(wanted)}(&|$)"), timeout=WAIT)
    page.wait_for_function(_SHOWS, arg=wanted, timeout=WAIT)
    _settled(page)
    assert tiles.first.locator("img").get_attribute("src") == wanted != before
    assert "ga-query" in tiles.first.get_attribute("class")
    page.locator(".js-plotly-plot").wait_for(timeout=WAIT)
    names = page.locator(".js-plotly-plot").evaluate("plot => plot.data.map((trace) => trace.name)")
    assert set(names) == {"Raw encoder", "Oracle", "Chance"}

    page.locator(".st-key-continuous_label").get_by_role("combobox").click()
    page.get_by_role("option", name="Numbers").click()
    page.get_by_text("The mark shows where the number lies").wait_for(timeout=WAIT)
    _settled(page)
    assert "kind=numbers" in tiles.first.locator("img").get_attribute("src")
    assert _row(tiles.first.locator("img").get_attribute("src")) == _row(wanted)  # the query stays
    assert "continuous_label=Numbers" in page.url

    page.get_by_text("Draw labels").click()
    page.get_by_text("The mark shows where the number lies").wait_for(state="detached", timeout=WAIT)
    _settled(page)
    assert tiles.first.locator("img").get_attribute("src") == f"./thumbnails/cars/{_row(wanted)}"
