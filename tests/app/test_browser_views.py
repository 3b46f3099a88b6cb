"""Saved views in a browser: saved on one page, opened from another one."""

from typing import Any

import pytest

from browsing import WAIT, open_map, settled


@pytest.mark.long
def test_a_view_is_saved_opened_from_another_page_and_removed(page: Any, server: Any) -> None:
    open_map(page, f"{server.url}/?layout=PCA&a=Car+color&filter_body_type=van&query=12")
    page.get_by_text("Saved views").click()
    page.get_by_label("Name of the view").fill("Vans <b>by</b> color")
    page.get_by_label("Name of the view").press("Enter")
    page.locator("a.saved-view").wait_for(timeout=WAIT)
    settled(page)
    assert page.locator("a.saved-view").inner_text() == "Vans <b>by</b> color"
    page.goto(f"{server.url}/continuous")
    settled(page)
    page.get_by_text("Saved views").click()
    page.locator("a.saved-view").click()
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)
    address = page.evaluate("Object.fromEntries(new URL(location).searchParams)")
    assert {"layout": "PCA", "a": "Car color", "filter_body_type": "van", "query": "12"}.items() <= address.items()
    assert "saved" not in address
    assert page.evaluate("location.pathname") == "/"
    page.locator(".lm-count", has_text="305 of 2,000 images").wait_for(timeout=WAIT)
    page.get_by_text("Saved views").click()
    page.locator("[class*='st-key-view_menu_'] button").first.click()
    page.get_by_text("Remove this view for good").click()
    settled(page)
    page.get_by_role("button", name="Remove", exact=True).click()
    page.locator("a.saved-view").wait_for(state="detached", timeout=WAIT)
