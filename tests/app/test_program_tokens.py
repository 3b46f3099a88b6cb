"""Tokens of programs: drawn once, kept as hashes, and doors that they open for the API alone."""

import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from accounts import set_password
from doors.entrance import HeaderLogin
from doors.login import Login
from doors.token_door import TokenDoor, new_token
from likeness.errors import InputError
from likeness.tagging import TagStore, tags_file
from program_tokens import program_name, read_tokens, write_token
from request_scope import PROGRAM
from server_settings import ServerSettings, settings_from
from signed_in import account_in
from worlds import api_routes, cheap_hashes, serve

PEER = "http://127.0.0.1:8501"


def test_a_token_is_kept_as_a_hash_and_holds_until_the_next(tmp_path: Path) -> None:
    file = tmp_path / "tokens.txt"
    first, other = write_token(file, "Notebook"), write_token(file, "agent")
    assert first not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (program_name(file, first), program_name(file, other)) == ("notebook", "agent")
    assert [program_name(file, wrong) for wrong in ("", first[:-1], f"{first} ", "\ud800", "notebook")] == [""] * 5
    second = write_token(file, "notebook")
    assert (program_name(file, first), program_name(file, second), program_name(file, other)) == ("", "notebook", "agent")
    file.write_text("".join(line for line in file.read_text().splitlines(True) if not line.startswith("agent")))
    assert program_name(file, other) == ""
    assert program_name(None, other) == ""


@pytest.mark.parametrize("content", ["nope", "name:", f":{'a' * 64}", f"name:{'g' * 64}", f"a b:{'a' * 64}"])
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "tokens.txt"
    file.write_text(content)
    with pytest.raises(InputError):
        read_tokens(file)


