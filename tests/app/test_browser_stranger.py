"""A person with photos of their own walks through the app: from the first screen to every page, without a label and without a network."""

import re
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest

import navigation
from browsing import WAIT, settled

pytestmark = pytest.mark.long
PHOTOS = 48
WIDTHS = (1440, 1024, 390)


def _map(page: Any) -> None:
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)


def _open(page: Any, name: str) -> None:
    """A page, by the menu."""
    page.get_by_role("link", name=name, exact=True).first.click()
    settled(page)


def _fill(field: Any, text: str) -> None:
    field.fill(text)
    field.press("Enter")


def _says(page: Any, text: str) -> None:
    page.get_by_text(text).first.wait_for(timeout=WAIT)


def _heading(page: Any, text: str) -> None:
    page.locator("[data-testid='stHeading']", has_text=text).first.wait_for(timeout=WAIT)


@pytest.fixture
def photos(shared: Path, tmp_path: Path) -> Path:
    """A folder of photos of which nothing is known."""
    with zipfile.ZipFile(shared / "data" / "flickr8k_700.zip") as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".jpg"))
        for number, name in enumerate(names[:: len(names) // PHOTOS][:PHOTOS]):
            (tmp_path / "photos").mkdir(exist_ok=True)
            (tmp_path / "photos" / f"{number:02d}.jpg").write_bytes(archive.read(name))
    return tmp_path / "photos"


def test_a_stranger_walks_through_the_app(page: Any, fresh_server: Any, photos: Path) -> None:
    page.goto(f"{fresh_server.url}/")
    _map(page)
    _first_screen(page)
    _own_photos(page, photos)
    _search(page)
    _back(page)
    _notion(page)
    _other_pages(page)
    _widths(page, fresh_server.url)
    _links(page, fresh_server.url)
    _remove(page, fresh_server.url)
    page.goto("about:blank")  # the server ends before the page


def _first_screen(page: Any) -> None:
    """The raw map beside car color, one sentence, a template that can be edited there; words that the encoder does not know are named."""
    titles = page.locator(".lm").first.inner_text()
    assert "Raw encoder" in titles
    assert "Car color" in titles
    _says(page, "The same 2,000 images twice: left as the encoder alone places them")
    template = page.locator("input[aria-label^='Template']")
    _fill(template, "a photo of a {} vehicle")
    page.wait_for_url(re.compile("draft="), timeout=WAIT)  # the edit stands in the link
    _map(page)
    assert page.locator("input[aria-label^='Template']").input_value() == "a photo of a {} vehicle"
    _fill(page.get_by_label("Search by text"), "qwxz frobnicate")
    page.get_by_text(re.compile("The encoder does not know .*frobnicate")).first.wait_for(timeout=WAIT)


def _own_photos(page: Any, photos: Path) -> None:
    """A folder becomes a map whose points mean something; a name of one's own."""
    _open(page, "Your images")
    folder = page.get_by_role("textbox", name="Folder on this computer")
    _fill(folder, str(photos))
    settled(page)
    page.get_by_role("button", name="Embed these images").first.click()
    _says(page, f"{PHOTOS} images are ready")
    page.get_by_role("button", name="Rename").first.click()
    page.get_by_role("textbox", name="Name", exact=True).last.fill("Holiday")
    page.get_by_role("button", name="Save the name").click()
    settled(page)
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Explore them").click()
    _heading(page, f"{PHOTOS} images")
    _map(page)
    assert len(page.locator(".lm-legend").inner_text().splitlines()) > 2  # of the starter notion's aspects
    _says(page, "Colors show the aspect that the encoder matches best")


def _search(page: Any) -> None:
    """What is found stands beside the map, with more on demand."""
    _fill(page.get_by_label("Search by text"), "a dog running on the grass")
    _heading(page, "Images for “a dog running on the grass”")
    settled(page)
    tiles = page.get_by_role("region", name="Nearest in Raw encoder").locator("img")
    tiles.first.wait_for(timeout=WAIT)
    assert tiles.count() == 24
    assert tiles.first.bounding_box()["y"] < 900  # without scrolling
    page.get_by_role("button", name="Show 24 more").click()
    settled(page)
    assert page.get_by_role("region", name="Nearest in Raw encoder").locator("img").count() == PHOTOS


def _back(page: Any) -> None:
    page.get_by_role("button", name="Clear the query").click()
    _heading(page, f"{PHOTOS} images")
    settled(page)
    page.locator(".ga-tile").first.click()
    _heading(page, "Neighbors of")
    settled(page)
    page.get_by_role("button", name="Clear the query").click()
    _heading(page, f"{PHOTOS} images")
    settled(page)
    page.go_back()
    _heading(page, "Neighbors of")
    settled(page)
    assert "query" in parse_qs(urlparse(page.url).query)


def _notion(page: Any) -> None:
    """A new notion fits these images as it stands; a list that ends in an empty line is taken, and undone."""
    _open(page, "Notions")
    page.get_by_role("button", name="New", exact=True).click()
    _says(page, "prompts, ")
    settled(page)
    page.get_by_role("tab", name="Paste a list").click()
    field = page.get_by_label("One aspect per line")
    before = field.input_value()
    field.fill("dog\nchild\nbicycle\n")
    field.press("Control+Enter")
    _says(page, "3 prompts,")
    settled(page)
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("3 prompts,").wait_for(state="detached", timeout=WAIT)
    settled(page)
    assert page.get_by_label("One aspect per line").input_value() == before


def _other_pages(page: Any) -> None:
    """No page is empty: each says what it needs, and offers labels by aspects; training opens on these photos."""
    for name in ("Semantics", "Shifts", "Train"):
        _open(page, name)
        _says(page, "Let the encoder label the images")
    for name in ("Compare", "Continuous", "Saliency", "Runs"):
        _open(page, name)
        assert page.locator("[data-testid='stException']").count() == 0
        assert page.locator("[data-testid='stMain']").inner_text().strip()


def _widths(page: Any, url: str) -> None:
    """Nothing stands beside the screen, in any width."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for each in navigation.PAGES:
            page.goto(f"{url}/{each.address}")
            page.get_by_test_id("stMain").wait_for(timeout=WAIT)
            settled(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (each.address, width)
    page.set_viewport_size({"width": 1440, "height": 900})


def _links(page: Any, url: str) -> None:
    """What a link names and is not here is said; no other images stand for it."""
    page.goto(f"{url}/?dataset=images")
    page.get_by_role("button", name="Try again").wait_for(timeout=WAIT)
    assert page.locator(".lm").count() == 0
    page.goto(f"{url}/?a=No%20such%20notion&layout=PCA")
    _says(page, "No such notion")


def _remove(page: Any, url: str) -> None:
    """A question before it, and what it means."""
    page.goto(f"{url}/your_images")
    _says(page, "Holiday")
    page.get_by_role("button", name=re.compile("Remove")).first.click()
    _says(page, "The images stay where they are")
    page.get_by_role("button", name="Remove", exact=True).last.click()
    page.get_by_test_id("stMain").get_by_text("Holiday").first.wait_for(state="detached", timeout=WAIT)
