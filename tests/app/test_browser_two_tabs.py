"""Two tabs of a browser with the same link to a notion's edits."""

import re
from typing import Any

import pytest

from browsing import WAIT, settled

pytestmark = pytest.mark.long


def _fill(page: Any, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True).first
    field.fill(text)
    field.press("Enter" if label == "Name" else "Control+Enter")  # the name is one line
    settled(page)


def test_two_tabs_edit_one_notion(page: Any, browser: Any, server: Any) -> None:
    page.goto(f"{server.url}/notions?layout=PCA&notion=car%20color")
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)
    _fill(page, "Question", "Which paint?")
    page.wait_for_url(re.compile("draft="), timeout=WAIT)
    other = browser.new_page(viewport={"width": 1440, "height": 900})
    other.goto(page.url)
    other.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(other)
    _fill(page, "Template", "a photo of a {} car")
    _fill(other, "Name", "Paint")
    assert other.get_by_label("Template", exact=True).first.input_value() == "a photo of a {} car"
    _fill(other, "Template", "a drawing of a {} car")
    _fill(page, "Template", "a picture of a {} car")
    page.get_by_text("changed in another tab, too").wait_for(timeout=WAIT)
    assert page.get_by_label("Name", exact=True).first.input_value() == "Paint"
    assert page.get_by_label("Template", exact=True).first.input_value() == "a picture of a {} car"
    page.get_by_text("a drawing of a {} car", exact=True).first.wait_for(timeout=WAIT)
    page.get_by_role("button", name="Undo", exact=True).first.click()
    settled(page)
    assert page.get_by_label("Template", exact=True).first.input_value() == "a drawing of a {} car"
    other.reload()
    other.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(other)
    assert other.get_by_label("Template", exact=True).first.input_value() == "a drawing of a {} car"
    other.close()
