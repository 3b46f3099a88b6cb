"""Two people label the same images in browsers of their own: each sees what the other says, an undo leaves it, and a killed server loses nothing."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accounts import set_password
from browsing import WAIT, settled, until
from likeness.data import read_cars
from likeness.tagging import TagStore
from shared.selection import encode

pytestmark = pytest.mark.long

PASSWORD = "as long as it has to be"


@pytest.fixture
def begin(tmp_path: Path, server_class: Any) -> Iterator[Any]:
    """`begin()`: a server with accounts on the same files as the one before."""
    for name, role in (("ben", "edit"), ("dan", "edit"), ("ada", "view")):
        set_password(tmp_path / "people.txt", name, PASSWORD, role)
    running = []

    def start() -> Any:
        running.append(server_class(tmp_path / "cache", "--shared", "--auth", str(tmp_path / "people.txt")))
        running[-1].wait()
        return running[-1]

    yield start
    for each in running:
        each.stop()


@pytest.fixture
def person(browser: Any) -> Iterator[Any]:
    """`person(server, "ben")`: his page, signed in."""
    contexts = []

    def come(server: Any, name: str) -> Any:
        contexts.append(browser.new_context(viewport={"width": 1400, "height": 900}))
        page = contexts[-1].new_page()
        page.goto(server.url)
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
        return page

    yield come
    for context in contexts:
        context.close()


@pytest.fixture
def paths() -> list[str]:
    return [str(path) for path in read_cars().frame["path"]]


def _store(server: Any) -> TagStore:
    (file,) = (server.cache / "tags").glob("*.sqlite")
    return TagStore(file)


def _open(page: Any, server: Any, rows: list[int]) -> None:
    page.goto(f"{server.url}/?layout=PCA&a=Raw%20encoder&rows={encode(np.array(rows, np.int64))}")
    page.get_by_role("button", name=re.compile(f"Label {len(rows)} image")).wait_for(timeout=WAIT)
    settled(page)


def _give(page: Any, name: str, value: str = "") -> None:
    page.get_by_role("button", name=re.compile(r"Label \d+ image")).click()
    for label, text in (("Name", name), ("Value", value)):
        if text:
            page.get_by_label(label, exact=True).last.fill(text)
            page.keyboard.press("Enter")
            settled(page)
    page.get_by_role("button", name="Give", exact=True).click()
    page.get_by_text(re.compile("given to")).first.wait_for(timeout=WAIT)
    page.keyboard.press("Escape")
    settled(page)


def test_two_people_label_the_same_images(begin: Any, person: Any, paths: list[str]) -> None:
    server = begin()
    ben, dan, ada = person(server, "ben"), person(server, "dan"), person(server, "ada")
    _open(ben, server, [1, 2, 3])
    _open(dan, server, [3, 4])
    _give(ben, "breed", "beagle")
    dan.get_by_role("button", name=re.compile("breed: beagle")).wait_for(timeout=WAIT)  # by itself, within seconds
    settled(dan)
    _give(dan, "breed", "collie")
    found = _store(server).columns(paths)["breed"]
    assert found.iloc[[1, 2, 3, 4]].tolist() == ["beagle", "beagle", "collie", "collie"]
    ben.get_by_role("button", name=re.compile("breed: collie")).wait_for(timeout=WAIT)
    ben.keyboard.press("u")
    ben.get_by_text(re.compile("1 that others have changed since stay as they are")).wait_for(timeout=WAIT)
    found = _store(server).columns(paths)["breed"]
    assert found.dropna().to_dict() == {3: "collie", 4: "collie"}
    log = _store(server).log()
    assert set(log["who"]) == {"ben", "dan"}
    ada.goto(f"{server.url}/?layout=PCA&rows={encode(np.array([1, 2], np.int64))}")
    label = ada.get_by_role("button", name=re.compile("Label 2 images")).first
    label.wait_for(timeout=WAIT)
    assert label.is_disabled()


def test_a_killed_server_has_lost_nothing_that_was_said(begin: Any, person: Any, paths: list[str]) -> None:
    for turn in range(2):
        server = begin()
        for name, row in (("ben", 10 + turn), ("dan", 20 + turn)):
            page = person(server, name)
            _open(page, server, [row])
            _give(page, f"of {name}")
        os.kill(server.pid, signal.SIGKILL)
    server = begin()
    found = _store(server).columns(paths)
    assert {name: found[name].to_numpy().nonzero()[0].tolist() for name in found} == {"of ben": [10, 11], "of dan": [20, 21]}
    dan = person(server, "dan")
    _open(dan, server, [20, 21])
    assert dan.get_by_role("button", name=re.compile("of dan")).is_visible()


def test_pictures_are_ticked_by_mouse_and_keys_and_typing_labels_nothing(begin: Any, person: Any, paths: list[str]) -> None:
    server = begin()
    page = person(server, "ben")
    page.goto(f"{server.url}/?layout=PCA&a=Raw%20encoder")
    tiles = page.locator(".ga-tile")
    tiles.first.wait_for(timeout=WAIT)
    settled(page)
    tiles.nth(0).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Shift+ArrowRight")
    page.get_by_role("button", name=re.compile("Label 2 images")).wait_for(timeout=WAIT)
    settled(page)
    tiles.nth(5).click(modifiers=["Control"])
    tiles.nth(7).click(modifiers=["Shift"])
    page.get_by_role("button", name=re.compile("Label 5 images")).wait_for(timeout=WAIT)
    settled(page)
    assert page.locator(".ga-ticked").count() == 5
    _give(page, "good")
    assert _store(server).columns(paths)["good"].to_numpy().nonzero()[0].tolist() == [0, 1, 5, 6, 7]
    version = _store(server).version()
    field = page.get_by_role("textbox", name="Search by text")
    field.click()
    page.keyboard.type("1u1")  # keys of labels and of undo
    settled(page)
    assert _store(server).version() == version
    assert field.input_value() == "1u1"


def test_a_tick_that_was_just_taken_away_counts(begin: Any, person: Any, paths: list[str]) -> None:
    """Y and 1 right after a click: what has no tick on the screen gets no label."""
    server = begin()
    page = person(server, "ben")
    _open(page, server, [0])
    _give(page, "paint", "red")
    _open(page, server, [1])
    _give(page, "paint", "blue")
    page.goto(f"{server.url}/label")
    tiles = page.locator(".ga-tile")
    tiles.first.wait_for(timeout=WAIT)
    settled(page)
    row = int(re.search(r"/(\d+)(\?|$)", str(tiles.nth(2).locator("img").get_attribute("src")))[1])  # type: ignore[index]
    version = _store(server).version()
    tiles.nth(2).click()
    page.keyboard.press("y")
    page.get_by_text(re.compile("What (are these|is this)")).first.wait_for(timeout=60_000)
    settled(page)
    assert _store(server).version() == version + 1
    assert _store(server).columns([paths[row]])["paint"].isna().all()
    page.goto(f"{server.url}/?layout=PCA&a=Raw%20encoder")
    tiles.first.wait_for(timeout=WAIT)
    settled(page)
    for place in (3, 4):
        tiles.nth(place).click(modifiers=["Control"])
        page.get_by_role("button", name=re.compile(f"Label {place - 2} image")).wait_for(timeout=WAIT)
        settled(page)
    tiles.nth(4).click(modifiers=["Control"])
    page.keyboard.press("1")
    until(page, lambda: bool(_store(server).columns(paths)["paint"].notna()[3]))
    settled(page)
    given = _store(server).columns(paths)["paint"].notna().to_numpy()
    assert given[3]
    assert not given[4]
