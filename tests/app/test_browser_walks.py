"""Whole ways of people with a folder of their own: from looking to doing, a stranger on every page, and a map that follows each edit."""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import navigation
from browsing import Person, row_of, until
from likeness.data import list_datasets, read_cars, read_dataset
from likeness.tagging import TagStore, tag_store

pytestmark = pytest.mark.long

COLORS = ("red", "blue", "lime", "black")
EACH, COPIES = 30, 6
PHOTOS = 48
WIDTHS = (1440, 1024, 390)


@pytest.fixture
def newcomer(fresh_server: Any, people: Callable[..., Person]) -> Person:
    """The first visitor of a server."""
    return people(fresh_server)


def _bring(person: Person, folder: Path, encoder: str = "") -> None:
    """Has the images of a folder embedded."""
    person.open("images").fill("Folder on this computer", str(folder))
    if encoder:
        person.page.get_by_role("combobox", name="Encoder").click()
        person.click(person.page.get_by_role("option", name=re.compile(encoder)).first)
    person.press("Add these images").says(f"{len(list(folder.iterdir()))} images are ready").settle()


def _paste(person: Person, text: str) -> None:
    person.fill("Aspects, one per line", text, "Control+Enter").says(f"{len(text.split())} prompts,").settle()


@pytest.fixture
def cars_folder(tmp_path: Path) -> Path:
    """Pictures of cars in four colors, of which nothing but the files' names tells which, and six copies of some, smaller and saved again."""
    cars, place = read_cars(), tmp_path / "photos"
    place.mkdir()
    kept: Counter[str] = Counter()
    for row, color in enumerate(cars.frame["car_color"].astype(str)):
        if color in COLORS and kept[color] < EACH:
            (place / f"{row:04}-{color}.webp").write_bytes(cars.paths()[row].read_bytes())
            kept[color] += 1
    for file in sorted(place.glob("*.webp"))[: 10 * COPIES : 10]:
        with Image.open(file) as picture:
            picture.convert("RGB").resize((96, 96)).save(place / f"{file.stem}-again.jpg", quality=85)
    return place


class Owner:
    """Somebody with that folder; who looks at a picture sees the car's color."""

    def __init__(self, person: Person, folder: Path) -> None:
        self.person, self.page, self.folder = person, person.page, folder
        self.table = read_dataset(str(folder))
        self.paths = [str(path) for path in self.table.frame["path"]]
        self.dataset = next(entry.id for entry in list_datasets() if entry.source == str(folder))

    @property
    def store(self) -> TagStore:
        return tag_store(str(self.folder), self.table)

    def labels(self, name: str) -> Any:
        return self.store.columns(self.paths)[name]

    def color(self, path: str) -> str:
        return path.split("-")[1].removesuffix(".webp")

    def sees(self, picture: Any) -> str:
        return self.color(self.paths[row_of(picture)])

    def open(self, address: str) -> Person:
        return self.person.open(f"{address}{'&' if '?' in address else '?'}dataset={self.dataset}")

    def waits_for_label(self, count: str = r"\d+") -> None:
        self.page.get_by_role("button", name=re.compile(f"Label {count} image")).first.wait_for()
        self.person.settle()

    def tiles(self) -> Any:
        """The pictures' cells, once they are there."""
        self.page.locator(".ga-tile img").first.wait_for()
        self.person.settle()
        return self.page.locator(".ga-tile")


