"""Copies and matches as a person comes to them: by mouse and by keys, and two people on one server."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from browsing import WAIT, open_map, settled
from likeness.data import add_dataset, new_entry, read_cars

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A shared server with a folder of 24 pictures, of which four are there twice, as train and as test images."""
    place = tmp_path_factory.mktemp("copies")
    folder = place / "photos"
    folder.mkdir()
    lines = ["path,split"]
    for number, path in enumerate(read_cars().paths()[:20]):
        shutil.copy(path, folder / f"{number:02}.webp")
        lines.append(f"{number:02}.webp,train")
        if number < 4:
            Image.open(path).convert("RGB").resize((90, 90)).save(folder / f"{number:02}_small.png")
            lines.append(f"{number:02}_small.png,test")
    (folder / "images.csv").write_text("\n".join(lines) + "\n")
    entry = new_entry("Twice", "photos/images.csv", "cars")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKENESS_CACHE", str(place / "cache"))
        add_dataset(entry)
    running = request.getfixturevalue("server_class")(place / "cache", "--shared", "--root", str(folder))
    running.dataset = entry.id
    running.wait()
    yield running
    running.stop()


@pytest.fixture
def people(browser: Any, twice: Any) -> Iterator[list[Any]]:
    """Pages of two people, each with cookies of its own; consoles without errors."""
    contexts = [browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True) for _ in range(2)]
    pages, errors = [context.new_page() for context in contexts], []
    for page in pages:
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
    yield pages
    for context in contexts:
        context.close()
    assert not errors


def _first(page: Any) -> str:
    return str(page.locator(".asked img").get_attribute("src"))


def test_how_many_match_by_keys_and_each_person_with_answers_of_their_own(people: list[Any], twice: Any) -> None:
    for page in people:
        open_map(page, f"{twice.url}/?layout=PCA&text=a+red+car&a=Car+color")
        page.get_by_role("button", name="How many match?").click()
        page.get_by_text("asked about first").wait_for(timeout=WAIT)
        settled(page)
    one, other = people
    before = _first(one)
    for key, said in (("y", "1 answer: 1 yes, 0 no."), ("n", "2 answers: 1 yes, 1 no."), ("z", "1 answer: 1 yes, 0 no.")):
        one.keyboard.press(key)
        one.get_by_text(said).wait_for(timeout=WAIT)
        settled(one)
    assert _first(one) != before
    assert _first(other) == before
    one.get_by_role("link", name="Notions", exact=True).click()
    settled(one)
    one.get_by_role("link", name="Explore", exact=True).click()
    one.get_by_text("1 answer: 1 yes, 0 no.").wait_for(timeout=WAIT)
    settled(one)
    one.get_by_role("button", name="Select the matches").click()
    one.locator("h3", has_text="selected").wait_for(timeout=WAIT)
    assert "rows=" in one.url
    assert "rows=" not in other.url
    other.locator("input[aria-label='Search by text']").fill("yny")  # letters that are typed are no answers
    settled(other)
    assert other.get_by_text("asked about first").count() == 1


def test_copies_are_found_left_out_selected_and_downloaded(people: list[Any], twice: Any) -> None:
    from playwright.sync_api import expect

    one, other = people
    one.goto(f"{twice.url}/copies?dataset={twice.dataset}")
    one.get_by_text("Suggested: ").wait_for(timeout=WAIT)  # until then, the line is at another place
    one.get_by_text("4 of 24 images may go").wait_for(timeout=WAIT)
    settled(one)
    expect(one.get_by_text("The first stays: most pixels.")).to_have_count(4, timeout=WAIT)
    expect(one.locator("figure.copy img")).to_have_count(8, timeout=WAIT)
    one.wait_for_function("[...document.querySelectorAll('figure.copy img')].every((img) => img.complete && img.naturalWidth > 0)", timeout=WAIT)
    one.get_by_text("Keep all").first.click()
    one.get_by_text("3 of 24 images may go").wait_for(timeout=WAIT)
    with one.expect_download() as download:
        one.get_by_role("button", name="List of what may go").click()
    assert len(Path(download.value.path()).read_text().split()) == 3
    one.get_by_role("tab", name="Leaks across a split").click()
    one.get_by_text("8 of 24 images have a copy under another split").wait_for(timeout=WAIT)
    settled(one)
    one.get_by_role("button", name="Select them").click()
    settled(one)
    assert "rows=" in one.url
    other.goto(f"{twice.url}/copies?dataset={twice.dataset}")
    other.get_by_text("4 of 24 images may go").wait_for(timeout=WAIT)  # what one leaves whole is not left so for the other
    assert "rows=" not in other.url
