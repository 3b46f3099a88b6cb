"""The main job in a real browser: open, switch the notion, edit an aspect, lasso, search by upload and by text, reopen a link."""

import io
import re
from pathlib import Path

from PIL import Image

from browsing import Person
from map_page import DrivenMaps
from worlds import draw


def _pictures(person: Person, section: str) -> list[str]:
    tiles = person.page.get_by_role("region", name=section).locator("img")
    tiles.first.wait_for()
    return [tile.get_attribute("src") for tile in tiles.all()]


def _selected(person: Person) -> int:
    found = re.match(r"([\d,]+) selected", person.page.locator(".lm-count").first.inner_text())
    return int(found[1].replace(",", "")) if found else 0


def test_a_lasso_selects_in_both_maps_downloads_and_survives_recoloring_pages_and_its_link(person: Person) -> None:
    raw = _pictures(person.open("?query=5").map(), "Nearest in Raw encoder")
    color = _pictures(person.choose("Right map", "Car color"), "Nearest in Car color")
    assert len(raw) == len(color) == 24
    assert raw != color
    person.press("Lasso")
    DrivenMaps(person.page).lasso(1, 0, 0, 0.6)
    chosen = _selected(person.settle())
    assert 0 < chosen < 2000
    lines = person.heading(f"{chosen:,} selected").download("Download CSV").read_text().splitlines()
    assert lines[0].startswith("row,path,body_type,car_color")
    assert len(lines) == chosen + 1
    assert _selected(person.choose("Color by", "Viewpoint")) == chosen
    for name in ("Notions", "Explore"):
        assert _selected(person.go(name).map()) == chosen
    assert {"b", "rows"} <= set(person.asked)
    person.page.goto(person.page.url)
    assert _selected(person.map()) == chosen


def test_an_edited_aspect_refits_changes_the_neighbors_and_survives_a_reload(person: Person) -> None:
    def paste(*aspects: str) -> None:
        person.fill("Aspects, one per line", "\n".join(aspects), "Control+Enter").says(f"{len(aspects)} prompts,").settle()

    person.open("?query=5").map().go("Notions").says(re.compile(r"\d+ prompts, \d+ encoded, fitted in")).settle()
    before = _pictures(person, "Car color")
    assert "red" in person.page.get_by_label("Aspects, one per line", exact=True).input_value().splitlines()
    paste("sedan", "van", "pickup")
    assert _pictures(person, "Car color (edited)") != before
    person.press("Undo").says("17 prompts, 0 encoded").settle()
    assert _pictures(person, "Car color") == before
    paste("red", "blue", "green", "black")
    person.open(f"notions?draft={person.asked['draft'][0]}").says("4 prompts,").settle()


def test_search_by_text_and_by_an_uploaded_image(person: Person) -> None:
    def upload(name: str, content: bytes) -> None:
        person.press("By image")
        person.page.locator("input[type='file']").set_input_files({"name": name, "mimeType": "image/png", "buffer": content})

    person.open().map().fill("Search by text", "a red car").heading("Images for “a red car”")
    by_text, picture = _pictures(person, "Nearest in Raw encoder"), io.BytesIO()
    assert person.page.get_by_role("region", name="Nearest in Raw encoder").locator("img").first.bounding_box()["y"] < 900  # without scrolling
    Image.new("RGB", (64, 64), (0, 0, 160)).save(picture, "PNG")
    upload("blue.png", picture.getvalue())
    by_image = _pictures(person.heading("Neighbors of blue.png"), "Nearest in Raw encoder")
    assert by_image != by_text
    person.page.goto(person.page.url)
    assert person.map().page.locator("img[alt='The query']").evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0
    assert _pictures(person, "Nearest in Raw encoder") == by_image
    upload("broken.png", b"not a picture")
    person.says("The image 'broken.png' cannot be read").settle()


def test_a_folder_goes_through_your_images(person: Person, tmp_path: Path) -> None:
    draw(tmp_path / "photos", 24, ("warm", "cold"), size=48)
    (tmp_path / "photos" / "warm" / "broken.png").write_bytes(b"no picture")
    person.open().map().go("Images").fill("Folder on this computer", str(tmp_path / "photos")).press("Add these images")
    person.says("24 images are ready", "1 could not be read and were left out").go("Explore them").says("24 images").map()
    assert "cold" in person.page.locator(".lm-legend").inner_text()
