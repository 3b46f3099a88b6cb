"""The map of own images follows an edit of a notion, however soon it is laid out and however long the rest of the page takes."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from browsing import WAIT, settled

pytestmark = pytest.mark.long
IMAGES = 300


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A folder of small pictures: a patch of one color on another one."""
    folder, rng = tmp_path / "pictures", np.random.default_rng(0)
    folder.mkdir()
    for number in range(IMAGES):
        pixels = np.empty((48, 48, 3), np.uint8)
        pixels[:] = rng.integers(0, 256, 3)
        left, top = rng.integers(0, 30, 2)
        pixels[top : top + 18, left : left + 18] = rng.integers(0, 256, 3)
        Image.fromarray(pixels).save(folder / f"{number:03d}.png")
    return folder


def _begin_notion_on(page: Any, url: str, pictures: Path) -> None:
    """Embeds a folder and opens an empty notion."""
    page.goto(f"{url}/your_images")
    folder = page.get_by_role("textbox", name="Folder on this computer")
    folder.fill(str(pictures))
    folder.press("Enter")
    settled(page)
    page.get_by_role("button", name="Embed these images").first.click()
    page.get_by_text(f"{len(list(pictures.iterdir()))} images are ready").first.wait_for(timeout=WAIT)
    page.get_by_role("link", name="Explore them").click()
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)
    page.get_by_role("link", name="Notions", exact=True).first.click()
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)
    page.get_by_role("button", name="New", exact=True).click()
    settled(page)


def _paste(page: Any, aspects: str) -> None:
    page.get_by_role("tab", name="Paste a list").click()
    field = page.get_by_label("One aspect per line")
    field.fill(aspects)
    field.press("Control+Enter")
    page.get_by_text(f"{len(aspects.splitlines())} prompts,").first.wait_for(timeout=WAIT)
    settled(page)


def test_the_map_follows_each_edit_of_a_notion_on_own_images(page: Any, fresh_server: Any, pictures: Path) -> None:
    _begin_notion_on(page, fresh_server.url, pictures)
    for aspects in ("red\ngreen\nblue", "red\ngreen\nblue\nyellow", "light\ndark"):
        _paste(page, aspects)
        for note in page.locator(".lm-head .lm-caption").all():
            note.wait_for(state="hidden", timeout=WAIT)
    page.goto("about:blank")  # the server ends before the page


def test_a_reload_keeps_the_aspects_that_color_own_images(page: Any, fresh_server: Any, pictures: Path) -> None:
    for picture in sorted(pictures.glob("*.png"))[20:]:
        picture.unlink()
    _begin_notion_on(page, fresh_server.url, pictures)
    _paste(page, "red\ngreen\nblue")
    page.get_by_role("link", name="Explore", exact=True).first.click()
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)
    page.get_by_role("button", name="My edits", exact=True).click()
    page.locator(".lm-legend", has_text="Aspects of My edits").wait_for(timeout=WAIT)
    page.wait_for_url(re.compile(r"color=Aspects"), timeout=WAIT)  # else a reload takes the first color
    page.reload()
    page.locator(".lm-legend", has_text="Aspects of My edits").wait_for(timeout=WAIT)
    page.goto("about:blank")  # the server ends before the page
