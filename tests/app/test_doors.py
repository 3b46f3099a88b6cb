"""Which requests come in: none under a foreign name, nothing that changes or stays open from a foreign page, and to a server of one person, which is
closed to everyone else on the machine, none until the printed link was opened."""

import re
import socket
import sys
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2
import pytest

from server.middleware.build_middleware import print_link
from server.middleware.doors import TokenDoor
from server.middleware.host_check import Hosts, own_names
from server.settings import ServerSettings
from server.visitors import Visits
from worlds import PEER as HOST, answer_of_stream, client_behind


def _client(address: str = "127.0.0.1", base: str = f"http://{HOST}", **settings: Any) -> Any:
    shared = ServerSettings(shared=True, **settings)

    def doors(inside: Any) -> Visits:
        return Visits(Hosts(inside, address=address, settings=shared), policy="")

    return client_behind(doors, lambda asked: asked.headers.get("origin", "none"), base)


def test_the_names_of_this_machine_are_answered_and_foreign_ones_are_not() -> None:
    """As a page that lets its own name point to this machine would send it."""
    for host in ("127.0.0.1:8501", "localhost:8501", "LOCALHOST", "localhost.", "[::1]:8501", "127.0.0.1:9000"):
        assert _client().get("/", headers={"Host": host}).status_code == 200
        assert answer_of_stream(_client(), Host=host) == "none"
    foreign = ("evil.example", "evil.example:8501", "127.0.0.1.evil.example", "localhost@evil.example", "192.168.0.9", "", "a b", "0.0.0.0")
    for host in foreign:
        refused = _client().get("/", headers={"Host": host})
        assert refused.status_code == answer_of_stream(_client(), Host=host) == 421
        assert "--allowed-host" in refused.text or "with the link that it printed" in refused.text
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
            assert "cannot change anything" in refused.text
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
from server import serve
serve.serve({{"address": {address!r}, "port": {port}, "settings": None, **{options!r}}})
"""


def test_the_server_never_looks_up_its_address_on_the_internet(begin: Any, tmp_path: Path) -> None:
    """In its process each such look-up writes a line into a file."""
    app, looked_up = str(Path(__file__).resolve().parents[2] / "app"), tmp_path / "looked_up"
    given = {"app": app, "file": str(looked_up), "address": "0.0.0.0", "options": {"shared": True}}
    server = begin(command=lambda port: [sys.executable, "-c", COUNTED.format(port=port, **given)])
    assert [server.handshake(Origin="http://evil.example") for _ in range(10)] == [403] * 10
    assert server.handshake(Host="evil.example", Origin="http://evil.example") == 421
    assert server.handshake(Origin=server.url) == server.handshake() == 101
    assert not looked_up.exists()


PAGE = {"Accept": "text/html"}


def _token_client(token: str) -> Any:
    return client_behind(lambda inside: TokenDoor(inside, token), lambda asked: "inside")


def _enter(client: Any, token: str, path: str = "/", **headers: str) -> Any:
    return client.get(path, params={"token": token}, headers=PAGE | headers)


def test_nothing_answers_without_the_token() -> None:
    client = _token_client(token_urlsafe(24))
    for path in ("/", "/notions", "/thumbnails/cars/1", "/info/cars/1", "/media/a.bin", "/_stcore/host-config", "/static/a.js", "/token"):
        assert client.get(path).status_code == 401, path
        assert "inside" not in client.get(path, headers=PAGE).text
    for method in ("PUT", "POST", "DELETE"):
        assert client.request(method, "/_stcore/upload_file/a/b").status_code == 401
    assert answer_of_stream(client) == 401
    assert "Each start has a new token" in client.get("/_stcore/host-config").text  # what an open tab asks first
    assert client.get("/_stcore/health").text == "inside"  # tells that the server runs, and no more
    assert client.put("/_stcore/health").status_code == 401


def _follow(client: Any, answer: Any) -> Any:
    """The page that redirects lead a browser to."""
    while answer.status_code == 303:
        answer = client.get(urljoin(str(answer.url), answer.headers["location"]), headers=PAGE)
    return answer


def test_the_link_lets_a_browser_in_and_leaves_the_address_bar() -> None:
    token = token_urlsafe(24)
    client = _token_client(token)
    led = urljoin(f"http://{HOST}/", client.get(f"/notions?draft=a%26b&token={token}&x=", headers=PAGE).headers["location"])
    way = urlsplit(led).path.removesuffix("/token")
    assert re.fullmatch(r"/~[\w-]{22}", way)
    opened = client.get(led, headers=PAGE)
    assert (opened.status_code, opened.headers["location"]) == (303, "./notions?draft=a%26b&x=")
    cookie = opened.headers["set-cookie"]
    assert re.fullmatch(r"likeness_token_8501=[\w-]{43}; HttpOnly; SameSite=lax", cookie)  # for what lies below the way alone
    assert token not in cookie
    assert client.get(f"{way}/thumbnails/cars/1").text == "inside"
    assert answer_of_stream(client, way) == "inside"
    assert client.get(f"{way}/?token=old&draft=1", headers=PAGE).headers["location"] == "./?draft=1"  # whoever is in
    assert client.get("/").status_code == client.get("/~other/").status_code == answer_of_stream(client) == 401
    other = _token_client(token)
    led = urljoin(f"http://{HOST}/", _enter(other, token, **{"X-Forwarded-Proto": "https"}).headers["location"])
    assert "; Secure" in other.get(led, headers=PAGE | {"X-Forwarded-Proto": "https"}).headers["set-cookie"]


def test_a_wrong_token_and_a_wrong_cookie_let_nobody_in() -> None:
    token = token_urlsafe(24)
    client = _token_client(token)
    way = _enter(client, token).headers["location"].removeprefix(".").partition("/token?")[0]
    for wrong in ("", token[:-1], f"{token}x", "\u00e4", token_urlsafe(24)):
        for path in ("/", f"{way}/", f"{way}/token"):
            assert _enter(client, wrong, path).status_code == 403
        for path in ("/token", f"{way}/token"):
            refused = client.post(path, data={"token": wrong, "next": "/"})
            assert refused.status_code == 403
            assert "Wrong token" in refused.text
            assert "set-cookie" not in refused.headers
            assert way not in refused.text
    other = _token_client(token)
    _follow(other, _enter(other, token))
    let_in = other.cookies["likeness_token_8501"]
    for value in (token, "", let_in[:-1], "x" * 43, let_in):  # the last one is of another start of the same token
        assert client.get(f"{way}/", headers={"Cookie": f"likeness_token_8501={value}"}).status_code == 401
    assert other.get("/", headers={"Cookie": f"likeness_token_8501={let_in}"}).status_code == 401  # by itself the cookie opens nothing


def test_the_token_can_be_pasted_and_the_form_leads_nowhere_else() -> None:
    token = token_urlsafe(24)
    client = _token_client(token)
    for asked in ("/notions?draft=1", "/~of-an-earlier-start/notions?draft=1"):
        refused = client.get(asked, headers=PAGE)
        assert refused.status_code == 401
        assert 'name="next" value="/notions?draft=1"' in refused.text
    opened = client.post("/token", data={"token": f" {token} ", "next": "/notions?draft=1"})
    assert opened.status_code == 303
    opened = _follow(client, opened)
    assert opened.text == "inside"
    assert re.search(r"/~[\w-]+/notions\?draft=1$", str(opened.url))
    for elsewhere in ("//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "", "evil"):
        other = _token_client(token)
        opened = _follow(other, other.post("/token", data={"token": token, "next": elsewhere}))
        assert re.fullmatch(r"http://127.0.0.1:8501/~[\w-]+/", str(opened.url))


def test_of_two_cookies_of_one_name_the_right_one_opens() -> None:
    """Whoever listens at another port of the host can set one for this port, too, and earlier versions did."""
    token = token_urlsafe(24)
    client = _token_client(token)
    way = urlsplit(str(_follow(client, _enter(client, token)).url)).path
    right = client.cookies["likeness_token_8501"]
    for values in (("x", right), (right, "x")):
        cookies = "; ".join(f"likeness_token_8501={value}" for value in values)
        assert client.get(way, headers={"Cookie": cookies}).text == "inside"


def test_below_the_way_the_token_of_a_program_holds_as_well() -> None:
    token = token_urlsafe(24)
    client = _token_client(token)
    way = urlsplit(str(_follow(client, _enter(client, token)).url)).path.rstrip("/")
    client.cookies.clear()
    for path, status in ((f"{way}/api/v1/status", 200), ("/api/v1/status", 200), (f"{way}/thumbnails/cars/1", 401), ("/~other/api/v1/status", 401)):
        assert client.get(path, headers={"Authorization": f"Bearer {token}"}).status_code == status, path
    refused = client.get(f"{way}/api/v1/status", headers={"Authorization": "Bearer x"})
    assert (refused.status_code, refused.headers["content-type"]) == (401, "application/problem+json")


def test_two_servers_on_one_machine_do_not_throw_each_others_visitors_out(begin: Any) -> None:
    """Browsers send the cookies of a host to all its ports."""
    servers = [begin("--token", cache=name) for name in ("one", "two")]
    with httpx2.Client(timeout=600, trust_env=False, follow_redirects=True) as browser:
        opened = {server: str(browser.get(server.link(), headers=PAGE).url).rstrip("/") for server in servers}
        for server in servers:
            assert server.token not in server.printed()  # which may be kept where others read
            process = Path("/proc") / str(server.pid)
            if process.is_dir():  # who lists the processes of the machine does not see it, nor do processes that the server starts
                assert server.token.encode() not in (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        for server, inside in opened.items():
            for path in ("/", "/thumbnails/cars/1", "/_stcore/host-config"):
                assert [browser.get(f"{place}{path}").status_code for place in (inside, server.url)] == [200, 401]
            way, cookie = urlsplit(inside).path, browser.get(f"{inside}/").request.headers["cookie"]
            assert server.handshake(way, Cookie=cookie, Origin=server.url) == 101
            assert server.handshake(Cookie=cookie, Origin=server.url) == 401
            assert server.handshake(way, Origin=server.url) == 401
            assert server.handshake(way, Cookie=cookie, Origin="http://evil.example") == 403
            assert "cookie" not in browser.get(f"{server.url}/").request.headers  # nor does another port get it


@pytest.mark.parametrize("shared", [True, False])
def test_only_a_shared_server_names_the_examples_of_reverse_proxies(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shared: bool
) -> None:
    monkeypatch.setattr("server.middleware.build_middleware.server", lambda: ServerSettings(shared=shared))
    print_link()
    assert ("docs/serving.md" in capsys.readouterr().out) == shared


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_server_at_all_addresses_prints_a_link_for_this_machine_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, is_terminal: bool
) -> None:
    """In a container the host's name is one that nobody outside can reach; the machine that publishes its port opens the first link."""
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path))
    monkeypatch.setattr(socket, "gethostname", lambda: "3f9c0a1b2d4e")
    monkeypatch.setattr("server.middleware.build_middleware.server", lambda: ServerSettings(trust_network=True))
    monkeypatch.setattr("streamlit.get_option", {"server.address": "0.0.0.0", "server.port": 8501}.get)
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    print_link("/lab")
    printed, file = capsys.readouterr().out, tmp_path / "link-8501"
    links = re.findall(r"http://\S+", printed if is_terminal else file.read_text())
    first, _, token = links[0].partition("?token=")
    assert (first, len(token)) == ("http://localhost:8501/lab/", 32)
    assert links[1:] == [f"http://3f9c0a1b2d4e:8501/lab/?token={token}"]
    assert (token in printed, file.exists()) == (is_terminal, not is_terminal)
