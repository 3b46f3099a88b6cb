"""docs/serving.md: its table names every setting, and its reverse proxies work as they stand there."""

import http.server
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin

import pytest
import typer
import yaml

from likeness.commands.cli import command_line
from nginx_config import SmallProxy, nginx
from server.passwords import set_password
from server.settings import ServerSettings

DOC = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
NAME, PASSWORD = "likeness.example.org", "correct horse"
ORIGIN = f"https://{NAME}"
APP, OAUTH = "http://127.0.0.1:8501", "http://127.0.0.1:4180"
Reach = Callable[..., tuple[int, dict[str, str], str]]


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL)


def test_the_table_names_every_setting_and_its_default() -> None:
    rows = re.findall(r"^\| (`[^|]*`) \|([^|]*)\|([^|]*)\|", DOC, re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(set(listed) & set(ServerSettings.model_fields)) == sorted(ServerSettings.model_fields)
    numbers = {name: value for row in rows for name, value in zip(re.findall(r"`(\w+)`", row[0]), row[2].split(", "), strict=False)}
    for name, setting in ServerSettings.model_fields.items():
        if isinstance(setting.default, int | float) and not isinstance(setting.default, bool):
            assert float(numbers[name].replace(",", "").strip()) == setting.default, name


class _Organization(http.server.BaseHTTPRequestHandler):
    """Stands for OAuth2 Proxy: knows who its cookie names."""

    def do_GET(self) -> None:
        found = re.search(r"_oauth2_proxy=(\w+)", self.headers.get("Cookie", ""))
        known = self.path == "/oauth2/auth" and found is not None
        self.send_response(202 if known else 401 if self.path == "/oauth2/auth" else 200)
        if known and found:
            self.send_header("X-Auth-Request-Email", f"{found[1]}@example.org")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def organization() -> Iterator[int]:
    """The port of what stands for OAuth2 Proxy."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Organization)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def behind() -> Iterator[Callable[[str, dict[str, str]], Reach]]:
    """Starts a proxy by a configuration, and gives what a browser does behind it."""
    running: list[SmallProxy] = []

    def start(config: str, places: dict[str, str]) -> Reach:
        (limit,) = re.findall(r"client_max_body_size (\d+)m;", config)
        assert int(limit) == ServerSettings().max_upload_mb + 1  # an upload's form is a little larger than its file
        running.append(SmallProxy(config, places))

        def reach(method: str, path: str, body: str = "", **headers: str) -> tuple[int, dict[str, str], str]:
            connection = HTTPConnection("127.0.0.1", running[-1].port, timeout=600)
            fields = {"Host": NAME, "Accept": "text/html"} | {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body.encode() if body else None, fields)
            response = connection.getresponse()
            content = response.read().decode("utf-8", "replace") if response.status != 101 else ""
            connection.close()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, content

        return reach

    yield start
    for each in running:
        each.stop()


@pytest.mark.parametrize("number", [0, 1])
def test_nginx_takes_the_examples_and_limits_each_address(organization: int, tmp_path: Path, number: int) -> None:
    """As they stand there, but for less that may come at once."""
    config = _blocks("nginx")[number]
    for old, new in (("rate=20r/s", "rate=1r/m"), ("burst=600 delay=300", "burst=4 delay=4"), ("likeness_connections 64", "likeness_connections 3")):
        assert old in config
        config = config.replace(old, new)
    inside, leave = threading.Semaphore(0), threading.Event()

    class App(_Organization):
        def do_GET(self) -> None:
            inside.release()
            leave.wait(60)
            super().do_GET()

    app = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=app.serve_forever, daemon=True).start()
    places, trusting = {APP: f"127.0.0.1:{app.server_port}", OAUTH: f"127.0.0.1:{organization}"}, ssl._create_unverified_context()
    with nginx(config, places, tmp_path) as port, ThreadPoolExecutor(3) as browsers:

        def status(place: int = 0) -> int:
            connection = HTTPSConnection("127.0.0.1", port, timeout=60, context=trusting)
            connection.request("GET", "/", headers={"Host": NAME, "Cookie": "_oauth2_proxy=ada"})
            answered = connection.getresponse().status
            connection.close()
            return answered

        held = [browsers.submit(status) for _ in range(3)]
        assert all(inside.acquire(timeout=60) for _ in held)
        assert status() == 429  # a fourth connection
        leave.set()
        assert [each.result(60) for each in held] == [200] * 3
        assert [status() for _ in range(3)] == [200, 429, 429]  # one at once and four more, of which one got nowhere
    app.shutdown()
    app.server_close()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd to ask")
def test_systemd_takes_the_example(tmp_path: Path) -> None:
    (config,) = _blocks("ini")
    command = shlex.split(next(line for line in config.splitlines() if line.startswith("ExecStart=")).partition("=")[2])
    known = {name for option in typer.main.get_command(command_line()).commands[command[1]].params for name in option.opts}
    assert {word for word in command if word.startswith("--")} <= known
    unit = tmp_path / "likeness.service"
    unit.write_text(config.replace(command[0], sys.executable).replace("User=likeness", "User=root"))
    said = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=300, check=False)
    assert (said.returncode, [line for line in said.stderr.splitlines() if unit.name in line]) == (0, [])
    unit.write_text(unit.read_text().replace("MemoryMax=16G", "MemoryMax=lots"))
    said = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=300, check=False)
    assert "lots" in said.stderr


def _handshake(reach: Reach, **headers: str) -> int:
    opening = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13", "Sec_WebSocket_Key": "MDEyMzQ1Njc4OWFiY2RlZg=="}
    return reach("GET", "/_stcore/stream", **(opening | headers))[0]


def test_nginx_with_accounts_of_the_server(behind: Any, begin: Callable[..., Any], tmp_path: Path) -> None:
    set_password(tmp_path / "people.txt", "ada", PASSWORD, "view")
    server = begin("--shared", "--auth", str(tmp_path / "people.txt"), "--allowed-host", NAME, "--trusted-proxy", "127.0.0.1")
    reach = behind(_blocks("nginx")[0], {APP: server.url.removeprefix("http://")})
    status, _, page = reach("GET", "/notions?layout=PCA")
    assert status == 401
    assert 'name="next" value="/notions?layout=PCA"' in page
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    right = urlencode({"name": "ada", "password": PASSWORD, "next": "/notions?layout=PCA"})
    assert reach("POST", "/login", right, **form, Origin="https://evil.example")[0] == 403
    assert reach("POST", "/login", right, **form, Origin=ORIGIN.replace("https", "http"))[0] == 403
    status, headers, _ = reach("POST", "/login", right, **form, Origin=ORIGIN)
    assert (status, urljoin(f"{ORIGIN}/login", headers["location"])) == (303, f"{ORIGIN}/notions?layout=PCA")
    assert "; Secure" in headers["set-cookie"]
    cookie = headers["set-cookie"].partition(";")[0]
    assert reach("GET", "/", Cookie=cookie)[0] == 200
    assert _handshake(reach, Cookie=cookie, Origin=ORIGIN) == 101
    assert _handshake(reach, Origin=ORIGIN) == 401
    assert _handshake(reach, Cookie=cookie, Origin="https://evil.example") == 403
    assert reach("GET", "/", Cookie=cookie, Host="evil.example")[0] == 421
    log = (server.cache / "audit.jsonl").read_text()
    assert '"who": "ada", "what": "from 127.0.0.1"' in log
    wrong = urlencode({"name": "ada", "password": "wrong"})
    assert reach("POST", "/login", wrong, **form, Origin=ORIGIN, X_Forwarded_For="203.0.113.1")[0] == 403
    assert "203.0.113" not in (server.cache / "audit.jsonl").read_text()  # the proxy says from where, not the browser


def test_oauth2_proxy_with_the_accounts_of_an_organization(behind: Any, begin: Callable[..., Any], organization: int, tmp_path: Path) -> None:
    settings = yaml.safe_load(_blocks("yaml")[-1])
    (tmp_path / "photos").mkdir()
    (tmp_path / "server.yaml").write_text(yaml.safe_dump(settings | {"roots": [str(tmp_path / "photos")]}))
    asked = tomllib.loads(_blocks("toml")[0])
    assert f"http://{asked['http_address']}" == OAUTH
    assert (asked["reverse_proxy"], asked["set_xauthrequest"], asked["redirect_url"]) == (True, True, f"{ORIGIN}/oauth2/callback")
    server = begin("--settings", str(tmp_path / "server.yaml"))
    reach = behind(_blocks("nginx")[1], {APP: server.url.removeprefix("http://"), OAUTH: f"127.0.0.1:{organization}"})
    ada, dora = "_oauth2_proxy=ada", "_oauth2_proxy=dora"
    assert reach("GET", "/")[0] == 403
    assert reach("GET", "/", X_Forwarded_Email="ada@example.org")[0] == 403
    assert reach("GET", "/oauth2/sign_in")[0] == 200
    assert reach("GET", "/", Cookie=ada)[0] == 200
    assert _handshake(reach, Cookie=ada, Origin=ORIGIN) == 101
    assert _handshake(reach, Cookie=ada, Origin="https://evil.example") == 403
    assert _handshake(reach, Origin=ORIGIN) == 403
    upload = "/_stcore/upload_file/session/file"
    asks_for_edit = "can only view"
    assert asks_for_edit not in reach("PUT", upload, "x", Cookie=ada, Origin=ORIGIN)[2]
    for headers in ({}, {"X_Forwarded_Email": "ada@example.org"}):  # what a browser writes there is replaced
        status, _, said = reach("PUT", upload, "x", Cookie=dora, Origin=ORIGIN, **headers)
        assert (status, asks_for_edit in said) == (403, True)
