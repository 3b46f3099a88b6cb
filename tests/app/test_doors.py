"""Which requests come in: none under a foreign name, and nothing that changes or stays open from a foreign page."""

import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocket

from doors.hosts import Hosts, own_names
from server_settings import ServerSettings

HOST = "127.0.0.1:8501"


def _client(address: str = "127.0.0.1", base: str = f"http://{HOST}", **settings: Any) -> TestClient:
    async def answer(request: Request) -> Response:
        return PlainTextResponse(request.headers.get("origin", "none"), headers={"Access-Control-Allow-Origin": "*"})

    async def stream(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_text(websocket.headers.get("origin", "none"))
        await websocket.close()

    inside = Starlette(routes=[Route("/", answer, methods=["GET", "PUT", "POST", "DELETE"]), WebSocketRoute("/stream", stream)])
    return TestClient(Hosts(inside, address=address, settings=ServerSettings(shared=True, **settings)), base_url=base)


def _open(client: TestClient, **headers: str) -> str:
    """What the WebSocket says first."""
    with client.websocket_connect(f"ws://{HOST}/stream", headers=headers) as websocket:
        return str(websocket.receive_text())


def test_the_names_of_this_machine_are_answered() -> None:
    for host in ("127.0.0.1:8501", "localhost:8501", "LOCALHOST", "localhost.", "[::1]:8501", "127.0.0.1:9000"):
        assert _client().get("/", headers={"Host": host}).status_code == 200
        assert _open(_client(), Host=host) == "none"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8501", "127.0.0.1.evil.example", "localhost@evil.example", "192.168.0.9", "", "a b", "0.0.0.0"]
)
def test_a_foreign_name_is_not(host: str) -> None:
    """As a page that lets its own name point to this machine would send it."""
    refused = _client().get("/", headers={"Host": host})
    assert refused.status_code == 421
    assert "--allowed-host" in refused.text or "by the link that it printed" in refused.text
    with pytest.raises(WebSocketDenialResponse) as denied, _client().websocket_connect(f"ws://{HOST}/stream", headers={"Host": host}):
        pass
    assert denied.value.status_code == 421


def test_two_hosts_in_one_request_are_refused() -> None:
    assert _client().get("/", headers=[("Host", HOST), ("Host", "evil.example")]).status_code == 421


def test_a_further_name_is_answered_where_it_is_allowed() -> None:
    client = _client(allowed_hosts=["Lab.Example.org"])
    headers = {"Host": "lab.example.org", "Origin": "https://lab.example.org:8443"}
    assert client.get("/", headers=headers).status_code == 200
    assert client.put("/", headers=headers).status_code == 200
    assert client.put("/", headers={"Origin": "https://lab.example.org"}).status_code == 200  # a proxy that does not pass the name on
    refused = client.get("/", headers={"Host": "other.example.org"})
    assert refused.text == (
        "This server is not known as 'other.example.org'; if that is a name of it, as of a reverse proxy, start it with "
        "--allowed-host other.example.org."
    )


def test_beyond_this_machine_its_host_names_and_the_address_that_was_called_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Box")
    monkeypatch.setattr(socket, "getfqdn", lambda: "box.lab.example.org")
    assert {"box", "box.local", "box.lab.example.org", "localhost"} <= own_names("0.0.0.0")
    assert "box" not in own_names("127.0.0.1")
    client = _client("0.0.0.0", "http://10.1.2.3:8501")
    assert client.get("/", headers={"Host": "box:8501"}).status_code == 200
    assert client.get("/").status_code == 200
    assert client.get("/", headers={"Host": "10.1.2.4:8501"}).status_code == 421


FOREIGN = [
    *("http://evil.example", "https://127.0.0.1.evil.example", "null", "file://", "http://localhost:3000", "http://127.0.0.1", ""),
    *("http://127.0.0.1:8501.evil.example", "http://evil.example/http://127.0.0.1:8501", "chrome-extension://abc"),
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_foreign_page_changes_nothing_and_opens_no_websocket(origin: str) -> None:
    client = _client()
    for method in ("PUT", "POST", "DELETE"):
        refused = client.request(method, "/", headers={"Origin": origin})
        assert refused.status_code == 403
        assert "may change nothing here" in refused.text
    with pytest.raises(WebSocketDenialResponse) as denied:
        _open(client, Origin=origin)
    assert denied.value.status_code == 403


def test_one_of_two_origins_is_not_enough() -> None:
    assert _client().put("/", headers=[("Origin", f"http://{HOST}"), ("Origin", "http://evil.example")]).status_code == 403


def test_pages_of_its_own_do_and_reach_streamlit_with_the_origin_of_their_host() -> None:
    """Streamlit compares the two once more, and where they differ looks for this machine's address on the internet."""
    client = _client()
    for origin in (f"http://{HOST}", "http://localhost:8501"):
        assert client.put("/", headers={"Origin": origin}).text == f"http://{HOST}"
        assert _open(client, Origin=origin) == f"http://{HOST}"
    assert client.put("/").status_code == 200  # no browser
    assert _open(client) == "none"
    assert client.put("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_behind_https_a_page_without_it_is_foreign() -> None:
    headers = {"X-Forwarded-Proto": "https", "Host": "lab.example.org"}
    client = _client(allowed_hosts=["lab.example.org"])
    assert client.put("/", headers=headers | {"Origin": "http://lab.example.org"}).status_code == 403
    assert client.put("/", headers=headers | {"Origin": "https://lab.example.org"}).text == "https://lab.example.org"


def test_no_other_origin_reads_or_embeds_an_answer() -> None:
    read = _client().get("/", headers={"Origin": "http://evil.example"})
    assert read.headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in read.headers if name.startswith("access-control")]


COUNTED = """
import sys
sys.path[:0] = [{app!r}]
from streamlit import net_util

def look_up(*args, **options):
    open({file!r}, "a").write("looked up\\n")

net_util._make_blocking_http_get = look_up
import serve
serve.serve({{"address": {address!r}, "port": {port}, "settings": None, **{options!r}}})
"""


@pytest.fixture
def counted_server(tmp_path: Path, server_class: Any) -> Iterator[Callable[..., tuple[Any, Path]]]:
    """Starts a server in whose process each look-up of the machine's address on the internet writes a line into a file."""
    running = []

    def start(address: str, **options: object) -> tuple[Any, Path]:
        def command(port: int) -> list[str]:
            app, file = str(Path(__file__).resolve().parents[2] / "app"), str(tmp_path / "looked_up")
            return [sys.executable, "-c", COUNTED.format(app=app, file=file, address=address, port=port, options=options)]

        running.append(server_class(tmp_path / f"cache{len(running)}", command=command))
        running[-1].wait()
        return running[-1], tmp_path / "looked_up"

    yield start
    for each in running:
        each.stop()


def test_the_server_never_looks_up_its_address_on_the_internet(counted_server: Callable[..., tuple[Any, Path]]) -> None:
    server, looked_up = counted_server("0.0.0.0", shared=True)
    statuses = [server.handshake(Origin="http://evil.example") for _ in range(10)]
    assert statuses == [403] * 10
    assert server.handshake(Host="evil.example", Origin="http://evil.example") == 421
    assert server.handshake(Origin=server.url) == 101
    assert server.handshake() == 101
    assert not looked_up.exists()
