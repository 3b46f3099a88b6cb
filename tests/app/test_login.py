"""Accounts of a shared server: passwords, sessions, tries that are slowed down, and names that a proxy gives."""

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from likeness.errors import InputError
from server import accounts, admin, audit, passwords
from server.accounts import account_name, read_accounts, role_of
from server.middleware import proxies
from server.middleware.doors import HeaderLogin
from server.middleware.host_check import Hosts
from server.middleware.proxies import network_of
from server.passwords import Login, set_password, verified
from server.settings import ServerSettings
from worlds import OWN_PAGE as OWN, PEER as HOST, STREAM, Clock, answer_of_stream, audit_log, cheap_hashes, client_behind, serve

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
    return serve(monkeypatch, shared=True, auth=str(people), session_hours=2, trusted_proxies=["127.0.0.1"])


def _client(door: Callable[..., Any], settings: ServerSettings, address: str = "127.0.0.1") -> Any:
    def whole(inside: Any) -> Hosts:
        return Hosts(door(inside, settings), "127.0.0.1", settings)

    return client_behind(whole, lambda asked: asked.headers.get(accounts._ACCOUNT, "nobody"), client=(address, 50_000))


def _sign_in(client: Any, name: str, password: str = SECRET, headers: dict[str, str] | None = None, **fields: str) -> Any:
    return client.post("/login", data={"name": name, "password": password, **fields}, headers=OWN if headers is None else headers)


def test_passwords_are_kept_as_hashes_that_their_owner_alone_reads_and_what_is_none_is_refused(people: Path) -> None:
    found = read_accounts(people)
    assert SECRET not in people.read_text()
    assert stat.S_IMODE(people.stat().st_mode) == 0o600
    assert {name: account.role for name, account in found.items()} == {"ada": "view", "ben": "edit", "cleo": "train"}
    assert len({account.hash for account in found.values()}) == 3  # salted
    set_password(people, "Ada", "another one", "edit")
    assert read_accounts(people)["ada"].role == "edit"
    assert verified(people, "ada", "another one") == read_accounts(people)["ada"]
    assert verified(people, "ada", SECRET) is verified(people, "dora", SECRET) is None
    for name in ("", " ", "../x", "a/b", "a:b", "a\nb", ".ada", "-ada", "x" * 65, "a b", "a\0"):
        with pytest.raises(InputError, match="is not a valid account name; use up to 64"):
            set_password(people, name, SECRET, "view")
    none = people.with_name("none.txt")
    with pytest.raises(InputError, match="The password has 7 characters; use 8 to 1024"):
        set_password(none, "ada", "short12", "view")
    with pytest.raises(InputError, match="cannot be read"):
        read_accounts(none)
    none.write_text("# who may come in\n\nada:view:secret\n")
    with pytest.raises(InputError, match=r"Line 3 of the password file 'none\.txt' is not an account"):
        read_accounts(none)


def test_the_command_asks_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., tuple[int, str, str]]) -> None:
    typed, people = iter([SECRET, SECRET, SECRET, "another horse"]), tmp_path / "people.txt"
    monkeypatch.setattr(admin, "getpass", lambda prompt: next(typed))
    admin.ask_password(people, "Ada", "edit")
    assert verified(people, "ada", SECRET) is not None
    with pytest.raises(InputError, match="The passwords differ, so nothing was saved"):
        admin.ask_password(people, "ben", "edit")
    assert list(read_accounts(people)) == ["ada"]
    started: list[list[str]] = []
    monkeypatch.setattr("os.execve", lambda program, arguments, environment: started.append(arguments))
    assert run("admin", "password", "people.txt", "ada", "--role", "train")[0] == 0
    assert started[0][2:] == ["admin", '["password", "people.txt", "ada", "train"]']
    assert run("admin", "password", "people.txt", "ada", "--role", "all")[0] == 2


