"""A served app and a browser page for the tests that need them."""

import contextlib
import hashlib
import http.server
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import playwright.sync_api
import pytest
from streamlit.testing.v1 import AppTest, element_tree

from app_page import Page
from browsing import Person
from likeness.data import DatasetEntry
from likeness.tagging import TagStore
from waiting import answers, wait_until
from worlds import cars_store, dataset, draw

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|\u2060")
MAIN = Path(__file__).resolve().parents[2] / "app" / "main.py"


class Server:
    """The app on a port, with a cache folder of its own and, without `--token`, open to all of this machine.

    Args:
        cache: the folder.
        arguments: of `likeness app`.
        command: what is run in its place, on a port.
        port: instead of a free one.
    """

    def __init__(self, cache: Path, *arguments: str, command: Callable[[int], list[str]] | None = None, port: int = 0) -> None:
        if not port:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.cache = cache
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the server)
        self._process = subprocess.Popen(
            command(port) if command else [sys.executable, "-m", "likeness", "app", "--no-token", "--port", str(port), *arguments],
            env={**os.environ, "LIKENESS_CACHE": str(cache), "LIKENESS_RUNS": str(cache / "runs")},
            stdout=self._printed,
            stderr=subprocess.STDOUT,
        )

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def printed(self) -> str:
        """What it has written to its terminal."""
        self._printed.seek(0)
        return self._printed.read().decode()

    def link(self) -> str:
        """The link that opens it, from the file that only its user reads."""
        file = self.cache / f"link-{self.url.rpartition(':')[2]}"
        assert file.stat().st_mode & 0o777 == 0o600
        return file.read_text().strip()

    @property
    def token(self) -> str:
        """In that link."""
        return self.link().rpartition("?token=")[2]

    def wait(self, health: str = "/_stcore/health") -> None:
        """Waits until the server answers."""
        wait_until(lambda: answers(f"{self.url}{health}") or self._process.poll() is not None)
        assert self._process.poll() is None, self.printed()

    def handshake(self, way: str = "", **headers: str) -> int:
        """The status that opening a WebSocket is answered with: 101 where it opens."""
        place = self.url.removeprefix("http://")
        fields = {"Host": place, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        fields |= {"Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg=="} | headers
        lines = [f"GET {way}/_stcore/stream HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        host, _, port = place.partition(":")
        with socket.create_connection((host, int(port)), timeout=600) as connection:
            connection.sendall("\r\n".join(lines).encode())
            return int(connection.recv(100).split()[1])

    def break_off(self, request: str, body: bytes, **headers: str) -> None:
        """Sends the beginning of a request, waits until the server reads it, and hangs up."""
        host, _, port = self.url.removeprefix("http://").partition(":")
        lines = [f"{request} HTTP/1.1", f"Host: {host}:{port}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()), "", ""]
        with socket.create_connection((host, int(port)), timeout=600) as connection:
            connection.sendall("\r\n".join(lines).encode() + body)
            connection.settimeout(0.3)
            with contextlib.suppress(TimeoutError, ConnectionError):
                connection.recv(100)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(600)
        self._printed.close()


@pytest.fixture(scope="session")
def pca_once() -> Callable[[Any], Any]:
    """`pca_map`, which computes the map of equal vectors once for all tests: each of them begins with that of the shipped images."""
    from likeness.projection import pca_map

    found: dict[bytes, Any] = {}

    def once(vectors: Any) -> Any:
        key = hashlib.sha256(vectors.tobytes()).digest()
        if key not in found:
            found[key] = pca_map(vectors)
        return found[key].copy()

    return once


@pytest.fixture(scope="session")
def scanned_once() -> Callable[[], Any]:
    """Which components Streamlit finds among the installed packages; every run of an AppTest reads through all of them, for half a second."""
    from streamlit.components.v2.manifest_scanner import scan_component_manifests

    found = scan_component_manifests()
    return lambda: found


@pytest.fixture(scope="session")
def scripts() -> Any:
    """The compiled scripts of the pages; an AppTest compiles them for every run."""
    from streamlit.runtime.scriptrunner.script_cache import ScriptCache

    return ScriptCache()


@pytest.fixture
def new_map(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens linked maps, each in a page of its own (see `MapPage`), and ends with a look at the console."""
    from map_page import MapPage

    contexts, errors = [], []

    def opened(*args: Any, touch: bool = False, **options: Any) -> MapPage:
        contexts.append(browser.new_context(has_touch=touch, viewport={"width": 900, "height": 700}))
        page = contexts[-1].new_page()
        page.set_default_timeout(600_000)
        page.on("console", lambda each: errors.append(f"{each.text} {each.location['url']}") if each.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        return MapPage(page, *args, **options)

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pca_once: Callable[[Any], Any], scanned_once: Callable[[], Any], scripts: Any) -> Page:
    """The app without a browser, as a new visitor finds it, with the layout that needs no waiting."""
    monkeypatch.syspath_prepend(str(MAIN.parent))
    import streamlit as st
    from streamlit import config
    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.util import calc_hash

    begin = PagesManager.__init__

    def begin_with_navigation(self: PagesManager, *args: object, **options: object) -> None:
        # AppTest begins each run anew and takes the folder pages/ for Streamlit's older kind of pages, which run without main.py; on a
        # server, app/server/asgi.py says that the app uses st.navigation.
        begin(self, *args, **options)  # type: ignore[arg-type]
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", begin_with_navigation)
    resolve = AppTest._resolve_page_hash

    def resolve_by_folder(self: AppTest, path: str) -> str:
        # Before the first run AppTest takes the name of a page's file for its address, which is that of its folder.
        return resolve(self, path) if self._registered_pages else calc_hash(Path(path).parent.name)

    monkeypatch.setattr(AppTest, "_resolve_page_hash", resolve_by_folder)
    monkeypatch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", scanned_once)
    monkeypatch.setattr("parts.cached.pca_map", pca_once)
    monkeypatch.setattr("parts.warm._load", lambda *names: None)  # else it loads and compiles beside this test and those after it
    for option in ("runner.magicEnabled", "browser.gatherUsageStats"):
        config.set_option(option, False)  # as in app/.streamlit/config.toml, which AppTest does not read
    monkeypatch.setattr("streamlit.testing.v1.local_script_runner.ScriptCache", lambda: scripts)
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "runs"))
    st.cache_resource.clear()
    app = Page(str(MAIN), default_timeout=600)
    app.query_params["layout"] = "PCA"
    return app


@contextlib.contextmanager
def _starting(folder: Path) -> Iterator[Callable[..., Server]]:
    running: list[Server] = []

    def start(*arguments: str, cache: str = "served", health: str = "/_stcore/health", **options: Any) -> Server:
        running.append(Server(folder / cache, *arguments, **options))
        running[-1].wait(health)
        return running[-1]

    yield start
    for each in running:
        each.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app, served once for all browser tests."""
    with _starting(tmp_path_factory.mktemp("served")) as start:
        yield start()


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers with these arguments, on free ports, whose cache folders lie in that of the test."""
    with _starting(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def begin_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """The same, for all tests of a file."""
    with _starting(tmp_path_factory.mktemp("once")) as start:
        yield start


@pytest.fixture
def fresh_server(begin: Callable[..., Server]) -> Server:
    """A server that nobody has visited yet."""
    return begin()


@pytest.fixture
def people(browser: Any) -> Iterator[Callable[..., Person]]:
    """`people(server)`: somebody with a browser of their own; the test fails if a console that is not to be passed over reports an error."""
    contexts, errors = [], list[str]()

    def come(server: Server, checked: bool = True, **options: Any) -> Person:
        contexts.append(browser.new_context(**{"viewport": {"width": 1440, "height": 900}} | options))
        page = contexts[-1].new_page()
        if checked:
            page.on("console", lambda each: errors.append(f"{each.text} {each.location['url']}") if each.type == "error" else None)
            page.on("pageerror", lambda error: errors.append(str(error)))
        return Person(page, server.url)

    yield come
    for context in contexts:
        for page in context.pages:
            with contextlib.suppress(playwright.sync_api.Error):
                print(f"At the end, {page.url}:", page.inner_text("body", timeout=5_000)[:3_000], sep="\n")  # pytest shows it where the test fails
        context.close()
    assert not errors


@pytest.fixture
def elsewhere() -> Iterator[Any]:
    """A stranger's server on another port of this machine, whose page links to where its address says; `asked`: the paths and cookies that came."""

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            listener.asked.append((self.path, self.headers.get("Cookie", "")))  # type: ignore[attr-defined]
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f'<link rel="icon" href="data:,"><a href="{unquote(self.path[1:])}">On</a>'.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener) as listener:
        listener.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        yield listener
        listener.shutdown()


@pytest.fixture
def person(people: Callable[..., Person], server: Server) -> Person:
    return people(server)


@pytest.fixture
def photos(tmp_path: Path) -> DatasetEntry:
    """Twelve images of four classes in the list of datasets."""
    return dataset(draw(tmp_path / "photos", 12, ("warm", "mild", "cool", "cold")), "cars-small")


@pytest.fixture
def store() -> TagStore:
    """The labels by hand of the shipped cars."""
    return cars_store()


@pytest.fixture(autouse=True)
def as_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands on a page is compared as a person reads it: the signs that keep names from being Markdown are not seen."""
    for kind in (element_tree.AlertBase, element_tree.HeadingBase, element_tree.Markdown):
        written: Any = kind.value
        monkeypatch.setattr(kind, "value", property(lambda element, read=written.fget: _ESCAPED.sub(lambda found: found[1] or "", read(element))))