def test_from_looking_to_doing(newcomer: Person, cars_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Notion, names, lasso, label, spread, ten corrections, cut-off, copies, export, opened elsewhere."""
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "served"))
    _bring(newcomer, cars_folder, "[Cc]ars")
    owner = Owner(newcomer, cars_folder)
    for step in (_look, _label, _spread, _cut_off, _copies):
        step(owner)
    _export(owner, tmp_path / "out.json")


def _look(owner: Owner) -> None:
    """The notion's map, and on it the names of its clusters, of words that the person gives; a click on one selects its images."""
    owner.open("?layout=PCA&a=Car+color&names=clusters&words=red,blue,lime,black")
    names = owner.page.locator(".lm-map-name")
    names.first.wait_for()
    assert set(names.all_inner_texts()) <= set(COLORS)
    name, box = names.first.inner_text(), names.first.bounding_box()
    owner.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    owner.waits_for_label()
    shown = [owner.sees(tile) for tile in owner.page.locator(".ga-tile img").all()]
    assert Counter(shown).most_common(1)[0][0] == name


def _label(owner: Owner) -> None:
    """A lasso around all points for a tag; three images of each color, ticked among what a search finds, for a value."""
    page = owner.page
    owner.open("?layout=PCA&a=Car+color").map()
    page.locator(".lm button[title^='Lasso'], .lm button[aria-label^='Lasso']").first.click()
    box = page.locator(".lm canvas").first.bounding_box()
    for place, (x, y) in enumerate([(0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99), (0.01, 0.02)]):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=6)
        if not place:
            page.mouse.down()
    page.mouse.up()
    owner.waits_for_label(str(len(owner.paths)))
    owner.person.give("mine")
    assert owner.labels("mine").all()
    for color in COLORS:
        owner.open(f"?layout=PCA&a=Car+color&text=a+{color}+car")
        right = [tile for tile in owner.tiles().all()[:24] if owner.sees(tile.locator("img")) == color][:3]
        for tile in right:
            tile.click(modifiers=["Control"])
        owner.waits_for_label("3")
        owner.person.give("paint", color)
    assert owner.labels("paint").value_counts().to_dict() == dict.fromkeys(COLORS, 3)


def _spread(owner: Owner) -> None:
    """Two screens are confirmed but for what is wrong, ten images that teach most are said, and the rest is kept apart."""
    page, person = owner.page, owner.open("label?a=Car+color")
    for _ in range(2):
        value, before = page.locator("h3").first.inner_text().split(": ")[1].rstrip("?"), owner.store.version()
        for tile in page.locator(".ga-tile").all():
            if owner.sees(tile.locator("img")) != value:
                tile.click()
        person.settle().keys("y")
        until(page, lambda before=before: owner.store.version() > before)
        if page.get_by_text(re.compile("What (are these|is this)")).count():
            person.keys("l")
    person.click(page.get_by_text("Uncertain", exact=True))
    said = 0
    while said < 10:
        tiles = owner.tiles()
        color = owner.sees(tiles.first.locator("img"))
        alike = [tile for tile in tiles.all() if owner.sees(tile.locator("img")) == color][: 10 - said]
        for tile in alike:
            tile.click()
        person.says(f"label the {len(alike)} ticked").settle()
        person.click(page.get_by_role("button", name=re.compile(f"^{color}")).first)
        said += len(alike)
    person.click(page.get_by_text("Apply to the rest")).says(re.compile("likely wrong|labeled by people"))
    person.click(page.get_by_role("button", name=re.compile("Save as")).first).says("images have it now")
    spread = owner.labels("paint (spread)").dropna()
    right = sum(owner.color(owner.paths[row]) == value for row, value in spread.items())
    assert len(spread) > len(owner.labels("paint").dropna()) >= 12 + 10
    assert right >= 0.9 * len(spread)


def _cut_off(owner: Owner) -> None:
    """How many are red: twelve answers, and the matches are the selection."""
    person = owner.open("?layout=PCA&a=Car+color&text=a+red+car")
    owner.tiles()
    person.press("How many match?")
    for count in range(1, 13):
        person.keys("y" if owner.sees(owner.page.locator(".asked img")) == "red" else "n").says(re.compile(f"{count} answers?: ")).settle()
    person.press("Select the matches")
    owner.waits_for_label()
    person.give("found red")
    matches, red = owner.labels("found red").to_numpy(), [owner.color(path) == "red" for path in owner.paths]
    hits = sum(match and is_red for match, is_red in zip(matches, red, strict=True))
    assert 2 * hits / (matches.sum() + sum(red)) > 0.9  # F1