def test_nothing_answers_before_the_sign_in_nor_once_the_password_file_is_gone(settings: ServerSettings, people: Path) -> None:
    client = _client(Login, settings)
    for path in ("/", "/thumbnails/cars/1", "/media/a.bin", "/_stcore/host-config", "/static/a.js"):
        for headers in ({}, {accounts._ACCOUNT[:-1]: "ada", "X-Remote-User": "ada"}):
            assert client.get(path, headers=headers).status_code == 401
    assert client.put("/_stcore/upload_file/a/b").status_code == 401
    assert answer_of_stream(client) == 401
    page = client.get("/notions?draft=1", headers={"Accept": "text/html"})
    assert page.status_code == 401
    assert 'name="next" value="/notions?draft=1"' in page.text
    assert client.get("/_stcore/health").status_code == 200
    _sign_in(client, "ada")
    with client.websocket_connect(STREAM) as websocket:  # which ends with its session
        websocket.send_text("who")
        assert websocket.receive_text() == "ada"
        client.post("/logout", headers=OWN)
        websocket.send_text("who")
        with pytest.raises(WebSocketDisconnect):
            websocket.receive_text()
    _sign_in(client, "ada")
    people.unlink()
    refused = client.get("/")
    assert refused.status_code == _sign_in(client, "ada").status_code == 503
    assert str(people.parent) not in refused.text


