"""The page Saliency in a real browser: maps, the enlarged view, choosing images, a reload."""

import re
from typing import Any

import pytest

pytestmark = pytest.mark.long
WAIT = 600_000


def _open(page: Any, url: str) -> None:
    """By the menu, as people do."""
    page.goto(f"{url}/?layout=UMAP")  # not the first screen, whose notion alone would be explained
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    page.get_by_role("link", name="Saliency").click()
    page.locator(".pg-cell").first.wait_for(timeout=WAIT)


def test_maps_enlarge_and_the_pointer_is_marked_in_every_picture(page: Any, server: Any) -> None:
    _open(page, server.url)
    titles = page.locator(".pg-sheet .pg-title").all_inner_texts()
    assert titles[:3] == ["Image", "Background color − Raw encoder", "Car color − Raw encoder"]
    widths = page.locator(".pg-cell img").evaluate_all("images => images.map(image => image.naturalWidth)")
    assert len(widths) == 18
    assert set(widths) == {96}
    page.locator(".pg-cell").first.click()
    dialog = page.locator("dialog.pg-large")
    first = dialog.locator(".pg-name").inner_text()
    dialog.locator(".pg-frame").first.hover(position={"x": 40, "y": 60})
    dots = dialog.locator(".pg-frame").evaluate_all("frames => frames.map(frame => frame.style.getPropertyValue('--dot'))")
    assert dots == ["0", "1", "1"]
    page.keyboard.press("ArrowRight")
    assert dialog.locator(".pg-name").inner_text() != first
    page.keyboard.press("ArrowLeft")
    assert dialog.locator(".pg-name").inner_text() == first
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_chosen_images_are_explained_and_stand_in_the_link(page: Any, browser: Any, server: Any) -> None:
    _open(page, server.url)
    page.get_by_text("Choose images").click()
    page.locator(".ga-tile").nth(2).click()
    page.get_by_text("The selected image.").wait_for(timeout=WAIT)
    page.wait_for_url(re.compile("rows="), timeout=WAIT)
    _cells(page, 3)
    page.get_by_text("Both", exact=True).click()
    _cells(page, 6)
    elsewhere = browser.new_page()
    elsewhere.goto(page.url)
    _cells(elsewhere, 6)
    elsewhere.close()


def _cells(page: Any, count: int) -> None:
    from playwright.sync_api import expect

    expect(page.locator(".pg-cell")).to_have_count(count, timeout=WAIT)
