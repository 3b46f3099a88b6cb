"""The doors in a browser: the printed link, the sign-in and what an account sees, and a page of another origin."""

import functools
import http.server
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts import set_password

pytestmark = pytest.mark.long

WAIT = 600_000
PASSWORD = "correct horse"


@pytest.fixture
def served(tmp_path: Path, server_class: Any) -> Iterator[Callable[..., Any]]:
    """Starts `likeness app` with these arguments, on a free port."""
    running = []

    def start(*arguments: str) -> Any:
        running.append(server_class(tmp_path / f"cache{len(running)}", *arguments))
        running[-1].wait()
        return running[-1]

    yield start
    for each in running:
        each.stop()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """A page of a browser that has no cookies yet."""
    contexts = []

    def new(**options: Any) -> Any:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 900}, **options))
        return contexts[-1].new_page()

    yield new
    for each in contexts:
        each.close()


def test_the_printed_link_opens_the_app_and_the_bare_address_asks(served: Callable[..., Any], visit: Callable[..., Any]) -> None:
    server = served("--token")
    (token,) = re.findall(r"\?token=([\w-]+)", server.printed())
    page = visit()
    page.goto(f"{server.url}/?token={token}&layout=PCA")
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    assert "token" not in page.url
    page.get_by_role("link", name="Notions", exact=True).click()
    page.get_by_text("17 prompts,").wait_for(timeout=WAIT)
    assert token not in page.content()
    stranger = visit()
    stranger.goto(f"{server.url}/?layout=PCA")
    stranger.get_by_label("Token").fill("guess")
    stranger.get_by_role("button", name="Open").click()
    stranger.get_by_text("That is not the token of this server").wait_for(timeout=WAIT)
    stranger.get_by_label("Token").fill(token)
    stranger.get_by_role("button", name="Open").click()
    stranger.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)


def test_an_open_tab_says_that_the_server_was_started_anew_and_what_to_do(visit: Callable[..., Any], server_class: Any, tmp_path: Path) -> None:
    first = server_class(tmp_path / "cache", "--token")
    try:
        first.wait()
        (token,) = re.findall(r"\?token=([\w-]+)", first.printed())
        page = visit()
        page.goto(f"{first.url}/?token={token}&layout=PCA&query=5")
        page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    finally:
        first.stop()
    port = first.url.rpartition(":")[2]
    anew = server_class(tmp_path / "cache", command=lambda _: [sys.executable, "-m", "likeness", "app", "--token", "--port", port])
    try:
        page.get_by_text("a server that was started anew has a new one").wait_for(timeout=WAIT)
        assert "status 401" not in page.content()
        (token,) = re.findall(r"\?token=([\w-]+)", anew.printed())
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
        assert "query=5" in page.url  # what the tab showed
    finally:
        anew.stop()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_account_signs_in_looks_and_signs_out(served: Callable[..., Any], visit: Callable[..., Any], tmp_path: Path, scheme: str) -> None:
    set_password(tmp_path / "people.txt", "ada", PASSWORD, "view")
    server = served("--shared", "--auth", str(tmp_path / "people.txt"))
    page = visit(color_scheme=scheme)
    page.goto(f"{server.url}/?layout=PCA")
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert back == {"light": "rgb(247, 248, 251)", "dark": "rgb(18, 21, 28)"}[scheme]  # the style is not refused
    for password in ("wrong password", PASSWORD):
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        if password != PASSWORD:
            page.get_by_text("Name or password is wrong.").wait_for(timeout=WAIT)
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    page.get_by_test_id("stSidebar").get_by_text("may look").wait_for(timeout=WAIT)  # its name came through the door, with the WebSocket
    page.get_by_role("link", name="Your images").click()
    page.get_by_text("ask whoever runs this server for the role edit").wait_for(timeout=WAIT)
    assert page.locator("input[type='file']").count() == 0
    page.get_by_role("link", name="Sign out").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Password").wait_for(timeout=WAIT)
    page.goto(f"{server.url}/your_images")
    page.get_by_label("Password").wait_for(timeout=WAIT)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """A page of another origin on this machine; its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "index.html").write_text("<title>Elsewhere</title>")
    handler = functools.partial(Quiet, directory=str(tmp_path / "web"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{web.server_port}/index.html"
        web.shutdown()


def test_a_page_of_another_origin_neither_shows_pictures_nor_opens_the_app(server: Any, visit: Callable[..., Any], elsewhere: str) -> None:
    page = visit()
    page.goto(elsewhere)
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