def test_who_signs_in_is_known_behind_the_door_until_the_sign_out(settings: ServerSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    client = _client(Login, settings)
    opened = _sign_in(client, " BEN ", next="/notions?draft=1")
    assert (opened.status_code, opened.headers["location"]) == (303, "/notions?draft=1")
    cookie, *flags = opened.headers["set-cookie"].split("; ")
    assert cookie.startswith("likeness_session_8501=")
    assert set(flags) == {"HttpOnly", "Max-Age=7200", "Path=/", "SameSite=lax"}
    assert "signed in as ben" in client.get("/logout").text
    kept = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    assert client.post("/logout", headers={"Origin": "http://evil.example"}).status_code == 403
    assert client.get("/").text == "ben"
    assert client.post("/logout", headers=OWN).status_code == 303
    assert client.get("/", headers={"Cookie": kept}).status_code == 401
    assert [(line["event"], line["who"]) for line in audit_log(audit.cache_dir())] == [("signed in", "ben"), ("signed out", "ben")]
    opened = _sign_in(client, "ben", headers={"Origin": f"https://{HOST}", "X-Forwarded-Proto": "https"})
    assert "; Secure" in opened.headers["set-cookie"]
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):  # a page of another site
        refused = _sign_in(client, "ben", headers=headers)
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers

    def full(*arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(audit.os, "open", full)  # which keeps nobody out
    assert _sign_in(client, "ada").status_code == 303


def test_unknown_names_and_wrong_passwords_get_one_answer(settings: ServerSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    hasher = passwords._hasher()
    verify = lambda hash, password: compared.append(password) or hasher.verify(hash, password)  # noqa: E731
    monkeypatch.setattr(passwords, "_hasher", lambda: SimpleNamespace(verify=verify, hash=hasher.hash))
    client = _client(Login, settings)
    answers = [_sign_in(client, name, "wrong password") for name in ("ada", "dora", "../ada")]
    assert {(answer.status_code, answer.text) for answer in answers} == {(403, answers[0].text)}
    assert "Wrong name or password." in answers[0].text
    assert compared == ["wrong password"] * 3  # so all of them take the time of a comparison
    noted = [("sign-in refused", who) for who in ("ada", "an unknown name", "an unknown name")]
    assert [(line["event"], line["who"]) for line in audit_log(audit.cache_dir())] == noted
    assert "wrong password" not in (audit.cache_dir() / "audit.jsonl").read_text()


def test_wrong_tries_are_slowed_down_and_those_from_elsewhere_lock_out_nobody_who_has_signed_in(
    settings: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    client = _client(partial(Login, clock=clock), settings, "127.0.0.1")

    def answer(name: str, password: str, place: int) -> Any:
        return _sign_in(client, name, password, headers=OWN | {"X-Forwarded-For": f"203.0.113.{place}"})

    def status(*given: Any) -> int:
        return int(answer(*given).status_code)

    assert [status("ada", "wrong", 1) for _ in range(6)] == [403] * 5 + [429]
    assert status("ada", SECRET, 1) == 429  # not even looked at
    assert [status("ada", "wrong", place) for place in range(10, 18)] == [403] * 8
    assert status("ada", SECRET, 99) == 303  # wrong tries from elsewhere lock nobody out
    assert status("ben", SECRET, 1) == 303  # nor those of a colleague behind the same address
    clock.now += 59
    assert status("ada", "wrong", 1) == 429
    clock.now += 2
    assert [status("ada", "wrong", 1) for _ in range(2)] == [403, 429]  # one a minute from then on
    assert [status("ben", SECRET, 60) for _ in range(30)] == [303] * 30
    guesses = [status(f"name{number}", "wrong", 50) for number in range(19)] + [status("ben", SECRET, 50)]
    guesses += [status(f"name{number}", "wrong", 50) for number in range(20, 22)]
    assert guesses == [403] * 19 + [303] + [403, 429]  # one's own account frees nobody who guesses those of others
    spread = [status("cleo", "wrong", 100 + number // 5) for number in range(101)]
    assert spread == [403] * 100 + [429]  # nor do many addresses for long
    assert [status("cleo", SECRET, 200), status("ada", SECRET, 99)] == [429, 303]
    clock.now += 61
    assert [status("cleo", SECRET, 200), status("cleo", "wrong", 150), status("cleo", "wrong", 151)] == [303, 403, 429]
    assert status("cleo", SECRET, 200) == 303  # from where it was right before, whatever others try
    refused = [answer("x", "y", 51) for _ in range(6)][-1]
    assert refused.headers["retry-after"] == "60"
    assert "wait 60 s" in refused.text
    networks = [network_of(place) for place in ("2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1", "203.0.113.1", "203.0.113.2")]
    assert networks[0] == networks[1]  # an IPv6 address stands for its network
    assert len(set(networks)) == 4


def test_many_who_sign_in_at_once_from_one_address_are_not_taken_for_guesses(settings: ServerSettings) -> None:
    with _client(Login, settings) as client, ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(lambda number: _sign_in(client, "ada").status_code, range(12)))
    assert answers == [303] * 12


def test_sessions_end(settings: ServerSettings, people: Path) -> None:
    """With their time, with another password, and with the account."""
    clock = Clock()
    client = _client(partial(Login, clock=clock), settings)

    def status(seconds: float = 0, cookie: str | None = None) -> int:
        clock.now += seconds
        return int(client.get("/", headers={} if cookie is None else {"Cookie": f"likeness_session_8501={cookie}"}).status_code)

    _sign_in(client, "ben")
    key = client.cookies["likeness_session_8501"]
    for others in (f"x; likeness_session_8501={key}", f"{key}; likeness_session_8501=x"):  # another port of this host has set one, too
        assert status(cookie=others) == 200
    assert [status(7199), status(cookie=key[:-1]), status(cookie=""), status(1)] == [200, 401, 401, 401]
    _sign_in(client, "ben")
    set_password(people, "ben", "another password", "edit")
    assert status() == 401
    _sign_in(client, "ben", "another password")
    assert status() == 200
    people.write_text("".join(line for line in people.read_text().splitlines(keepends=True) if not line.startswith("ben:")))
    assert status() == 401


def test_only_the_role_edit_uploads(settings: ServerSettings, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, status in (("ada", 403), ("ben", 200), ("cleo", 200), ("ada", 200)):
        if (name, status) == ("ada", 200):
            set_password(people, "ada", SECRET, "edit")
        client = _client(Login, settings)
        _sign_in(client, name)
        for method in ("PUT", "DELETE", "POST"):
            assert client.request(method, "/_stcore/upload_file/session/file", headers=OWN).status_code == status, (name, method)
    assert [role_of(name) for name in ("ada", "ben", "cleo", "dora", "")] == ["edit", "edit", "train", None, None]
    serve(monkeypatch, shared=True, auth_header="X-User", trusted_proxies=["127.0.0.1"], roles={"Ada": "train"}, default_role="edit")
    assert [role_of(name) for name in ("ada", "dora", "")] == ["train", "edit", None]
    assert account_name(" Ada ") == "ada"


def test_a_trusted_proxy_names_the_account_and_nobody_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = serve(monkeypatch, shared=True, auth_header="X-Forwarded-Email", trusted_proxies=["10.0.0.0/24"], roles={"Ben@x.org": "edit"})
    proxy, stranger = _client(HeaderLogin, settings, "10.0.0.7"), _client(HeaderLogin, settings, "10.0.1.7")
    header = {"X-Forwarded-Email": "Ada@x.org"}
    assert proxy.get("/", headers=header).text == "ada%40x.org"
    for wrong in ({}, {"X-Forwarded-Email": "a/../b"}, [("X-Forwarded-Email", "ada"), ("X-Forwarded-Email", "ben")]):
        assert proxy.get("/", headers=wrong).status_code == 401  # type: ignore[arg-type]
    assert proxy.put("/", headers=header).status_code == 403
    assert proxy.put("/", headers={"X-Forwarded-Email": "ben@x.org"}).status_code == 200
    assert stranger.get("/").status_code == 401
    assert stranger.get("/", headers=header | {"X-Forwarded-For": "10.0.0.7"}).status_code == 403
    assert audit_log(audit.cache_dir())[-1] | {"time": ""} == {"time": "", "event": "header refused", "who": "10.0.1.7", "what": "X-Forwarded-Email"}
    assert answer_of_stream(stranger, **header) == 403


def test_a_proxy_that_was_not_named_is_not_believed(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    scope = {"type": "http", "client": ("127.0.0.1", 50_000), "headers": [(b"x-forwarded-for", b"203.0.113.9")]}
    serve(monkeypatch, shared=True)
    proxies._tell_of_proxy.cache_clear()
    assert [proxies.client_address(scope) for _ in range(3)] == ["127.0.0.1"] * 3
    assert ["add --trusted-proxy ADDRESS." in line.getMessage() for line in caplog.records] == [True]
    serve(monkeypatch, shared=True, trusted_proxies=["127.0.0.0/8"])
    assert proxies.client_address(scope) == "203.0.113.9"
    with pytest.raises(InputError, match="auth_header needs a trusted proxy; add trusted_proxies"):
        serve(monkeypatch, shared=True, auth_header="X-User")


def test_each_server_has_its_doors(monkeypatch: pytest.MonkeyPatch, people: Path) -> None:
    """Behind a proxy it sees who is connected, though Streamlit's own command lets uvicorn put X-Forwarded-For in place of that address."""
    from server.middleware.build_middleware import build_middleware

    behind = {"shared": True, "auth_header": "X-Forwarded-Email", "trusted_proxies": ["127.0.0.1"]}
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    serve(monkeypatch, **behind)
    with pytest.raises(InputError, match="works only with `likeness app`"):
        build_middleware("127.0.0.1")
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "")
    for content, names in (
        (behind, ["WholeRequests", "Hosts", "HeaderLogin"]),
        ({}, ["WholeRequests", "Hosts", "TokenDoor"]),
        ({"trust_network": True}, ["WholeRequests", "Hosts", "TokenDoor"]),
        ({"token": False}, ["WholeRequests", "Hosts"]),
        ({"shared": True}, ["WholeRequests", "Hosts"]),
        ({"shared": True, "auth": str(people)}, ["WholeRequests", "Hosts", "Login"]),
    ):
        serve(monkeypatch, **content)
        assert [door.cls.__name__ for door in build_middleware("127.0.0.1")] == names


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
