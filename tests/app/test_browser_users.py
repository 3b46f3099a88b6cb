"""Several people on one shared server, in browsers of their own: nobody sees what another edits, selects, asks for, saves, answers or uploads."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from browsing import Person
from likeness.data import add_dataset, new_entry, read_cars
from worlds import draw

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def shared_server(begin_once: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A shared server with one root, `photos`, and a folder beside it that nobody may see.

    In the root 24 pictures are a dataset, `entry`, of which four are there twice, as train and as test images.
    """
    place = tmp_path_factory.mktemp("shared")
    for folder in ("photos/birds", "secret"):
        draw(place / folder, 12, size=48)
    (place / "photos" / "way_out").symlink_to(place / "secret")
    (place / "photos" / "twice").mkdir()
    lines = ["path,split"]
    for number, path in enumerate(read_cars().paths()[:20]):
        shutil.copy(path, place / "photos" / "twice" / f"{number:02}.webp")
        lines.append(f"{number:02}.webp,train")
        if number < 4:
            Image.open(path).convert("RGB").resize((90, 90)).save(place / "photos" / "twice" / f"{number:02}_small.png")
            lines.append(f"{number:02}_small.png,test")
    (place / "photos" / "twice" / "images.csv").write_text("\n".join(lines) + "\n")
    entry = new_entry("Twice", "photos/twice/images.csv", "cars")
    running = begin_once("--shared", "--root", str(place / "photos"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKENESS_CACHE", str(running.cache))
        add_dataset(entry)
    running.place, running.entry = place, entry.id
    return running


@pytest.fixture
def two(people: Callable[..., Person], shared_server: Any) -> tuple[Person, Person]:
    ada, ben = (people(shared_server) for _ in range(2))
    return ada, ben


def _edit(person: Person, *words: str) -> None:
    person.go("Notions").says(re.compile(r"\d+ prompts, \d+ encoded, fitted in"))
    person.fill("Aspects, one per line", "\n".join(words), "Control+Enter").says(f"{len(words)} prompts,").settle()


def test_edits_selections_and_queries_stay_with_their_browser(two: tuple[Person, Person]) -> None:
    ada, ben = two
    words = {ada: ("red", "blue"), ben: ("green", "white", "black")}
    for person, own in words.items():
        _edit(person.open("?layout=PCA" + ("&query=5" if person is ada else "")).map(), *own)
    for person, own in words.items():
        assert person.page.get_by_label("Aspects, one per line", exact=True).input_value().splitlines() == list(own)
        person.says(f"{len(own)} prompts,").go("Explore")
    ben.fill("Search by text", "a red car").heading("Images for “a red car”")
    ada.heading("Neighbors of")
    ada.page.reload()
    ada.map().go("Notions").says("2 prompts,")  # an edit survives the reload, in its own browser


def test_uploads_and_saved_notions_are_private_and_no_path_leads_out_of_the_roots(
    two: tuple[Person, Person], shared_server: Any, tmp_path: Path
) -> None:
    ada, ben = (person.open("?layout=PCA").map() for person in two)
    ada.go("Images").tab("Upload")
    ada.page.locator("input[type='file']").set_input_files(sorted(draw(tmp_path / "zebras", 12, size=48).iterdir()))
    ada.fill("Name", "Zebras **of** Ada")
    ada.page.get_by_role("tabpanel", name="Upload").get_by_role("button", name="Add these images").click()
    ada.says("12 images are ready").go("Explore them").says("12 images")
    link = ada.page.url
    ben.go("Images").heading("Images").page.get_by_test_id("stMain").get_by_text("Synthetic Cars").first.wait_for()
    assert ben.page.get_by_text("Zebras").count() == 0
    assert ben.page.get_by_text("images are ready").count() == 0
    ada.open("images").says("Zebras **of** Ada")  # a new session of the same browser
    embed = ada.page.get_by_role("tabpanel", name="Folder").get_by_role("button", name="Add these images")
    for typed in (str(shared_server.place / "secret"), "photos/way_out", "uploads"):  # others in tests/app/test_access.py
        ada.fill("Folder on this server", typed).click(embed).says("cannot be reached here")
    assert str(shared_server.place) not in ada.text
    ada.fill("Folder on this server", "photos/birds").click(embed).says("12 images are ready")
    ben.open("images").says("birds")  # what lies below a root is everyone's
    assert re.search(r"dataset=[0-9a-f]{32}", link)
    ben.page.goto(link)  # who was given the link can open it
    ben.map().says("12 images")
    ada.go("Train").says("Training is turned off on this server")
    ada.go("Notions").fill("Name", "ada's own notion").press("Save")
    assert list((shared_server.cache / "visitors").glob("*/notions/ada-s-own-notion-*.yaml"))
    assert not (shared_server.cache / "notions").exists()


def test_how_many_match_by_keys_and_each_person_with_answers_of_their_own(two: tuple[Person, Person]) -> None:
    def asked(person: Person) -> str:
        return str(person.page.locator(".asked img").get_attribute("src"))

    begun = "The most informative images come first"
    one, other = (person.open("?layout=PCA&text=a+red+car&a=Car+color").map().press("How many match?").says(begun) for person in two)
    before = asked(one)
    for key, said in (("y", "1 answer: 1 yes, 0 no."), ("n", "2 answers: 1 yes, 1 no."), ("z", "1 answer: 1 yes, 0 no.")):
        one.keys(key).says(said).settle()
    assert asked(one) != before
    assert asked(other) == before
    one.go("Notions").go("Explore").says("1 answer: 1 yes, 0 no.").press("Select the matches")
    one.page.locator("h3", has_text="selected").wait_for()
    assert one.rows
    assert not other.rows
    other.page.locator("input[aria-label='Search by text']").fill("yny")  # letters that are typed are no answers
    assert other.settle().page.get_by_text(begun).count() == 1


def test_duplicates_are_found_unticked_selected_and_downloaded(two: tuple[Person, Person], shared_server: Any) -> None:
    from playwright.sync_api import expect

    one, other = two
    one.open(f"copies?dataset={shared_server.entry}").says("4 of 24 images are ticked").settle()
    expect(one.page.get_by_text("Suggested to stay: the first (most pixels)")).to_have_count(4, timeout=600_000)
    expect(one.page.locator(".ga-section", has_text="Suggested to stay").locator(".ga-cell img")).to_have_count(8, timeout=600_000)
    one.click(one.page.locator(".ga-ticked .ga-tick").first).says("3 of 24 images are ticked")
    one.press("Download")
    assert len(one.download("Images to remove").read_text().split()) == 3
    one.page.keyboard.press("Escape")
    one.tab("Leaks across a split").says("8 of 24 images have a duplicate with another split").settle().press("Select those")
    assert len(one.rows) == 4
    other.open(f"copies?dataset={shared_server.entry}").says("4 of 24 images are ticked")  # the ticks of one are not those of the other
    assert not other.rows
