"""Tokens of programs: drawn once, kept as hashes, and doors that they open for the API alone."""

import stat
import subprocess
import sys
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from likeness.errors import InputError
from likeness.tagging import TagStore, tags_file
from server.accounts import PROGRAM, account_in, program_name, read_tokens, write_token
from server.middleware.doors import HeaderLogin, TokenDoor
from server.passwords import Login, set_password
from server.settings import ServerSettings, settings_from
from worlds import api_routes, cheap_hashes, serve

PEER = "http://127.0.0.1:8501"


def test_a_token_is_kept_as_a_hash_and_holds_until_the_next(tmp_path: Path) -> None:
    file = tmp_path / "tokens.txt"
    with pytest.raises(InputError, match="likeness admin token"):
        settings_from({"program_tokens": str(file)})
    first, other = write_token(file, "Notebook"), write_token(file, "agent")
    assert settings_from({"program_tokens": str(file)}).program_tokens == file
    with pytest.raises(InputError, match="act for accounts"):
        settings_from({"program_tokens": str(file), "shared": True})
    assert first not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (program_name(file, first), program_name(file, other)) == ("notebook", "agent")
    assert [program_name(file, wrong) for wrong in ("", first[:-1], f"{first} ", "\ud800", "notebook")] == [""] * 5
    second = write_token(file, "notebook")
    assert (program_name(file, first), program_name(file, second), program_name(file, other)) == ("", "notebook", "agent")
    file.write_text("".join(line for line in file.read_text().splitlines(True) if not line.startswith("agent")))
    assert program_name(file, other) == program_name(None, other) == ""
    for content in ("nope", "name:", f":{'a' * 64}", f"name:{'g' * 64}", f"a b:{'a' * 64}"):
        file.write_text(content)
        with pytest.raises(InputError):
            read_tokens(file)


def test_the_command_prints_it_once(tmp_path: Path) -> None:
    file = tmp_path / "tokens.txt"
    command = [sys.executable, "-m", "likeness", "admin", "token", str(file), "notebook"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert program_name(file, printed.stdout.strip()) == "notebook"


def _inside() -> Starlette:
    async def told(request: Request) -> JSONResponse:
        return JSONResponse({"account": account_in(request.scope), "program": request.scope.get(PROGRAM)})

    return Starlette(routes=[Route("/{path:path}", told, methods=["GET", "POST", "PUT"])])


def _shown(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _refused(status: int, *responses: Any) -> None:
    for response in responses:
        assert response.status_code == response.json()["status"] == status
        assert response.headers["content-type"] == "application/problem+json"


def test_on_a_server_of_one_person_tokens_open_the_api_alone(tmp_path: Path) -> None:
    token, file = token_urlsafe(24), tmp_path / "tokens.txt"
    own = write_token(file, "notebook")
    client = TestClient(TokenDoor(_inside(), token, file), base_url=PEER)
    for path in ("/api", "/api/v1/status", "/mcp"):
        assert client.get(path, headers=_shown(token)).json() == {"account": "", "program": "program"}
        assert client.post(path, headers=_shown(own)).json() == {"account": "", "program": "notebook"}
        for wrong in ("", "x", own[:-1], token_urlsafe(24)):
            refused = client.get(path, headers=_shown(wrong))
            _refused(401, refused)
            assert refused.headers["www-authenticate"] == "Bearer"
        twice = [("Authorization", f"Bearer {own}"), ("Authorization", f"Bearer {own}")]
        _refused(401, client.get(path), client.get(path, headers={"Authorization": "Basic abc"}), client.get(path, headers=twice))
    for path in ("/", "/notions", "/thumbnails/cars/1", "/apix", "/api2/x", "/_stcore/host-config"):
        assert client.get(path, headers=_shown(own)).status_code == 401
    file.write_text("damaged")  # which lets nobody in
    refused = client.get("/api/v1/status", headers=_shown(own))
    _refused(503, refused)
    assert str(tmp_path) not in refused.text


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, str], ServerSettings]:
    """By name, the header of a token: of Ada, who views, of Ben, who edits, and of somebody who is gone; with the settings of their server."""
    cheap_hashes(monkeypatch)
    for name, role in (("ada", "view"), ("ben", "edit")):
        set_password(tmp_path / "people.txt", name, "correct horse", role)  # type: ignore[arg-type]
    shown = {name: _shown(write_token(tmp_path / "tokens.txt", name)) for name in ("ada", "ben", "gone")}
    files = {"auth": str(tmp_path / "people.txt"), "program_tokens": str(tmp_path / "tokens.txt")}
    return shown, serve(monkeypatch, shared=True, api=True, **files)  # type: ignore[return-value]


STATUS = "/api/v1/status"


def test_a_token_acts_for_the_account_of_its_name(people: Any) -> None:
    shown, settings = people
    client = TestClient(Login(_inside(), settings), base_url=PEER)
    assert client.get(STATUS, headers=shown["ada"]).json()["account"] == "ada"
    assert client.post("/api/v1/datasets/cars/search", headers=shown["ada"]).json()["account"] == "ada"  # the API checks what it writes
    _refused(403, client.get(STATUS, headers=shown["gone"]))
    _refused(401, client.get(STATUS, headers=_shown("nope")), client.get(STATUS))
    assert client.get("/thumbnails/cars/1", headers=shown["ada"]).status_code == 401
    client.post("/login", data={"name": "ada", "password": "correct horse"})
    assert client.get(STATUS).json()["account"] == "ada"  # people who have signed in may read the page, too
    _refused(401, client.get(STATUS, headers=_shown("nope")))
    assert client.put("/_stcore/upload_file/a/b").status_code == 403  # of the role view


def test_roles_and_names_reach_the_threads_that_work(people: Any) -> None:
    shown, settings = people
    client = TestClient(Login(Starlette(routes=api_routes(settings)), settings), base_url=PEER, raise_server_exceptions=False)
    for name, may in (("ada", False), ("ben", True)):
        status = client.get(STATUS, headers=shown[name]).json()
        assert (status["account"], status["may_edit"], status["shared"]) == (name, may, True)
        assert client.post("/api/v1/datasets/cars/search", json={"terms": [{"row": 1}]}, headers=shown[name]).status_code == 200
        given = client.post("/api/v1/datasets/cars/labels", json={"rows": [1], "tag": "t"}, headers=shown[name])
        assert given.status_code == (200 if may else 403)
    assert TagStore(tags_file("cars")).log()["who"].tolist() == ["ben"]


def test_a_token_goes_past_a_proxy_that_names_accounts(people: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown, settings = people
    proxied = serve(monkeypatch, shared=True, auth_header="X-Email", program_tokens=str(settings.program_tokens), trusted_proxies=["10.0.0.1"])
    client = TestClient(HeaderLogin(_inside(), proxied), base_url=PEER)
    assert client.get(STATUS, headers=shown["ben"]).json()["account"] == "ben"
    _refused(401, client.get(STATUS, headers=_shown("nope")), client.get(STATUS))
    _refused(403, client.get(STATUS, headers=shown["ben"] | {"X-Email": "cleo"}))  # not from the proxy
