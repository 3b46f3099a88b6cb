"""The app below a path in a browser: behind a proxy that takes the path away, by the server's own option, and in JupyterLab's proxy."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from browsing import Person, drawn
from nginx_config import SmallProxy

_DOC = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
_APP = "http://127.0.0.1:8501"
WAYS = ("a proxy takes it away", "the option", "JupyterLab", "JupyterLab, absolute")
# all pictures, also those inside of components, that have come or have failed
_PICTURES = """() => {
  const inside = (root) => [...root.querySelectorAll("*")].flatMap((each) => [each, ...(each.shadowRoot ? inside(each.shadowRoot) : [])]);
  return inside(document).filter((each) => each.tagName === "IMG" && each.src && each.complete).map((each) => [each.src, each.naturalWidth]);
}"""


def _nginx_below(path: str) -> str:
    """The first configuration in docs/serving.md, for a path, for browsers that come without TLS, and with a connection for each request."""
    (config,) = re.findall(r"^```nginx\n(.*?)^```$", _DOC, re.MULTILINE | re.DOTALL)[:1]
    changes = [("location / ", f"location {path}/ "), (f"{_APP};", f"{_APP}/;"), ("X-Forwarded-Proto $scheme", "X-Forwarded-Proto http")]
    for old, new in [*changes, ("''      ''", "'' close")]:
        assert old in config
        config = config.replace(old, new)
    return config


@pytest.fixture
def jupyter(begin: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Starts JupyterLab's server as a hub does, below the path of a user."""
    pytest.importorskip("jupyter_server_proxy")
    for kind in ("CONFIG", "DATA", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{kind}_DIR", str(tmp_path / kind))
    options = ["--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", "--ServerApp.base_url=/user/ada/", "--IdentityProvider.token="]
    command = [sys.executable, "-m", "jupyter_server", *options, f"--ServerApp.root_dir={tmp_path}"]
    return lambda: begin(cache="jupyter", command=lambda port: [*command, f"--port={port}"], health="/user/ada/api")


@pytest.fixture
def below(request: pytest.FixtureRequest, begin: Callable[..., Any]) -> Iterator[Callable[[str], tuple[str, Any]]]:
    """Starts the app behind a kind of proxy: the address below which a browser finds it, and the server."""
    with ExitStack() as running:

        def start(way: str) -> tuple[str, Any]:
            lab = request.getfixturevalue("jupyter")() if way.startswith("JupyterLab") else None
            path = {"the option": "/lab/likeness/", "JupyterLab, absolute": "user/ada/proxy/absolute/PORT"}.get(way, "")
            server = begin(command=lambda port: _command(path, port))
            port = server.url.rpartition(":")[2]
            if lab is not None:
                return f"{lab.url}/user/ada/proxy/{'absolute/' if path else ''}{port}", server
            if path:
                return f"{server.url}/lab/likeness", server
            proxy = SmallProxy(_nginx_below("/likeness"), {_APP: server.url.removeprefix("http://")})
            running.callback(proxy.stop)
            return f"http://127.0.0.1:{proxy.port}/likeness", server

        yield start


def _command(path: str, port: int) -> list[str]:
    option = ["env", f"STREAMLIT_SERVER_BASE_URL_PATH={path.replace('PORT', str(port))}"] if path else []
    return [*option, sys.executable, "-m", "likeness", "app", "--token", "--api", "--port", str(port)]


def _is_icon(message: Any) -> bool:
    """Of the host itself, which browsers ask for where a page names none, as the door's."""
    return str(message.location.get("url", "")).endswith("/favicon.ico")


def _hover_until_described(page: Any, asked: list[tuple[str, int]]) -> None:
    """Moves over the first map until a point tells of itself."""
    box = page.locator(".lm-stage").first.bounding_box()
    for step in range(400):
        page.mouse.move(box["x"] + box["width"] * (0.2 + 0.6 * (step % 20) / 20), box["y"] + box["height"] * (0.2 + 0.6 * (step // 20) / 20))
        drawn(page)
        if any("/info/" in url for url, _ in asked):
            return
    raise AssertionError("no point was described")


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_all_that_a_page_asks_for_lies_below_the_path(way: str, below: Callable[[str], tuple[str, Any]], people: Callable[..., Person]) -> None:
    root, server = below(way)
    printed, _, token = server.link().partition("?token=")
    path = "" if way in ("a proxy takes it away", "JupyterLab") else urlsplit(root).path  # what only the proxy knows, no server can print
    assert printed == f"{server.url}{path}/"
    person = people(server, checked=False)
    person.url = root
    page, asked, errors = person.page, list[tuple[str, int]](), list[str]()
    page.on("response", lambda answer: asked.append((answer.url, answer.status)))
    page.on("websocket", lambda socket: asked.append((socket.url.replace("ws", "http", 1), 101)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" and not _is_icon(message) else None)
    page.on("pageerror", lambda error: errors.append(str(error)))

    def check() -> None:
        """All was found, and below the path; no picture has failed."""
        assert not [(url, status) for url, status in asked if status >= 400 or not url.startswith((f"{root}/", "blob:", "data:"))]
        assert errors == []
        assert [source for source, width in page.evaluate(_PICTURES) if not width] == []

    page.goto(f"{root}/notions?layout=PCA")  # the door asks, and leads back to where one wanted to go
    page.get_by_label("Token").fill(token)
    person.button("Open").click()
    person.says("17 prompts,")
    assert re.match(rf"{re.escape(root)}/~[\w-]+/notions", page.url)  # below a path that who has the token learns
    assert [(urlsplit(url).path.removeprefix(urlsplit(root).path), status) for url, status in asked if status >= 400] == [("/notions", 401)]
    page.goto("about:blank")  # no picture is asked for without the cookie
    page.context.clear_cookies()
    asked.clear()
    errors.clear()

    person.open(f"?token={token}&layout=PCA&query=5").map().heading("Neighbors of")
    inside = page.url.partition("?")[0]
    assert re.fullmatch(rf"{re.escape(root)}/~[\w-]+/", inside)
    assert "token" not in page.url
    for css in (".ga-tile img", ".qb-chip img", ".query img"):
        picture = page.locator(css).first
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("img => img.decode().then(() => img.naturalWidth)") > 0
    _hover_until_described(page, asked)
    check()
    if way.startswith("JupyterLab"):  # other pages ask in the same ways
        return
    person.button("Export").click()
    person.button("Create the file").click()
    assert person.download(page.get_by_role("link", name=re.compile("Download "))).stat().st_size
    for name in ("Methods", "Continuous", "Duplicates", "Label", "Train"):  # the form stays open while one goes on to other pages
        person.go(name).heading(name)
        check()
    assert any("/labeled/" in url for url, _ in asked)
    page.goto(f"{inside}api")
    page.goto(page.get_by_role("link", name="openapi.json").evaluate("link => link.href"))  # the link opens another tab
    person.says('"openapi":')
    check()
