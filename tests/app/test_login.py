"""Accounts of a shared server: passwords, sessions, tries that are slowed down, and names that a proxy gives."""

import contextlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

import accounts
import audit
import password as password_command
import signed_in
from accounts import account_name, read_accounts, role_of, set_password, verified
from doors import login
from doors.attempts import Attempts, address_key
from doors.entrance import HeaderLogin
from doors.hosts import Hosts
from doors.login import Login, Sessions
from likeness.errors import InputError
from server_settings import ServerSettings
from worlds import Clock, audit_log, cheap_hashes, serve

HOST = "127.0.0.1:8501"
PAGE = {"Accept": "text/html"}
SECRET = "correct horse"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    cheap_hashes(monkeypatch)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Three accounts, one of each role, all of the same password."""
    file = tmp_path / "people.txt"
    for name, role in (("ada", "view"), ("ben", "edit"), ("cleo", "train")):
        set_password(file, name, SECRET, role)  # type: ignore[arg-type]
    return file


@pytest.fixture
def settings(people: Path, monkeypatch: pytest.MonkeyPatch) -> ServerSettings:
    """Of a shared server with these accounts."""
    return serve(monkeypatch, shared=True, auth=str(people), session_hours=2)


def _account_of(connection: HTTPConnection) -> str:
    return connection.headers.get(signed_in._HEADER, "nobody")


async def _answer(request: Request) -> PlainTextResponse:
    return PlainTextResponse(_account_of(request))


async def _stream(websocket: WebSocket) -> None:
    await websocket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            await websocket.receive_text()
            await websocket.send_text(_account_of(websocket))


def _client(door: type[Any], settings: ServerSettings, address: str = "127.0.0.1") -> TestClient:
    inside = Starlette(routes=[WebSocketRoute("/_stcore/stream", _stream), Route("/{path:path}", _answer, methods=["GET", "PUT", "DELETE", "POST"])])
    app = Hosts(door(inside, settings), "127.0.0.1", settings)
    return TestClient(app, base_url=f"http://{HOST}", follow_redirects=False, client=(address, 50_000))


def _sign_in(client: TestClient, name: str, password: str = SECRET, **fields: str) -> Any:
    return client.post("/login", data={"name": name, "password": password, **fields}, headers={"Origin": f"http://{HOST}"})


def test_passwords_are_kept_as_hashes_that_their_owner_alone_reads(people: Path) -> None:
    assert SECRET not in people.read_text()
    assert stat.S_IMODE(people.stat().st_mode) == 0o600
    assert {name: account.role for name, account in read_accounts(people).items()} == {"ada": "view", "ben": "edit", "cleo": "train"}
    assert len({account.hash for account in read_accounts(people).values()}) == 3  # salted
    set_password(people, "Ada", "another one", "edit")
    assert read_accounts(people)["ada"].role == "edit"
    assert verified(people, "ada", "another one") == read_accounts(people)["ada"]
    assert verified(people, "ada", SECRET) is None
    assert verified(people, "dora", SECRET) is None


@pytest.mark.parametrize("name", ["", " ", "../x", "a/b", "a:b", "a\nb", ".ada", "-ada", "x" * 65, "a b", "a\0"])
def test_a_name_is_a_name(name: str, people: Path) -> None:
    with pytest.raises(InputError, match="is no name of an account; use letters"):
        set_password(people, name, SECRET, "view")


def test_short_passwords_and_files_of_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="The password has 7 letters; choose one of 8 to 1024"):
        set_password(Path("none.txt"), "ada", "short12", "view")
    assert not Path("none.txt").exists()
    (tmp_path / "x.txt").write_text("# who may come in\n\nada:view:secret\n")
    with pytest.raises(InputError, match=r"Line 3 of the password file 'x\.txt' is no account"):
        read_accounts(tmp_path / "x.txt")
    with pytest.raises(InputError, match="cannot be read"):
        read_accounts(tmp_path / "none.txt")


def test_the_command_asks_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., tuple[int, str, str]]) -> None:
    typed = iter([SECRET, SECRET, SECRET, "another horse"])
    monkeypatch.setattr(password_command, "getpass", lambda prompt: next(typed))
    password_command.ask(tmp_path / "people.txt", "Ada", "edit")
    assert verified(tmp_path / "people.txt", "ada", SECRET) is not None
    with pytest.raises(InputError, match="The two passwords differ, so nothing was written"):
        password_command.ask(tmp_path / "people.txt", "ben", "edit")
    assert list(read_accounts(tmp_path / "people.txt")) == ["ada"]
    started: list[list[str]] = []
    monkeypatch.setattr("os.execve", lambda program, arguments, environment: started.append(arguments))
    assert run("admin", "password", "people.txt", "ada", "--role", "train")[0] == 0
    assert started[0][1:] == [password_command.__file__, "people.txt", "ada", "train"]
    assert run("admin", "password", "people.txt", "ada", "--role", "all")[0] == 2


def test_nothing_answers_before_the_sign_in(settings: ServerSettings) -> None:
    client = _client(Login, settings)
    for path in ("/", "/thumbnails/cars/1", "/media/a.bin", "/_stcore/host-config", "/static/a.js"):
        assert client.get(path).status_code == 401
        assert client.get(path, headers={signed_in._HEADER[:-1]: "ada", "X-Remote-User": "ada"}).status_code == 401
    assert client.put("/_stcore/upload_file/a/b").status_code == 401
    with pytest.raises(WebSocketDenialResponse), client.websocket_connect(f"ws://{HOST}/_stcore/stream"):
        pass
    page = client.get("/notions?draft=1", headers=PAGE)
    assert page.status_code == 401
    assert 'name="next" value="/notions?draft=1"' in page.text
    assert client.get("/_stcore/health").status_code == 200


def test_who_signs_in_is_known_behind_the_door_until_the_sign_out(settings: ServerSettings) -> None:
    client = _client(Login, settings)
    opened = _sign_in(client, " BEN ", next="/notions?draft=1")
    assert (opened.status_code, opened.headers["location"]) == (303, "/notions?draft=1")
    flags = opened.headers["set-cookie"].split("; ")[1:]
    assert set(flags) == {"HttpOnly", "Max-Age=7200", "Path=/", "SameSite=lax"}
    assert opened.headers["set-cookie"].startswith("likeness_session_8501=")
    assert client.get("/").text == "ben"
    assert "signed in as ben" in client.get("/logout").text
    kept = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    assert client.post("/logout", headers={"Origin": "http://evil.example"}).status_code == 403
    assert client.get("/").text == "ben"
    assert client.post("/logout", headers={"Origin": f"http://{HOST}"}).status_code == 303
    assert client.get("/", headers={"Cookie": kept}).status_code == 401
    assert [(line["event"], line["who"]) for line in audit_log(audit.cache_dir())] == [("signed in", "ben"), ("signed out", "ben")]
    headers = {"Origin": f"https://{HOST}", "X-Forwarded-Proto": "https"}
    opened = client.post("/login", data={"name": "ben", "password": SECRET}, headers=headers)
    assert "; Secure" in opened.headers["set-cookie"]


def test_unknown_names_and_wrong_passwords_get_one_answer(settings: ServerSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    hasher = accounts._hasher()

    class Counted:
        def verify(self, hash: str, password: str) -> bool:
            compared.append(password)
            return bool(hasher.verify(hash, password))

        def hash(self, password: bytes) -> str:
            return str(hasher.hash(password))

    monkeypatch.setattr(accounts, "_hasher", Counted)
    client = _client(Login, settings)
    answers = [_sign_in(client, name, "wrong password") for name in ("ada", "dora", "../ada")]
    assert {answer.status_code for answer in answers} == {403}
    assert len({answer.text for answer in answers}) == 1
    assert "Name or password is wrong." in answers[0].text
    assert compared == ["wrong password"] * 3  # so all of them take the time of a comparison
    assert [(line["event"], line["who"]) for line in audit_log(audit.cache_dir())] == [
        ("sign-in refused", "ada"),
        *[("sign-in refused", "an unknown name")] * 2,
    ]
    assert "wrong password" not in (audit.cache_dir() / "audit.jsonl").read_text()


def test_a_page_of_another_site_signs_nobody_in(settings: ServerSettings) -> None:
    client = _client(Login, settings)
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        refused = client.post("/login", data={"name": "ben", "password": SECRET}, headers=headers)
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers


def test_wrong_tries_are_slowed_down_by_name_and_by_address(settings: ServerSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(login, "Attempts", lambda: Attempts(clock))
    client = _client(Login, settings, "127.0.0.1")

    def status(name: str, password: str, address: str) -> int:
        headers = {"Origin": f"http://{HOST}", "X-Forwarded-For": address}
        return int(client.post("/login", data={"name": name, "password": password}, headers=headers).status_code)

    assert [status("ada", "wrong", f"203.0.113.{place}") for place in range(6)] == [403] * 5 + [429]
    assert status("ada", SECRET, "203.0.113.99") == 429  # not even looked at
    assert status("ben", SECRET, "203.0.113.99") == 303
    clock.now += 1
    assert status("ada", SECRET, "203.0.113.99") == 303
    assert [status(f"name{place}", "wrong", "203.0.113.50") for place in range(6)] == [403] * 5 + [429]
    assert [status("ben", SECRET, "203.0.113.60") for _ in range(20)] == [303] * 20
    guesses = [status(f"name{place}", "wrong", "203.0.113.70") for place in range(10, 14)] + [status("ben", SECRET, "203.0.113.70")]
    guesses += [status(f"name{place}", "wrong", "203.0.113.70") for place in range(14, 16)]
    assert guesses == [403] * 4 + [303] + [403, 429]  # one's own account frees nobody who guesses those of others
    refused = client.post("/login", data={"name": "x", "password": "y"}, headers={"Origin": f"http://{HOST}", "X-Forwarded-For": "203.0.113.50"})
    assert refused.headers["retry-after"] == "1"
    assert "wait 1 s" in refused.text


def test_tries_wait_longer_each_time_and_a_minute_at_most() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    assert [attempts.wait("a") for _ in range(5)] == [0.0] * 5
    pauses = []
    for _ in range(8):
        pauses.append(attempts.wait("a"))
        clock.now += pauses[-1]
        assert attempts.wait("a") == 0.0
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    assert attempts.wait("a", "b") == 60
    assert attempts.wait("b") == 0.0
    clock.now += 900
    assert [attempts.wait("a") for _ in range(5)] == [0.0] * 5
    assert attempts.wait("a") == 1
    attempts.forget("a")
    assert [attempts.wait("a") for _ in range(5)] == [0.0] * 5
    attempts.take_back("a")
    assert attempts.wait("a") == 0.0
    assert attempts.wait("a") == 1


def test_an_ipv6_address_stands_for_its_network() -> None:
    assert address_key("2001:db8::1") == address_key("2001:db8::ffff:1") != address_key("2001:db8:0:1::1")
    assert address_key("203.0.113.1") != address_key("203.0.113.2")


def test_sessions_end(settings: ServerSettings, people: Path) -> None:
    clock = Clock()
    sessions = Sessions(7200, clock)
    account = read_accounts(people)["ben"]
    key = sessions.begin(account)
    clock.now += 7199
    assert sessions.name(key) == "ben"
    assert sessions.name(key[:-1]) == sessions.name("") == ""
    clock.now += 1
    assert sessions.name(key) == ""
    key = sessions.begin(account)
    set_password(people, "ben", "another password", "edit")
    assert sessions.name(key) == ""
    key = sessions.begin(read_accounts(people)["ben"])
    people.write_text("".join(line for line in people.read_text().splitlines(keepends=True) if not line.startswith("ben:")))
    assert sessions.name(key) == ""


def test_a_websocket_ends_with_its_session(settings: ServerSettings) -> None:
    client = _client(Login, settings)
    _sign_in(client, "ada")
    with client.websocket_connect(f"ws://{HOST}/_stcore/stream") as websocket:
        websocket.send_text("who")
        assert websocket.receive_text() == "ada"
        client.post("/logout", headers={"Origin": f"http://{HOST}"})
        websocket.send_text("who")
        with pytest.raises(WebSocketDisconnect):
            websocket.receive_text()


def test_only_the_role_edit_uploads(settings: ServerSettings, people: Path) -> None:
    for name, allowed in (("ada", False), ("ben", True), ("cleo", True)):
        client = _client(Login, settings)
        _sign_in(client, name)
        for method in ("PUT", "DELETE", "POST"):
            answered = client.request(method, "/_stcore/upload_file/session/file", headers={"Origin": f"http://{HOST}"})
            assert (answered.status_code == 200) == allowed, (name, method)
    set_password(people, "ada", SECRET, "edit")
    client = _client(Login, settings)
    _sign_in(client, "ada")
    assert client.put("/_stcore/upload_file/session/file").status_code == 200


def test_a_trusted_proxy_names_the_account_and_nobody_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = serve(monkeypatch, shared=True, auth_header="X-Forwarded-Email", trusted_proxies=["10.0.0.0/24"], roles={"Ben@x.org": "edit"})
    proxy, stranger = _client(HeaderLogin, settings, "10.0.0.7"), _client(HeaderLogin, settings, "10.0.1.7")
    header = {"X-Forwarded-Email": "Ada@x.org"}
    assert proxy.get("/", headers=header).text == "ada%40x.org"
    assert proxy.get("/").status_code == 401
    assert proxy.get("/", headers={"X-Forwarded-Email": "a/../b"}).status_code == 401
    assert proxy.get("/", headers=[("X-Forwarded-Email", "ada"), ("X-Forwarded-Email", "ben")]).status_code == 401
    assert proxy.put("/", headers=header).status_code == 403
    assert proxy.put("/", headers={"X-Forwarded-Email": "ben@x.org"}).status_code == 200
    assert stranger.get("/").status_code == 401
    refused = stranger.get("/", headers=header | {"X-Forwarded-For": "10.0.0.7"})
    assert refused.status_code == 403
    assert audit_log(audit.cache_dir())[-1] | {"time": ""} == {"time": "", "event": "header refused", "who": "10.0.1.7", "what": "X-Forwarded-Email"}
    with pytest.raises(WebSocketDenialResponse), stranger.websocket_connect(f"ws://{HOST}/_stcore/stream", headers=header):
        pass


def test_a_server_behind_a_proxy_sees_who_is_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's own command lets uvicorn put X-Forwarded-For in place of that address."""
    from doors.entrance import doors

    serve(monkeypatch, shared=True, auth_header="X-Forwarded-Email")
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    with pytest.raises(InputError, match="is started by `likeness app`"):
        doors("127.0.0.1")
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "")
    assert [door.cls.__name__ for door in doors("127.0.0.1")] == ["Hosts", "HeaderLogin"]


