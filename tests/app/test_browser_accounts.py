"""Accounts and doors in a real browser: the printed link, the sign-in, people who label the same images, and a page of another origin."""

import http.server
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pytest

from browsing import Person, row_of, until
from likeness.tagging import TagStore
from server.passwords import set_password
from state import encode_rows
from worlds import car_paths

pytestmark = pytest.mark.long

PASSWORD = "as long as it has to be"
Begin = Callable[..., Any]
People = Callable[..., Person]
PATHS = car_paths()


def test_the_printed_link_opens_the_app_and_the_bare_address_asks(begin: Begin, people: People) -> None:
    server = begin("--token")
    person, stranger = (people(server, checked=False) for _ in range(2))
    person.open(f"?token={server.token}&layout=PCA").map()
    assert "token" not in person.page.url
    person.go("Notions").says("17 prompts,")
    assert server.token not in person.page.content()
    stranger.page.goto(f"{server.url}/?layout=PCA")
    for typed in ("guess", server.token):
        stranger.page.get_by_label("Token").fill(typed)
        stranger.button("Open").click()
        if typed == "guess":
            stranger.says("Wrong token")
    stranger.map()


def test_an_open_tab_says_that_the_server_was_restarted_and_what_to_do(begin: Begin, people: People) -> None:
    first = begin("--token")
    person = people(first, checked=False).open(f"?token={first.token}&layout=PCA&query=5").map()
    first.stop()
    restarted = begin("--token", port=int(first.url.rpartition(":")[2]))
    person.says("Each start has a new token")
    assert "status 401" not in person.page.content()
    person.page.get_by_label("Token").fill(restarted.token)
    person.button("Open").click()
    person.map()
    assert person.asked["query"] == ["5"]  # what the tab showed


@pytest.fixture
def start(begin: Begin, tmp_path: Path) -> Callable[[], Any]:
    """`start()`: a server with accounts on the same files as the one before."""
    for name, role in (("ben", "edit"), ("dan", "edit"), ("ada", "view")):
        set_password(tmp_path / "people.txt", name, PASSWORD, role)  # type: ignore[arg-type]
    return lambda: begin("--shared", "--auth", str(tmp_path / "people.txt"))


@pytest.fixture
def come(people: People) -> Callable[..., Person]:
    """`come(server, "ben")`: who has signed in."""

    def come(server: Any, name: str, *wrong: str, **options: Any) -> Person:
        person = people(server, checked=False, **options)
        person.page.goto(f"{server.url}/?layout=PCA")
        for password in (*wrong, PASSWORD):
            person.page.get_by_label("Name").fill(name)
            person.page.get_by_label("Password").fill(password)
            person.button("Sign in").click()
            if password in wrong:
                person.says("Wrong name or password.")
        return person.map()

    return come


@pytest.mark.parametrize(("scheme", "color"), [("light", "rgb(247, 248, 251)"), ("dark", "rgb(18, 21, 28)")])
def test_an_account_signs_in_looks_and_signs_out(start: Any, people: People, come: Any, scheme: str, color: str) -> None:
    server = start()
    stranger = people(server, checked=False, color_scheme=scheme)
    stranger.page.goto(server.url)
    assert stranger.page.evaluate("getComputedStyle(document.body).backgroundColor") == color  # the style is not refused
    ada = come(server, "ada", "wrong password", color_scheme=scheme)
    ada.page.get_by_test_id("stSidebar").get_by_text("can view").wait_for()  # its name came through the door, with the WebSocket
    ada.go("Images").says("ask the server's administrator for the role edit")
    assert ada.page.locator("input[type='file']").count() == 0
    ada.page.get_by_role("link", name="Sign out").click()
    ada.button("Sign out").click()
    ada.page.get_by_label("Password").wait_for()
    ada.page.goto(f"{server.url}/images")
    ada.page.get_by_label("Password").wait_for()


def _store(server: Any) -> TagStore:
    (file,) = (server.cache / "tags").glob("*.sqlite")
    return TagStore(file)


def _given(server: Any, name: str) -> dict[int, Any]:
    """The images that have this label, and its value."""
    found = _store(server).columns(PATHS)[name]
    return {int(row): found[row] for row in np.flatnonzero(found.notna() & (found != False))}  # noqa: E712


def _select(person: Person, *rows: int) -> Person:
    person.open(f"?layout=PCA&a=Raw%20encoder&rows={encode_rows(np.array(rows, np.int64))}").map()
    person.page.get_by_role("button", name=re.compile(f"Label {len(rows)} image")).first.wait_for()
    return person.settle()


def test_two_people_label_the_same_images(start: Any, come: Any) -> None:
    def waits_for(person: Person, label: str) -> Person:
        person.page.get_by_role("button", name=re.compile(label)).wait_for()  # by itself, within seconds
        return person.settle()

    server = start()
    ben, dan, ada = (come(server, name) for name in ("ben", "dan", "ada"))
    _select(dan, 3, 4)
    _select(ben, 1, 2, 3).give("breed", "beagle")
    waits_for(dan, "breed: beagle").give("breed", "collie")
    assert _given(server, "breed") == {1: "beagle", 2: "beagle", 3: "collie", 4: "collie"}
    waits_for(ben, "breed: collie").page.keyboard.press("u")
    ben.says("1 skipped, since others have changed them")
    assert _given(server, "breed") == {3: "collie", 4: "collie"}
    assert set(_store(server).log()["who"]) == {"ben", "dan"}
    assert _select(ada, 1, 2).page.get_by_role("button", name=re.compile("Label 2 images")).first.is_disabled()