def test_the_command_prints_it_once(tmp_path: Path) -> None:
    file = tmp_path / "tokens.txt"
    command = [sys.executable, "-m", "likeness", "admin", "token", str(file), "notebook"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert program_name(file, printed.stdout.strip()) == "notebook"
    wrong = subprocess.run([*command[:-1], "a b"], capture_output=True, text=True, timeout=300, check=False)
    assert (wrong.returncode, wrong.stderr.count("Error: "), wrong.stdout) == (2, 1, "")


def test_tokens_need_accounts_on_a_shared_server_and_a_file_that_is_there(tmp_path: Path) -> None:
    file = tmp_path / "tokens.txt"
    with pytest.raises(InputError, match="likeness admin token"):
        settings_from({"program_tokens": str(file)})
    write_token(file, "ada")
    assert settings_from({"program_tokens": str(file)}).program_tokens == file
    with pytest.raises(InputError, match="act for accounts"):
        settings_from({"program_tokens": str(file), "shared": True})


def _inside() -> Starlette:
    async def told(request: Request) -> JSONResponse:
        return JSONResponse({"account": account_in(request.scope), "program": request.scope.get(PROGRAM)})

    return Starlette(routes=[Route("/{path:path}", told, methods=["GET", "POST", "PUT"])])


def _shown(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _refused(response: Any, status: int) -> None:
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["status"] == status


class TestServerOfOnePerson:
    def test_the_printed_token_and_those_of_the_file_open_the_api_alone(self, tmp_path: Path) -> None:
        token, file = new_token(), tmp_path / "tokens.txt"
        own = write_token(file, "notebook")
        client = TestClient(TokenDoor(_inside(), token, file), base_url=PEER)
        for path in ("/api", "/api/v1/status", "/mcp"):
            assert client.get(path, headers=_shown(token)).json() == {"account": "", "program": "program"}
            assert client.post(path, headers=_shown(own)).json() == {"account": "", "program": "notebook"}
            for wrong in ("", "x", own[:-1], new_token()):
                refused = client.get(path, headers=_shown(wrong))
                _refused(refused, 401)
                assert refused.headers["www-authenticate"] == "Bearer"
            _refused(client.get(path), 401)
            _refused(client.get(path, headers={"Authorization": "Basic abc"}), 401)
            _refused(client.get(path, headers=[("Authorization", f"Bearer {own}"), ("Authorization", f"Bearer {own}")]), 401)
        for path in ("/", "/notions", "/thumbnails/cars/1", "/apix", "/api2/x", "/_stcore/host-config"):
            assert client.get(path, headers=_shown(own)).status_code == 401

    def test_a_damaged_file_lets_nobody_in(self, tmp_path: Path) -> None:
        file = tmp_path / "tokens.txt"
        own = write_token(file, "notebook")
        client = TestClient(TokenDoor(_inside(), new_token(), file), base_url=PEER)
        file.write_text("damaged")
        refused = client.get("/api/v1/status", headers=_shown(own))
        _refused(refused, 503)
        assert str(tmp_path) not in refused.text


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ServerSettings]:
    """Settings of a shared server in this process."""
    return lambda **settings: serve(monkeypatch, shared=True, **settings)


class TestAccounts:
    @pytest.fixture(autouse=True)
    def quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        cheap_hashes(monkeypatch)

    def test_a_token_acts_for_the_account_of_its_name(self, tmp_path: Path, shared: Callable[..., ServerSettings]) -> None:
        people, file = tmp_path / "people.txt", tmp_path / "tokens.txt"
        set_password(people, "ada", "correct horse", "view")
        ada, gone = write_token(file, "ada"), write_token(file, "gone")
        client = TestClient(Login(_inside(), shared(auth=str(people), program_tokens=str(file))), base_url=PEER)
        assert client.get("/api/v1/status", headers=_shown(ada)).json()["account"] == "ada"
        assert client.post("/api/v1/datasets/cars/search", headers=_shown(ada)).json()["account"] == "ada"  # the API checks what it writes
        _refused(client.get("/api/v1/status", headers=_shown(gone)), 403)
        _refused(client.get("/api/v1/status", headers=_shown("nope")), 401)
        _refused(client.get("/api/v1/status"), 401)
        assert client.get("/thumbnails/cars/1", headers=_shown(ada)).status_code == 401
        client.post("/login", data={"name": "ada", "password": "correct horse"})
        assert client.get("/api/v1/status").json()["account"] == "ada"  # people who have signed in may read the page, too
        _refused(client.get("/api/v1/status", headers=_shown("nope")), 401)
        assert client.put("/_stcore/upload_file/a/b").status_code == 403  # of the role view

    def test_roles_and_names_reach_the_threads_that_work(self, tmp_path: Path, shared: Callable[..., ServerSettings]) -> None:
        people, file = tmp_path / "people.txt", tmp_path / "tokens.txt"
        for name, role in (("ada", "view"), ("ben", "edit")):
            set_password(people, name, "correct horse", role)  # type: ignore[arg-type]
        ada, ben = (_shown(write_token(file, name)) for name in ("ada", "ben"))
        settings = shared(auth=str(people), program_tokens=str(file), api=True)
        client = TestClient(Login(Starlette(routes=api_routes(settings)), settings), base_url=PEER, raise_server_exceptions=False)
        for who, name, may in ((ada, "ada", False), (ben, "ben", True)):
            status = client.get("/api/v1/status", headers=who).json()
            assert (status["account"], status["may_edit"], status["shared"]) == (name, may, True)
            assert client.post("/api/v1/datasets/cars/search", json={"terms": [{"row": 1}]}, headers=who).status_code == 200
            given = client.post("/api/v1/datasets/cars/labels", json={"rows": [1], "tag": "t"}, headers=who)
            assert given.status_code == (200 if may else 403)
        assert TagStore(tags_file("cars")).log()["who"].tolist() == ["ben"]

    def test_past_a_proxy_that_names_accounts(self, tmp_path: Path, shared: Callable[..., ServerSettings]) -> None:
        file = tmp_path / "tokens.txt"
        ben = write_token(file, "ben")
        settings = shared(auth_header="X-Email", program_tokens=str(file), trusted_proxies=["10.0.0.1"])
        client = TestClient(HeaderLogin(_inside(), settings), base_url=PEER)
        assert client.get("/api/v1/status", headers=_shown(ben)).json()["account"] == "ben"
        _refused(client.get("/api/v1/status", headers=_shown("nope")), 401)
        _refused(client.get("/api/v1/status", headers=_shown(ben) | {"X-Email": "cleo"}), 403)  # not from the proxy
        _refused(client.get("/api/v1/status"), 401)
