"""The browser's history: Back brings back what was cleared."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest
from PIL import Image

from browsing import WAIT, open_map, settled
from likeness.data import new_entry

pytestmark = pytest.mark.long


def _asked(page: Any) -> dict[str, list[str]]:
    return parse_qs(urlparse(page.url).query)


def test_back_brings_a_cleared_selection_and_query_back(page: Any, server: Any) -> None:
    open_map(page, f"{server.url}/?layout=PCA")
    page.locator("[data-testid='stHeading']", has_text="2,000 images").wait_for(timeout=WAIT)
    begun = page.evaluate("history.length")
    open_map(page, f"{server.url}/?layout=PCA&query=5&rows=eNpjZmBg4AZiAABMAA8")
    page.get_by_role("heading", name="2 selected").wait_for(timeout=WAIT)
    page.get_by_role("button", name="Clear the selection").click()
    page.get_by_role("heading", name="2 selected").wait_for(state="detached", timeout=WAIT)
    page.get_by_role("button", name="Clear the query").click()
    page.locator("[data-testid='stHeading']", has_text="2,000 images").wait_for(timeout=WAIT)
    settled(page)
    assert not {"rows", "query"} & set(_asked(page))
    assert page.evaluate("history.length") == begun + 3  # a step for each action
    page.go_back()
    page.get_by_role("heading", name="Neighbors of").wait_for(timeout=WAIT)
    settled(page)
    assert page.get_by_role("heading", name="2 selected").count() == 0
    page.go_back()
    page.get_by_role("heading", name="2 selected").wait_for(timeout=WAIT)
    settled(page)
    assert {"rows", "query"} <= set(_asked(page))
    page.go_forward()
    page.get_by_role("heading", name="2 selected").wait_for(state="detached", timeout=WAIT)


def test_back_leads_to_the_images_of_before_with_what_was_asked_of_them(page: Any, fresh_server: Any, tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / "photos" / "ab"[number % 2]).mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (20, 20), (20 * number, 90, 60)).save(tmp_path / "photos" / "ab"[number % 2] / f"{number}.png")
    entry = new_entry("Photos", str(tmp_path / "photos"), "cars-small")
    fresh_server.cache.mkdir(exist_ok=True)
    (fresh_server.cache / "datasets.json").write_text(json.dumps([asdict(entry)]))
    open_map(page, f"{fresh_server.url}/?layout=PCA&query=5&filter_body_type=van")
    page.get_by_role("heading", name="Neighbors of").wait_for(timeout=WAIT)
    page.locator("section[data-testid='stSidebar']").get_by_label("Images", exact=True).click()
    page.get_by_role("option", name="Photos", exact=True).click()
    page.locator("[data-testid='stHeading']", has_text="12 images").wait_for(timeout=WAIT)
    settled(page)
    assert _asked(page)["dataset"] == [entry.id]
    assert not {"query", "filter_body_type"} & set(_asked(page))
    page.go_back()
    page.get_by_role("heading", name="Neighbors of").wait_for(timeout=WAIT)
    settled(page)
    assert "dataset" not in _asked(page)
    assert (_asked(page)["query"], _asked(page)["filter_body_type"]) == (["5"], ["van"])
    page.go_forward()
    page.locator("[data-testid='stHeading']", has_text="12 images").wait_for(timeout=WAIT)
    settled(page)
    page.get_by_role("link", name="Notions").click()
    settled(page)
    assert _asked(page)["dataset"] == [entry.id]
    page.go_back()
    page.locator("[data-testid='stHeading']", has_text="12 images").wait_for(timeout=WAIT)
    page.goto("about:blank")  # the server ends before the page
