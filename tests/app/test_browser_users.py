"""Several people on one shared server, in browsers of their own: nobody sees what another edits, selects, asks for, saves or uploads."""

import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from browsing import WAIT, settled

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A shared server with one root, `photos`, and a folder beside it that nobody may see."""
    place = tmp_path_factory.mktemp("shared")
    for folder, color in (("photos/birds", (200, 60, 20)), ("secret", (20, 60, 200))):
        (place / folder).mkdir(parents=True)
        for shade in range(12):
            Image.new("RGB", (48, 48), tuple(part + 2 * shade for part in color)).save(place / folder / f"{shade}.png")
    (place / "photos" / "way_out").symlink_to(place / "secret")
    server_class = request.getfixturevalue("server_class")
    running = server_class(place / "cache", "--shared", "--root", str(place / "photos"))
    running.place = place
    running.wait()
    yield running
    running.stop()


@pytest.fixture
def people(browser: Any, shared_server: Any) -> Iterator[list[Any]]:
    """Pages of two people, each with cookies of its own; consoles without errors."""
    contexts = [browser.new_context(viewport={"width": 1280, "height": 900}) for _ in range(2)]
    pages, errors = [context.new_page() for context in contexts], []
    for page in pages:
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
    yield pages
    for context in contexts:
        context.close()
    assert not errors


def _open(page: Any, url: str) -> None:
    page.goto(url)
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)


def _go(page: Any, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()
    settled(page)


def _edit(page: Any, words: list[str]) -> None:
    _go(page, "Notions")
    page.get_by_text(re.compile(r"\d+ prompts, \d+ encoded, fitted in")).wait_for(timeout=WAIT)
    page.get_by_role("tab", name="Paste a list").click()
    field = page.get_by_label("One aspect per line")
    field.fill("\n".join(words))
    field.press("Control+Enter")
    page.get_by_text(f"{len(words)} prompts,").wait_for(timeout=WAIT)
    settled(page)


def test_edits_selections_and_queries_stay_with_their_browser(people: list[Any], shared_server: Any) -> None:
    words = [["red", "blue"], ["green", "white", "black"]]
    ada, ben = people
    for page, own in zip(people, words, strict=True):
        _open(page, f"{shared_server.url}/?layout=PCA" + ("&query=5" if page is ada else ""))
        _edit(page, own)
    for page, own in zip(people, words, strict=True):
        assert page.get_by_label("One aspect per line").input_value().splitlines() == own
        page.get_by_text(f"{len(own)} prompts,").wait_for(timeout=WAIT)
        _go(page, "Explore")
    ben.get_by_label("Search by text").fill("a red car")
    ben.get_by_label("Search by text").press("Enter")
    ben.get_by_role("heading", name="Images for “a red car”").wait_for(timeout=WAIT)
    ada.get_by_role("heading", name=re.compile("Neighbors of")).wait_for(timeout=WAIT)
    ada.reload()
    ada.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    _go(ada, "Notions")
    ada.get_by_text("2 prompts,").wait_for(timeout=WAIT)  # an edit survives the reload, in its own browser


def test_uploads_and_saved_notions_are_private(people: list[Any], shared_server: Any) -> None:
    ada, ben = people
    for page in (ada, ben):
        _open(page, f"{shared_server.url}/?layout=PCA")
    _go(ada, "Your images")
    ada.get_by_role("tab", name="Upload").click()
    files = []
    for shade in range(12):
        picture = io.BytesIO()
        Image.new("RGB", (48, 48), (20 * shade, 90, 30)).save(picture, "PNG")
        files.append({"name": f"{shade}.png", "mimeType": "image/png", "buffer": picture.getvalue()})
    ada.locator("input[type='file']").set_input_files(files)
    ada.get_by_role("textbox", name="Name").fill("Zebras **of** Ada")
    ada.get_by_role("textbox", name="Name").press("Enter")
    settled(ada)
    ada.get_by_role("tabpanel", name="Upload").get_by_role("button", name="Embed these images").click()
    ada.get_by_text("12 images are ready").wait_for(timeout=WAIT)
    ada.get_by_role("link", name="Explore them").click()
    ada.get_by_text("12 images", exact=True).first.wait_for(timeout=WAIT)
    link = ada.url
    _go(ben, "Your images")
    ben.get_by_role("heading", name="Your images", exact=True).wait_for(timeout=WAIT)
    ben.get_by_test_id("stMain").get_by_text("Synthetic Cars").first.wait_for(timeout=WAIT)
    assert ben.get_by_text("Zebras").count() == 0
    assert ben.get_by_text("images are ready").count() == 0
    _open(ada, f"{shared_server.url}/?layout=PCA")  # a new session of the same browser
    _go(ada, "Your images")
    ada.get_by_text("Zebras **of** Ada").first.wait_for(timeout=WAIT)
    assert re.search(r"dataset=[0-9a-f]{32}", link)
    _open(ben, link)  # who was given the link can open it
    ben.get_by_text("12 images", exact=True).first.wait_for(timeout=WAIT)

    _go(ada, "Notions")
    ada.get_by_role("textbox", name="Name", exact=True).fill("ada's own notion")
    ada.get_by_role("textbox", name="Name", exact=True).press("Enter")
    settled(ada)
    ada.get_by_role("button", name="Save").click()
    settled(ada)
    assert list((shared_server.cache / "visitors").glob("*/notions/ada-s-own-notion-*.yaml"))
    assert not (shared_server.cache / "notions").exists()


def test_no_path_leads_out_of_the_roots_and_none_is_shown(people: list[Any], shared_server: Any) -> None:
    page, place = people[0], shared_server.place
    _open(page, f"{shared_server.url}/?layout=PCA")
    _go(page, "Your images")
    refused = [str(place / "secret"), "photos/way_out", "uploads"]  # others in tests/app/test_access.py
    for typed in refused:
        field = page.get_by_role("textbox", name="Folder on this server")
        field.fill(typed)
        field.press("Enter")
        settled(page)
        page.get_by_role("tabpanel", name="Folder").get_by_role("button", name="Embed these images").click()
        page.get_by_text(re.compile("cannot be reached here")).first.wait_for(timeout=WAIT)
        settled(page)
    said = page.locator("[data-testid='stMain']").inner_text()
    assert str(place) not in said
    field.fill("photos/birds")
    field.press("Enter")
    settled(page)
    page.get_by_role("tabpanel", name="Folder").get_by_role("button", name="Embed these images").click()
    page.get_by_text("12 images are ready").wait_for(timeout=WAIT)
    _go(page, "Train")
    page.get_by_text("Training is turned off on this server").wait_for(timeout=WAIT)
    _open(people[1], f"{shared_server.url}/?layout=PCA")
    _go(people[1], "Your images")
    people[1].get_by_text("birds").first.wait_for(timeout=WAIT)  # what lies below a root is everyone's
