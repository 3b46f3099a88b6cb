"""Which requests come in: none under a foreign name, and nothing that changes or stays open from a foreign page."""

import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from doors.hosts import Hosts, own_names
from server_settings import ServerSettings
from worlds import PEER as HOST, answer_of_stream, client_behind


def _client(address: str = "127.0.0.1", base: str = f"http://{HOST}", **settings: Any) -> Any:
    shared = ServerSettings(shared=True, **settings)
    return client_behind(lambda inside: Hosts(inside, address=address, settings=shared), lambda asked: asked.headers.get("origin", "none"), base)


def test_the_names_of_this_machine_are_answered() -> None:
    for host in ("127.0.0.1:8501", "localhost:8501", "LOCALHOST", "localhost.", "[::1]:8501", "127.0.0.1:9000"):
        assert _client().get("/", headers={"Host": host}).status_code == 200
        assert answer_of_stream(_client(), Host=host) == "none"


def test_a_foreign_name_is_not() -> None:
    """As a page that lets its own name point to this machine would send it."""
    foreign = ("evil.example", "evil.example:8501", "127.0.0.1.evil.example", "localhost@evil.example", "192.168.0.9", "", "a b", "0.0.0.0")
    for host in foreign:
        refused = _client().get("/", headers={"Host": host})
        assert refused.status_code == answer_of_stream(_client(), Host=host) == 421
        assert "--allowed-host" in refused.text or "by the link that it printed" in refused.text
    assert _client().get("/", headers=[("Host", HOST), ("Host", "evil.example")]).status_code == 421


def test_a_further_name_is_answered_where_it_is_allowed() -> None:
    client = _client(allowed_hosts=["Lab.Example.org"])
    headers = {"Host": "lab.example.org", "Origin": "https://lab.example.org:8443"}
    assert client.get("/", headers=headers).status_code == 200
    assert client.put("/", headers=headers).status_code == 200
    assert client.put("/", headers={"Origin": "https://lab.example.org"}).status_code == 200  # a proxy that does not pass the name on
    assert "--allowed-host other.example.org." in client.get("/", headers={"Host": "other.example.org"}).text
    headers = {"X-Forwarded-Proto": "https", "Host": "lab.example.org"}  # behind HTTPS a page without it is foreign
    assert client.put("/", headers=headers | {"Origin": "http://lab.example.org"}).status_code == 403
    assert client.put("/", headers=headers | {"Origin": "https://lab.example.org"}).text == "https://lab.example.org"


def test_beyond_this_machine_its_host_names_and_the_address_that_was_called_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Box")
    monkeypatch.setattr(socket, "getfqdn", lambda: "box.lab.example.org")
    assert {"box", "box.local", "box.lab.example.org", "localhost"} <= own_names("0.0.0.0")
    assert "box" not in own_names("127.0.0.1")
    client = _client("0.0.0.0", "http://10.1.2.3:8501")
    assert client.get("/", headers={"Host": "box:8501"}).status_code == 200
    assert client.get("/").status_code == 200
    assert client.get("/", headers={"Host": "10.1.2.4:8501"}).status_code == 421


def test_a_foreign_page_changes_nothing_reads_nothing_and_opens_no_websocket() -> None:
    client = _client()
    for origin in (
        *("http://evil.example", "https://127.0.0.1.evil.example", "null", "file://", "http://localhost:3000", "http://127.0.0.1", ""),
        *("http://127.0.0.1:8501.evil.example", "http://evil.example/http://127.0.0.1:8501", "chrome-extension://abc"),
    ):
        for method in ("PUT", "POST", "DELETE"):
            refused = client.request(method, "/", headers={"Origin": origin})
            assert refused.status_code == 403
            assert "may change nothing here" in refused.text
        assert answer_of_stream(client, Origin=origin) == 403
    assert client.put("/", headers=[("Origin", f"http://{HOST}"), ("Origin", "http://evil.example")]).status_code == 403
    read = client.get("/", headers={"Origin": "http://evil.example"})
    assert read.headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in read.headers if name.startswith("access-control")]


def test_pages_of_its_own_do_and_reach_streamlit_with_the_origin_of_their_host() -> None:
    """Streamlit compares the two once more, and where they differ looks for this machine's address on the internet."""
    client = _client()
    for origin in (f"http://{HOST}", "http://localhost:8501"):
        assert client.put("/", headers={"Origin": origin}).text == f"http://{HOST}"
        assert answer_of_stream(client, Origin=origin) == f"http://{HOST}"
    assert client.put("/").status_code == 200  # no browser
    assert answer_of_stream(client) == "none"
    assert client.put("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


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


def test_the_server_never_looks_up_its_address_on_the_internet(tmp_path: Path, server_class: Any) -> None:
    """In its process each such look-up writes a line into a file."""
    app, looked_up = str(Path(__file__).resolve().parents[2] / "app"), tmp_path / "looked_up"

    def command(port: int) -> list[str]:
        code = COUNTED.format(app=app, file=str(looked_up), address="0.0.0.0", port=port, options={"shared": True})
        return [sys.executable, "-c", code]

    server = server_class(tmp_path / "cache", command=command)
    try:
        server.wait()
        assert [server.handshake(Origin="http://evil.example") for _ in range(10)] == [403] * 10
        assert server.handshake(Host="evil.example", Origin="http://evil.example") == 421
        assert server.handshake(Origin=server.url) == server.handshake() == 101
        assert not looked_up.exists()
    finally:
        server.stop()
