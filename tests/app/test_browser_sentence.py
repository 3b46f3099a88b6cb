"""Someone types one sentence, presses Enter, and sees another map; adds a word that was left out, and takes it back."""

import re
from typing import Any

import pytest

from browsing import WAIT, settled

pytestmark = pytest.mark.long


def _aspects(page: Any) -> int:
    return int(re.findall(r"\d+", page.get_by_role("tab", name=re.compile(r"^Aspects \(")).inner_text())[0])


def _wait_for_aspects(page: Any, count: int) -> None:
    page.get_by_role("tab", name=f"Aspects ({count})").wait_for(timeout=WAIT)
    settled(page)


def test_a_sentence_makes_a_map(page: Any, server: Any) -> None:
    page.goto(f"{server.url}/notions?data=cars&layout=PCA")
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)
    field = page.get_by_role("textbox", name="Describe it in one sentence")
    field.fill("cars with the same background color")
    field.press("Enter")
    page.get_by_text("What varies").wait_for(timeout=WAIT)
    settled(page)
    assert page.locator("textarea[aria-label='Template']").input_value() == "a car in front of a {} background"
    assert "Car background color" in page.locator(".lm").first.inner_text()
    count = _aspects(page)
    # the first button there is that of the help
    page.locator("[data-testid='stButtonGroup'] button", has_text=re.compile("^gold$")).click()
    _wait_for_aspects(page, count + 1)
    page.get_by_role("button", name="Undo").click()
    _wait_for_aspects(page, count)
    field = page.get_by_role("textbox", name="Describe it in one sentence")
    field.fill("frobnicate")
    field.press("Enter")
    page.get_by_text("names nothing that can vary").wait_for(timeout=WAIT)
    assert _aspects(page) == count
