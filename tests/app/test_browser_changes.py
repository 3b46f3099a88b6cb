"""The view What changed in a real browser: see what moved, click an image, see its neighbors, take it to the map."""

import re
from typing import Any

import pytest

from browsing import WAIT, settled
from likeness.comparisons import neighborhood_changes
from likeness.data import read_cars
from likeness.embedding import embed
from likeness.notions import get_notion

pytestmark = pytest.mark.long


def test_an_image_that_moved_is_clicked_and_seen_on_the_map(page: Any, server: Any) -> None:
    raw = embed(read_cars())
    found = neighborhood_changes(raw, raw.refit(get_notion("car color")))
    third = int(found.rows[found.most_moved()[2]])
    page.goto(f"{server.url}/compare?b=Car+color&color=Car+color&compare=What+changed")
    page.get_by_text("an image keeps").wait_for(timeout=WAIT)
    page.locator(".ga-tile").nth(2).click(timeout=WAIT)
    page.wait_for_url(re.compile(rf"query={third}(&|$)"), timeout=WAIT)
    settled(page)
    page.get_by_text("Neighbors in Car color").wait_for(timeout=WAIT)
    page.get_by_role("button", name="Select these 24").click()
    page.wait_for_url(re.compile("rows="), timeout=WAIT)
    settled(page)
    page.get_by_role("link", name="See them on the map").click()
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    page.get_by_role("heading", name="24 selected").wait_for(timeout=WAIT)
    assert f"query={third}" in page.url
