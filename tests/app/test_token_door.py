"""A server of one person is closed to everyone else on the machine: all of it, until the printed link was opened."""

import http.client
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doors.token_door import TokenDoor, new_token
from worlds import answer_of_stream, client_behind

PAGE = {"Accept": "text/html"}


def _client(token: str) -> Any:
    return client_behind(lambda inside: TokenDoor(inside, token), lambda asked: "inside")


def _enter(client: Any, token: str, path: str = "/", **headers: str) -> Any:
    return client.get(path, params={"token": token}, headers=PAGE | headers)


def test_nothing_answers_without_the_token() -> None:
    client = _client(new_token())
    for path in ("/", "/notions", "/thumbnails/cars/1", "/info/cars/1", "/media/a.bin", "/_stcore/host-config", "/static/a.js", "/token"):
        assert client.get(path).status_code == 401, path
        assert "inside" not in client.get(path, headers=PAGE).text
    for method in ("PUT", "POST", "DELETE"):
        assert client.request(method, "/_stcore/upload_file/a/b").status_code == 401
    assert answer_of_stream(client) == 401
    assert "a server that was started anew has a new one" in client.get("/_stcore/host-config").text  # what an open tab asks first
    assert client.get("/_stcore/health").text == "inside"  # tells that the server runs, and no more
    assert client.put("/_stcore/health").status_code == 401


def test_the_link_lets_a_browser_in_and_leaves_the_address_bar() -> None:
    token = new_token()
    client = _client(token)
    opened = client.get(f"/notions?draft=a%26b&token={token}&x=", headers=PAGE)
    assert (opened.status_code, opened.headers["location"]) == (303, "/notions?draft=a%26b&x=")
    cookie = opened.headers["set-cookie"]
    assert re.fullmatch(r"likeness_token_8501=[\w-]{43}; HttpOnly; Path=/; SameSite=lax", cookie)
    assert token not in cookie
    assert client.get("/thumbnails/cars/1").text == "inside"
    assert answer_of_stream(client) == "inside"
    assert client.get("/?token=old&draft=1", headers=PAGE).headers["location"] == "/?draft=1"  # whoever is in
    assert "; Secure" in _enter(_client(token), token, **{"X-Forwarded-Proto": "https"}).headers["set-cookie"]


def test_a_wrong_token_and_a_wrong_cookie_let_nobody_in() -> None:
    token = new_token()
    client = _client(token)
    for wrong in ("", token[:-1], f"{token}x", "\u00e4", new_token()):
        assert _enter(client, wrong).status_code == 403
        refused = client.post("/token", data={"token": wrong, "next": "/"})
        assert refused.status_code == 403
        assert "not the token of this server" in refused.text
        assert "set-cookie" not in refused.headers
    let_in = _enter(_client(token), token).headers["set-cookie"].partition("=")[2].partition(";")[0]
    for value in (token, "", let_in[:-1], "x" * 43, let_in):  # the last one is of another start of the same token
        assert client.get("/", headers={"Cookie": f"likeness_token_8501={value}"}).status_code == 401


def test_the_token_can_be_pasted_and_the_form_leads_nowhere_else() -> None:
    token = new_token()
    client = _client(token)
    asked = client.get("/notions?draft=1", headers=PAGE)
    assert asked.status_code == 401
    assert 'name="next" value="/notions?draft=1"' in asked.text
    opened = client.post("/token", data={"token": f" {token} ", "next": "/notions?draft=1"})
    assert (opened.status_code, opened.headers["location"]) == (303, "/notions?draft=1")
    assert client.get("/").text == "inside"
    for elsewhere in ("//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "", "evil"):
        assert _client(token).post("/token", data={"token": token, "next": elsewhere}).headers["location"] == "/"


@pytest.fixture
def closed_servers(tmp_path: Path, server_class: Any) -> Iterator[list[Any]]:
    """Two servers of one person, each with its token."""
    running = [server_class(tmp_path / name, "--token") for name in ("one", "two")]
    for each in running:
        each.wait()
    yield running
    for each in running:
        each.stop()


def _get(server: Any, path: str, **headers: str) -> tuple[int, dict[str, str]]:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=600)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, {name.lower(): value for name, value in response.getheaders()}


def _sent(jar: dict[str, str]) -> str:
    return "; ".join(f"{name}={value}" for name, value in jar.items())


def test_two_servers_on_one_machine_do_not_throw_each_others_visitors_out(closed_servers: list[Any]) -> None:
    """Browsers send the cookies of a host to all its ports."""
    jar: dict[str, str] = {}
    for server in closed_servers:
        link = re.search(rf"{server.url}/(\?token=([\w-]{{32}}))", server.printed())
        assert link is not None
        status, headers = _get(server, f"/{link[1]}", Accept="text/html", Cookie=_sent(jar))
        assert (status, headers["location"]) == (303, "./")
        name, _, value = headers["set-cookie"].partition(";")[0].partition("=")
        jar[name] = value
        process = Path("/proc") / str(server.pid)
        if process.is_dir():  # who lists the processes of the machine does not see it, nor do processes that the server starts
            assert link[2].encode() not in (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        assert server.printed().count(link[2]) == 1
    for server in closed_servers:
        for path in ("/", "/thumbnails/cars/1", "/_stcore/host-config"):
            assert (_get(server, path, Cookie=_sent(jar))[0], _get(server, path)[0]) == (200, 401)
        assert server.handshake(Cookie=_sent(jar), Origin=server.url) == 101
        assert server.handshake(Origin=server.url) == 401
        assert server.handshake(Cookie=_sent(jar), Origin="http://evil.example") == 403