def _tagged_copies(owner: Owner) -> set[str]:
    return {path for path, is_copy in zip(owner.paths, owner.labels("copy"), strict=True) if is_copy}


def _copies(owner: Owner) -> None:
    owner.open("duplicates").says(re.compile(r"\d+ of \d+ images are ticked")).settle()
    for tick in owner.page.get_by_role("button", name="Tick all but the first").all():  # where no threshold can be measured
        owner.person.click(tick)
    owner.person.click(owner.page.get_by_role("button", name=re.compile("Tag them")).first).says("images have the tag")
    assert {path for path in owner.paths if "-again" in path} <= _tagged_copies(owner)  # the smaller ones go


def _export(owner: Owner, out: Path) -> None:
    """What is no copy, with its spread labels, as a COCO file from the page, which its own library opens."""
    from pycocotools.coco import COCO

    person = owner.open("?layout=PCA&filter_copy=False").map().press("Export").choose("For", "COCO").choose("Classes", "Paint (spread)")
    person.keys("Escape").press("Create the file")
    link = owner.page.get_by_role("link", name=re.compile("Download .*coco.json"))
    link.wait_for()
    out.write_bytes(person.settle().download(link).read_bytes())
    opened = COCO(str(out))
    assert {each["file_name"] for each in json.loads(out.read_text())["images"]} == set(owner.paths) - _tagged_copies(owner)
    assert str(owner.folder.parent) not in out.read_text()
    categories = opened.loadCats(opened.getCatIds())
    assert {category["name"] for category in categories} == set(COLORS)
    for category in categories:
        images = opened.loadImgs(opened.getImgIds(catIds=[category["id"]]))
        assert images
        assert sum(f"-{category['name']}." in image["file_name"] for image in images) >= 0.9 * len(images)