def test_each_server_has_its_doors(monkeypatch: pytest.MonkeyPatch, people: Path) -> None:
    from doors.entrance import doors

    for content, names in (
        ({}, ["Hosts", "TokenDoor"]),
        ({"trust_network": True}, ["Hosts", "TokenDoor"]),
        ({"token": False}, ["Hosts"]),
        ({"shared": True}, ["Hosts"]),
        ({"shared": True, "auth": str(people)}, ["Hosts", "Login"]),
    ):
        serve(monkeypatch, **content)
        assert [door.cls.__name__ for door in doors("127.0.0.1")] == names


def test_roles(settings: ServerSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [role_of(name) for name in ("ada", "ben", "cleo", "dora", "")] == ["view", "edit", "train", None, None]
    serve(monkeypatch, shared=True, auth_header="X-User", roles={"Ada": "train"}, default_role="edit")
    assert [role_of(name) for name in ("ada", "dora", "")] == ["train", "edit", None]
    assert account_name(" Ada ") == "ada"


def test_the_log_is_the_servers_alone_and_has_two_files_at_most(settings: ServerSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_LARGEST", 300)
    umask = os.umask(0)
    try:
        for number in range(20):
            audit.record("tried", "a\nb", f"{number} " + "x" * 1000)
    finally:
        os.umask(umask)
    files = sorted(audit.cache_dir().glob("audit.jsonl*"))
    assert [file.name for file in files] == ["audit.jsonl", "audit.jsonl.1"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert len(files[0].read_text().splitlines()) == 1
    line = audit_log(audit.cache_dir())[0]
    assert (line["event"], line["who"], line["what"][:3]) == ("tried", "a\nb", "19 ")
    assert line["time"].endswith("+00:00")
    files[0].unlink()
    serve(monkeypatch)
    audit.record("tried", "ada", "")
    assert not files[0].exists()


def test_a_full_disk_keeps_nobody_out(settings: ServerSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(audit.os, "write", full)
    assert _sign_in(_client(Login, settings), "ada").status_code == 303


def test_a_password_file_that_is_gone_closes_the_server(settings: ServerSettings, people: Path) -> None:
    client = _client(Login, settings)
    _sign_in(client, "ada")
    people.unlink()
    refused = client.get("/")
    assert refused.status_code == 503
    assert str(people.parent) not in refused.text
    assert _sign_in(client, "ada").status_code == 503
