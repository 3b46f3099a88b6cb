"""The main job in a real browser: open, switch the notion, edit an aspect, lasso, search by upload and by text, reopen a link."""

import io
import re
from typing import Any
from urllib.parse import parse_qs, urlparse

from PIL import Image

from browsing import WAIT, at_rest, open_map, settled


def _open_notions(page: Any, url: str) -> None:
    """By the menu, as people do."""
    open_map(page, url)
    page.get_by_role("link", name="Notions").click()
    page.get_by_text(re.compile(r"\d+ prompts, \d+ encoded, fitted in")).wait_for(timeout=WAIT)
    settled(page)


def _choose(page: Any, label: str, option: str) -> None:
    field = page.locator("section[data-testid='stSidebar']").get_by_label(label, exact=True)
    field.scroll_into_view_if_needed()
    at_rest(field)  # a list closes where the sidebar still scrolls
    field.click()
    page.get_by_role("option", name=option, exact=True).click()
    settled(page)


def _pictures(page: Any, section: str) -> list[str]:
    tiles = page.get_by_role("region", name=section).locator("img")
    tiles.first.wait_for(timeout=WAIT)
    return [tile.get_attribute("src") for tile in tiles.all()]


def _lasso(page: Any, panel: int, left: float, top: float, right: float, bottom: float) -> None:
    """Draws around a rectangle, in shares of the panel's width and height."""
    page.get_by_role("button", name="Lasso").click()
    box = page.locator(".lm-overlay").nth(panel).bounding_box()
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    points = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point, steps=8)
    page.mouse.up()
    settled(page)


def _selected(page: Any) -> int:
    text = page.locator(".lm-count").first.inner_text()
    found = re.match(r"([\d,]+) selected", text)
    return int(found[1].replace(",", "")) if found else 0


def test_a_lasso_selects_in_both_maps_downloads_and_survives_recoloring_pages_and_its_link(page: Any, server: Any) -> None:
    open_map(page, f"{server.url}/?query=5")
    raw = _pictures(page, "Nearest in Raw encoder")
    _choose(page, "Space B", "Car color")
    color = _pictures(page, "Nearest in Car color")
    assert len(raw) == len(color) == 24
    assert raw != color
    _lasso(page, 1, 0.2, 0.2, 0.8, 0.8)
    chosen = _selected(page)
    assert 0 < chosen < 2000
    assert page.get_by_role("heading", name=f"{chosen:,} selected").is_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    lines = download.value.path().read_text().splitlines()
    assert lines[0].startswith("row,path,body_type,car_color")
    assert len(lines) == chosen + 1
    _choose(page, "Color by", "Viewpoint")
    assert _selected(page) == chosen
    page.get_by_role("link", name="Notions").click()
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)
    assert _selected(page) == chosen
    page.get_by_role("link", name="Explore").click()
    settled(page)
    assert _selected(page) == chosen
    link = page.url
    assert {"b", "rows"} <= set(parse_qs(urlparse(link).query))
    open_map(page, link)
    assert _selected(page) == chosen


def _paste(page: Any, *aspects: str) -> None:
    field = page.get_by_label("One aspect per line")
    field.fill("\n".join(aspects))
    field.press("Control+Enter")
    page.get_by_text(f"{len(aspects)} prompts,").wait_for(timeout=WAIT)
    settled(page)


def test_an_edited_aspect_refits_changes_the_neighbors_and_survives_a_reload(page: Any, server: Any) -> None:
    _open_notions(page, f"{server.url}/?query=5")
    before = _pictures(page, "Now")
    page.get_by_role("tab", name="Paste a list").click()
    assert "red" in page.get_by_label("One aspect per line").input_value().splitlines()
    _paste(page, "sedan", "van", "pickup")
    assert _pictures(page, "Now") != before
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("17 prompts, 0 encoded").wait_for(timeout=WAIT)
    settled(page)
    assert _pictures(page, "Now") == before
    _paste(page, "red", "blue", "green", "black")
    token = parse_qs(urlparse(page.url).query)["draft"][0]
    _open_notions(page, f"{server.url}/?draft={token}")
    page.get_by_text("4 prompts,").wait_for(timeout=WAIT)
    settled(page)


def test_search_by_text_and_by_an_uploaded_image(page: Any, server: Any) -> None:
    open_map(page, server.url)
    page.get_by_label("Search by text").fill("a red car")
    page.get_by_label("Search by text").press("Enter")
    page.get_by_role("heading", name="Images for “a red car”").wait_for(timeout=WAIT)
    by_text = _pictures(page, "Nearest in Raw encoder")
    picture = io.BytesIO()
    Image.new("RGB", (64, 64), (0, 0, 160)).save(picture, "PNG")
    page.get_by_role("button", name="Search by image").click()
    page.locator("input[type='file']").set_input_files({"name": "blue.png", "mimeType": "image/png", "buffer": picture.getvalue()})
    page.get_by_role("heading", name="Neighbors of blue.png").wait_for(timeout=WAIT)
    settled(page)
    by_image = _pictures(page, "Nearest in Raw encoder")
    assert by_image != by_text
    open_map(page, page.url)
    assert page.locator("img[alt='The query']").evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0
    assert _pictures(page, "Nearest in Raw encoder") == by_image
    page.get_by_role("button", name="Search by image").click()
    page.locator("input[type='file']").set_input_files({"name": "broken.png", "mimeType": "image/png", "buffer": b"not a picture"})
    page.get_by_text("The image 'broken.png' cannot be read").wait_for(timeout=WAIT)
    settled(page)


def test_a_folder_goes_through_your_images(page: Any, server: Any, tmp_path: Any) -> None:
    for name, color in {"warm": (200, 60, 20), "cold": (20, 60, 200)}.items():
        (tmp_path / "photos" / name).mkdir(parents=True)
        for shade in range(12):
            Image.new("RGB", (48, 48), tuple(min(255, part + 4 * shade) for part in color)).save(tmp_path / "photos" / name / f"{shade}.png")
    (tmp_path / "photos" / "warm" / "broken.png").write_bytes(b"no picture")
    open_map(page, server.url)
    page.get_by_role("link", name="Your images").click()
    folder = page.get_by_role("textbox", name="Folder on this computer")
    folder.fill(str(tmp_path / "photos"))
    folder.press("Enter")
    settled(page)
    page.get_by_role("button", name="Embed these images").first.click()
    page.get_by_text("24 images are ready").wait_for(timeout=WAIT)
    page.get_by_text("1 could not be read and were left out").wait_for(timeout=WAIT)
    page.get_by_role("link", name="Explore them").click()
    page.get_by_text("24 images", exact=True).first.wait_for(timeout=WAIT)
    settled(page)
    assert "cold" in page.locator(".lm-legend").inner_text()