@pytest.fixture
def photos(shared: Path, tmp_path: Path) -> Path:
    """A folder of photos of which nothing is known."""
    (tmp_path / "photos").mkdir()
    with zipfile.ZipFile(shared / "data" / "flickr8k_700.zip") as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".jpg"))
        for number, name in enumerate(names[:: len(names) // PHOTOS][:PHOTOS]):
            (tmp_path / "photos" / f"{number:02d}.jpg").write_bytes(archive.read(name))
    return tmp_path / "photos"


def test_a_stranger_walks_through_the_app(newcomer: Person, photos: Path) -> None:
    """From the first screen to every page, without a label and without a network."""
    newcomer.open().map()
    _first_screen(newcomer)
    newcomer.go("Images")
    _bring(newcomer, photos)
    for step in (_own_photos, _search, _notion, _other_pages, _widths, _links, _remove):
        step(newcomer)


def _first_screen(person: Person) -> None:
    """The raw map beside car color, one sentence, a template that can be edited there; words that the encoder does not know are named."""
    titles = person.page.locator(".lm").first.inner_text()
    assert "Raw encoder" in titles
    assert "Car color" in titles
    person.press("Change the words")
    template = person.says("The same 2,000 images twice: by the raw encoder on the left").page.locator("input[aria-label^='Template']")
    template.fill("a photo of a {} vehicle")
    template.press("Enter")
    person.page.wait_for_url(re.compile("draft="))  # the edit stands in the link
    person.map()
    assert template.input_value() == "a photo of a {} vehicle"
    person.fill("Search by text", "qwxz frobnicate").says(re.compile("The encoder does not know .*frobnicate"))


def _own_photos(person: Person) -> None:
    """They have a name of one's own, and a map whose points mean something."""
    person.page.get_by_role("button", name="Rename").first.click()
    person.page.get_by_role("textbox", name="Name", exact=True).last.fill("Holiday")
    person.press("Save the name").keys("Escape").go("Explore them").heading(f"{PHOTOS} images").map()
    assert len(person.page.locator(".lm-legend").inner_text().splitlines()) > 2  # of the starter notion's aspects
    person.says("Colors show the aspect that fits each image best")


def _search(person: Person) -> None:
    """What is found stands beside the map, with more on demand; Back leads to what was asked before."""
    person.fill("Search by text", "a dog running on the grass").heading("Images for “a dog running on the grass”")
    tiles = person.page.get_by_role("region", name="Nearest in Raw encoder").locator("img")
    tiles.first.wait_for()
    assert tiles.count() == 24
    assert tiles.first.bounding_box()["y"] < 900  # without scrolling
    person.press("Show 24 more")
    assert tiles.count() == PHOTOS
    person.press("Clear the query").heading(f"{PHOTOS} images").click(".ga-tile").press("Search with it").heading("Neighbors of")
    person.press("Clear the query").heading(f"{PHOTOS} images").page.go_back()
    assert "query" in person.heading("Neighbors of").asked


def _notion(person: Person) -> None:
    """A new notion fits these images as it stands; a list that ends in an empty line is taken, and undone."""
    field = person.page.get_by_label("Aspects, one per line", exact=True)
    person.go("Notions").press("New").says("prompts, ").settle()
    before = field.input_value()
    _paste(person, "dog\nchild\nbicycle\n")
    person.press("Undo").page.get_by_text("3 prompts,").wait_for(state="detached")
    assert person.settle() and field.input_value() == before  # noqa: PT018


def _other_pages(person: Person) -> None:
    """No page is empty: each says what it needs, and offers labels by aspects; training opens on these photos."""
    for name in ("Semantics", "Shifts", "Train"):
        person.go(name).says("Let the encoder label the images")
    for name in ("Methods", "Continuous", "Saliency", "Runs"):
        assert person.go(name).page.locator("[data-testid='stException']").count() == 0
        assert person.text.strip()


def _widths(person: Person) -> None:
    """Nothing stands beside the screen, in any width."""
    for width in WIDTHS:
        person.page.set_viewport_size({"width": width, "height": 900})
        for each in navigation.PAGES:
            person.open(each.address)
            assert person.page.evaluate("document.documentElement.scrollWidth") <= width, (each.address, width)
    person.page.set_viewport_size({"width": 1440, "height": 900})


def _links(person: Person) -> None:
    """What a link names and is not here is said; no other images stand for it."""
    person.open("?dataset=images").button("Try again").wait_for()
    assert person.page.locator(".lm").count() == 0
    person.open("?a=No%20such%20notion&layout=PCA").says("No such notion")


def _remove(person: Person) -> None:
    """A question before it, and what it means."""
    person.open("images").says("Holiday").page.get_by_role("button", name=re.compile("Remove")).first.click()
    person.says("The image files are kept").page.get_by_role("button", name="Remove", exact=True).last.click()
    person.page.get_by_test_id("stMain").get_by_text("Holiday").first.wait_for(state="detached")


def test_the_map_of_own_images_follows_each_edit_of_a_notion_and_a_reload_keeps_its_colors(newcomer: Person, tmp_path: Path) -> None:
    """However soon it is laid out and however long the rest of the page takes."""
    folder, rng = tmp_path / "pictures", np.random.default_rng(0)
    folder.mkdir()
    for number in range(300):  # a patch of one color on another one
        pixels = np.empty((48, 48, 3), np.uint8)
        pixels[:] = rng.integers(0, 256, 3)
        left, top = rng.integers(0, 30, 2)
        pixels[top : top + 18, left : left + 18] = rng.integers(0, 256, 3)
        Image.fromarray(pixels).save(folder / f"{number:03d}.png")
    _bring(newcomer, folder)
    newcomer.go("Explore them").map().go("Notions").map().press("New")
    for aspects in ("red\ngreen\nblue", "red\ngreen\nblue\nyellow", "light\ndark"):
        _paste(newcomer, aspects)
        for note in newcomer.page.locator(".lm-head .lm-caption").all():
            note.wait_for(state="hidden")
    newcomer.go("Explore").map().press("New notion (edited)")
    legend = newcomer.page.locator(".lm-legend", has_text="New notion (edited)")
    legend.wait_for()
    newcomer.page.wait_for_url(re.compile(r"color=Aspects"))  # else a reload takes the first color
    newcomer.page.reload()
    legend.wait_for()