def test_a_killed_server_has_lost_nothing_that_was_said(start: Any, come: Any) -> None:
    for turn in range(2):
        server = start()
        for name, row in (("ben", 10 + turn), ("dan", 20 + turn)):
            _select(come(server, name), row).give(f"of {name}")
        os.kill(server.pid, signal.SIGKILL)
    server = start()
    assert {name: list(_given(server, name)) for name in ("of ben", "of dan")} == {"of ben": [10, 11], "of dan": [20, 21]}
    assert _select(come(server, "dan"), 20, 21).page.get_by_role("button", name=re.compile("of dan")).is_visible()


def test_pictures_are_ticked_by_mouse_and_keys_and_what_has_no_tick_or_is_typed_labels_nothing(start: Any, come: Any) -> None:
    def ticked(count: int) -> None:
        page.get_by_role("button", name=re.compile(f"Label {count} image")).wait_for()
        person.settle()

    server = start()
    person = come(server, "ben").open("?layout=PCA&a=Raw%20encoder").map()
    page, tiles = person.page, person.page.locator(".ga-tile")
    tiles.nth(0).focus()
    person.keys("Space", "Shift+ArrowRight")
    ticked(2)
    tiles.nth(5).click(modifiers=["Control"])
    tiles.nth(7).click(modifiers=["Shift"])
    ticked(5)
    assert page.locator(".ga-ticked").count() == 5
    person.give("good")
    assert list(_given(server, "good")) == [0, 1, 5, 6, 7]
    version, field = _store(server).version(), page.get_by_role("textbox", name="Search by text")
    field.click()
    page.keyboard.type("1u1")  # keys of labels and of undo
    assert (person.settle() and field.input_value(), _store(server).version()) == ("1u1", version)

    for row, color in ((0, "red"), (1, "blue")):
        _select(person, row).give("paint", color)
    person.open("label")  # Y and 1 right after a click: what has no tick on the screen gets no label
    tiles.first.wait_for()
    row, version = row_of(person.settle().page.locator(".ga-tile img").nth(2)), _store(server).version()
    tiles.nth(2).click()
    page.keyboard.press("y")
    person.says(re.compile("What (are these|is this)")).settle()
    assert _store(server).version() == version + 1
    assert row not in _given(server, "paint")
    person.open("?layout=PCA&a=Raw%20encoder").map()
    for place in (3, 4):
        tiles.nth(place).click(modifiers=["Control"])
        ticked(place - 2)
    tiles.nth(4).click(modifiers=["Control"])
    page.keyboard.press("1")  # the label that was given first
    until(page, lambda: 3 in _given(server, "good"))
    person.settle()
    assert 4 not in _given(server, "good")


@pytest.fixture
def elsewhere() -> Iterator[Any]:
    """A server on another port of this machine, whose page links to where its address says; with the cookies that came."""

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            listener.cookies.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f'<link rel="icon" href="data:,"><a href="{unquote(self.path[1:])}">On</a>'.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener) as listener:
        listener.cookies = []
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        yield listener
        listener.shutdown()


def _own_cookies(page: Any) -> list[str]:
    """The values of the keys that the server has given."""
    return [each["value"] for each in page.context.cookies() if each["name"].startswith("likeness_") and each["value"] != "old"]


@pytest.mark.parametrize("options", [("--token",), ("--shared",)])
def test_links_of_other_sites_lead_in_and_other_ports_get_no_key(begin: Begin, people: People, elsewhere: Any, options: tuple[str, ...]) -> None:
    server = begin(*options)
    person = people(server, checked=False)
    page = person.page
    page.context.add_cookies([{"name": f"likeness_token_{server.url.rpartition(':')[2]}", "value": "old", "url": server.url}])  # an earlier version's
    page.goto(server.link() if "--token" in options else server.url)
    inside = person.map().page.url.partition("?")[0]
    known = _own_cookies(page)
    assert len(known) == 1
    for target in (f"{server.url}/methods", f"{inside}methods"):  # as in a mail or a note
        page.goto(f"http://localhost:{elsewhere.server_port}/{quote(target, safe='')}")
        page.get_by_role("link").click()
        person.heading("Methods")
        assert page.url.startswith(f"{inside}methods")
    page.goto(f"http://127.0.0.1:{elsewhere.server_port}/")  # the same host, and another port
    if "--token" in options:
        assert not any(value in cookies for cookies in elsewhere.cookies for value in known)
    assert _own_cookies(page) == known


def test_a_page_of_another_origin_neither_shows_pictures_nor_opens_the_app(server: Any, people: People, elsewhere: Any) -> None:
    page = people(server, checked=False).page
    page.goto(f"http://127.0.0.1:{elsewhere.server_port}/")
    ends = page.evaluate(
        """async (url) => {
            const told = (begin) => new Promise((resolve) => begin(resolve));
            const image = await told((resolve) => {
                const picture = new Image();
                picture.onload = () => resolve("shown");
                picture.onerror = () => resolve("refused");
                picture.src = `${url}/thumbnails/cars/1`;
            });
            const socket = await told((resolve) => {
                const stream = new WebSocket(`${url.replace("http", "ws")}/_stcore/stream`);
                stream.onopen = () => resolve("open");
                stream.onerror = () => resolve("refused");
            });
            const media = await fetch(`${url}/_stcore/host-config`, {mode: "no-cors"}).then(() => "read", () => "refused");
            return [image, socket, media];
        }""",
        server.url,
    )
    assert ends == ["refused", "refused", "refused"]
