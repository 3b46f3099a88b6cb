"""Accounts and doors in a real browser: the printed link, the sign-in, people who label the same images, and a page of another origin."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

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


def _own_cookies(page: Any) -> list[str]:
    """The values of the keys that the server has given."""
    return [each["value"] for each in page.context.cookies() if each["name"].startswith("likeness_") and each["value"] != "old"]


def _follow_links(person: Person, server: Any, elsewhere: Any) -> list[str]:
    """Comes by links of another site, as in a mail or a note, and looks at another port; the one key that it has all the while."""
    page, inside, known = person.page, person.page.url.partition("?")[0], _own_cookies(person.page)
    assert len(known) == 1
    for target in (f"{server.url}/methods", f"{inside}methods"):
        page.goto(f"http://localhost:{elsewhere.server_port}/{quote(target, safe='')}")
        page.get_by_role("link").click()
        person.heading("Methods")
        assert page.url.startswith(f"{inside}methods")
    page.goto(f"http://127.0.0.1:{elsewhere.server_port}/")  # the same host, and another port
    assert _own_cookies(page) == known
    return known


def test_the_printed_link_opens_the_app_the_bare_address_asks_and_an_open_tab_tells_of_a_restart(
    begin: Begin, people: People, elsewhere: Any
) -> None:
    first = begin("--token")
    port = first.url.rpartition(":")[2]
    person, stranger = (people(first, checked=False) for _ in range(2))
    person.page.context.add_cookies([{"name": f"likeness_token_{port}", "value": "old", "url": first.url}])  # an earlier version's
    person.open(f"?token={first.token}&layout=PCA").map()
    assert "token" not in person.page.url
    assert first.token not in person.page.content()
    (known,) = _follow_links(person, first, elsewhere)
    assert not any(known in cookies for _, cookies in elsewhere.asked)
    stranger.page.goto(f"{first.url}/?layout=PCA&query=5")
    for typed in ("guess", first.token):
        stranger.page.get_by_label("Token").fill(typed)
        stranger.button("Open").click()
        if typed == "guess":
            stranger.says("Wrong token")
    stranger.map()
    first.stop()
    restarted = begin("--token", port=int(port))
    stranger.says("Each start has a new token")
    assert "status 401" not in stranger.page.content()
    stranger.page.get_by_label("Token").fill(restarted.token)
    stranger.button("Open").click()
    stranger.map()
    assert stranger.asked["query"] == ["5"]  # what the tab showed


def test_links_of_other_sites_lead_to_a_shared_server(begin: Begin, people: People, elsewhere: Any) -> None:
    server = begin("--shared")
    _follow_links(people(server, checked=False).open().map(), server, elsewhere)


@pytest.fixture
def house(begin: Begin, tmp_path: Path) -> Any:
    """A server with accounts: ben and dan edit, ada views."""
    for name, role in (("ben", "edit"), ("dan", "edit"), ("ada", "view")):
        set_password(tmp_path / "people.txt", name, PASSWORD, role)  # type: ignore[arg-type]
    return begin("--shared", "--auth", str(tmp_path / "people.txt"))


@pytest.fixture
def come(people: People, house: Any) -> Callable[..., Person]:
    """`come("ben")`: who has signed in, after wrong passwords."""

    def come(name: str, *wrong: str) -> Person:
        person = people(house, checked=False)
        person.page.goto(f"{house.url}/?layout=PCA")
        for password in (*wrong, PASSWORD):
            person.page.get_by_label("Name").fill(name)
            person.page.get_by_label("Password").fill(password)
            person.button("Sign in").click()
            if password in wrong:
                person.says("Wrong name or password.")
        return person.map()

    return come


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


def test_two_people_label_the_same_images_and_who_may_view_looks_and_signs_out(house: Any, people: People, come: Any) -> None:
    def waits_for(person: Person, label: str) -> Person:
        person.page.get_by_role("button", name=re.compile(label)).wait_for()  # by itself, within seconds
        return person.settle()

    for scheme, color in (("light", "rgb(247, 248, 251)"), ("dark", "rgb(18, 21, 28)")):
        stranger = people(house, checked=False, color_scheme=scheme).page
        stranger.goto(house.url)
        assert stranger.evaluate("getComputedStyle(document.body).backgroundColor") == color  # the style is not refused
    ben, dan, ada = come("ben"), come("dan"), come("ada", "wrong password")
    _select(dan, 3, 4)
    _select(ben, 1, 2, 3).give("breed", "beagle")
    waits_for(dan, "breed: beagle").give("breed", "collie")
    assert _given(house, "breed") == {1: "beagle", 2: "beagle", 3: "collie", 4: "collie"}
    waits_for(ben, "breed: collie").page.keyboard.press("u")
    ben.says("1 skipped, since others have changed them")
    assert _given(house, "breed") == {3: "collie", 4: "collie"}
    assert set(_store(house).log()["who"]) == {"ben", "dan"}
    assert _select(ada, 1, 2).page.get_by_role("button", name=re.compile("Label 2 images")).first.is_disabled()
    ada.page.get_by_test_id("stSidebar").get_by_text("can view").wait_for()  # its name came through the door, with the WebSocket
    ada.go("Images").says("ask the server's administrator for the role edit")
    assert ada.page.locator("input[type='file']").count() == 0
    ada.page.get_by_role("link", name="Sign out").click()
    ada.button("Sign out").click()
    ada.page.get_by_label("Password").wait_for()
    ada.page.goto(f"{house.url}/images")
    ada.page.get_by_label("Password").wait_for()


def test_pictures_are_ticked_by_mouse_and_keys_and_what_has_no_tick_or_is_typed_labels_nothing(house: Any, come: Any) -> None:
    def ticked(count: int) -> None:
        page.get_by_role("button", name=re.compile(f"Label {count} image")).wait_for()
        person.settle()

    person = come("ben").open("?layout=PCA&a=Raw%20encoder").map()
    page, tiles = person.page, person.page.locator(".ga-tile")
    tiles.nth(0).focus()
    person.keys("Space", "Shift+ArrowRight")
    ticked(2)
    tiles.nth(5).click(modifiers=["Control"])
    tiles.nth(7).click(modifiers=["Shift"])
    ticked(5)
    assert page.locator(".ga-ticked").count() == 5
    person.give("good")
    assert list(_given(house, "good")) == [0, 1, 5, 6, 7]
    version, field = _store(house).version(), page.get_by_role("textbox", name="Search by text")
    field.click()
    page.keyboard.type("1u1")  # keys of labels and of undo
    assert (person.settle() and field.input_value(), _store(house).version()) == ("1u1", version)

    for row, color in ((0, "red"), (1, "blue")):
        _select(person, row).give("paint", color)
    person.open("label")  # Y and 1 right after a click: what has no tick on the screen gets no label
    tiles.first.wait_for()
    row, version = row_of(person.settle().page.locator(".ga-tile img").nth(2)), _store(house).version()
    tiles.nth(2).click()
    page.keyboard.press("y")
    person.says(re.compile("What (are these|is this)")).settle()
    assert _store(house).version() == version + 1
    assert row not in _given(house, "paint")
    person.open("?layout=PCA&a=Raw%20encoder").map()
    for place in (3, 4):
        tiles.nth(place).click(modifiers=["Control"])
        ticked(place - 2)
    tiles.nth(4).click(modifiers=["Control"])
    page.keyboard.press("1")  # the label that was given first
    until(page, lambda: 3 in _given(house, "good"))
    person.settle()
    assert 4 not in _given(house, "good")


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
