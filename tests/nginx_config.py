"""An nginx configuration as a tree, and a small reverse proxy that does what its directives say; for the examples in docs/serving.md.

It knows the directives that stand there, and refuses others; it keeps no limits. `nginx` runs the real one.
"""

import os
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path

import pytest

from waiting import wait_until

_TOKEN = re.compile(r"\s+|#[^\n]*|'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<mark>[{};])|(?P<word>[^\s{};]+)")
_KNOWN = {
    *("listen", "server_name", "ssl_certificate", "ssl_certificate_key", "client_max_body_size", "location", "proxy_pass", "proxy_http_version"),
    *("client_header_timeout", "client_body_timeout", "limit_req", "limit_req_status", "limit_conn", "limit_conn_status"),
    *("proxy_set_header", "proxy_read_timeout", "proxy_pass_request_body", "internal", "auth_request", "auth_request_set", "error_page", "return"),
}


@contextmanager
def nginx(config: str, places: dict[str, str], folder: Path) -> Iterator[int]:
    """Runs nginx itself with a configuration, whose addresses and certificate are replaced; the port of its TLS server. Skips where it is missing."""
    program, openssl = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin"), shutil.which("openssl")
    if program is None or openssl is None:
        pytest.skip("nginx and openssl are not installed")
    made = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"), "-days", "1", "-subj", "/CN=likeness.example.org", "-nodes"]
    subprocess.run([openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", *made], check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        ports = [each.getsockname()[1] for each in (first, second)]
    changes = {"listen 80;": f"listen 127.0.0.1:{ports[1]};", "listen 443 ssl;": f"listen 127.0.0.1:{ports[0]} ssl;"}
    changes |= {"/etc/ssl/likeness.crt": str(folder / "cert.pem"), "/etc/ssl/likeness.key": str(folder / "key.pem")}
    for old, new in (changes | {place: f"http://{to}" for place, to in places.items()}).items():
        config = config.replace(old, new)
    temporary = "".join(f"{kind}_temp_path {folder};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    head = f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}"
    (folder / "nginx.conf").write_text(f"{head}{config}}}\n")
    command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf")]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen(command)
    try:
        wait_until(lambda: _listens(ports[0]))
        yield ports[0]
    finally:
        process.terminate()
        process.wait(60)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class Directive:
    """One statement: its words, and the statements in its braces."""

    words: list[str]
    inside: list["Directive"] = field(default_factory=list)

    def all(self, name: str) -> list["Directive"]:
        """The statements inside that begin with this word."""
        return [each for each in self.inside if each.words[0] == name]


def parse(text: str) -> Directive:
    """The configuration below one root; raises ValueError where braces or semicolons are missing."""
    root = Directive(["root"])
    stack, words, place = [root], list[str](), 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise ValueError(f"cannot read: {text[place : place + 40]!r}")
        place = found.end()
        if found["mark"] is None:
            kept = [found[kind] for kind in ("single", "double", "word") if found[kind] is not None]
            words += kept
        elif found["mark"] == "}":
            if words or len(stack) == 1:
                raise ValueError("a brace closes too early")
            stack.pop()
        else:
            stack[-1].inside.append(Directive(words))
            if found["mark"] == "{":
                stack.append(stack[-1].inside[-1])
            words = []
    if words or len(stack) > 1:
        raise ValueError("the configuration ends too early")
    return root


class SmallProxy:
    """Serves the TLS server of a configuration on a free port, without TLS; addresses in `proxy_pass` are replaced by `places`."""

    def __init__(self, config: str, places: dict[str, str]) -> None:
        root = parse(config)
        (self._server,) = [each for each in root.all("server") if each.all("ssl_certificate")]
        unknown = {each.words[0] for part in (self._server, *self._server.all("location")) for each in part.inside} - _KNOWN
        assert not unknown, unknown
        self._maps = root.all("map")
        self._places = places
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def stop(self) -> None:
        """Takes no further connections."""
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, address = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection, address[0]), daemon=True).start()

    def _answer(self, connection: socket.socket, address: str) -> None:
        with connection, suppress(ConnectionError):  # a browser goes when its page does
            head, body = _read_head(connection)
            if not head:
                return
            line, *fields = head.split("\r\n")
            _, path, _ = line.split(" ")
            headers = [(name.strip(), value.strip()) for name, _, value in (each.partition(":") for each in fields)]
            given = {name.lower(): value for name, value in headers}
            values = {"host": given["host"], "remote_addr": address, "scheme": "https", "request_uri": path, "http_upgrade": given.get("upgrade", "")}
            for each in self._maps:
                source = _filled(each.words[1], values)
                chosen = {case.words[0]: case.words[1] for case in each.inside}
                values[each.words[2].lstrip("$")] = chosen.get(source, chosen["default"])
            location = self._location(path)
            if location is None:
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            for asked in location.all("auth_request"):
                status, answered = self._ask(asked.words[1], headers, values)
                if status == 401:
                    connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    return
                values |= {f"upstream_http_{name.lower().replace('-', '_')}": value for name, value in answered}
                for kept in location.all("auth_request_set"):
                    values[kept.words[1].lstrip("$")] = _filled(kept.words[2], values)
            sent = _headers(location, headers, values)
            host, port = self._upstream(location)
            if location.all("proxy_pass")[0].words[1].endswith("/"):  # the address of the location becomes that of the upstream
                line = line.replace(location.words[-1], "/", 1)
            with socket.create_connection((host, port), timeout=600) as upstream:
                upstream.sendall("\r\n".join([line, *(f"{name}: {value}" for name, value in sent), "", ""]).encode("latin-1") + body)
                back = threading.Thread(target=_pipe, args=(connection, upstream), daemon=True)
                back.start()
                _pipe(upstream, connection)

    def _location(self, path: str) -> Directive | None:
        """An exact one, or else the longest beginning; None where none fits."""
        exact = [each for each in self._server.all("location") if each.words[1:] == ["=", path.partition("?")[0]]]
        begun = [each for each in self._server.all("location") if len(each.words) == 2 and path.startswith(each.words[1])]
        return exact[0] if exact else max(begun, key=lambda each: len(each.words[1]), default=None)

    def _ask(self, path: str, headers: list[tuple[str, str]], values: dict[str, str]) -> tuple[int, list[tuple[str, str]]]:
        location = self._location(path)
        assert location is not None
        connection = HTTPConnection(*self._upstream(location), timeout=600)
        connection.request("GET", path, headers=dict(_headers(location, headers, values)))
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status, response.getheaders()

    def _upstream(self, location: Directive) -> tuple[str, int]:
        host, _, port = self._places[location.all("proxy_pass")[0].words[1].removesuffix("/")].rpartition(":")
        return host, int(port)


def _headers(location: Directive, headers: list[tuple[str, str]], values: dict[str, str]) -> list[tuple[str, str]]:
    """What is passed on: the directives' headers in place of the browser's, and none that are empty."""
    given = {each.words[1]: _filled(each.words[2], values) for each in location.all("proxy_set_header")}
    dropped = {name.lower() for name in given} | {"connection", "upgrade"}
    given.setdefault("Connection", "close")
    return [each for each in headers if each[0].lower() not in dropped] + [(name, value) for name, value in given.items() if value]


def _filled(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\$(\w+)", lambda found: values[found[1]] if not found[1].startswith("upstream_http") else values.get(found[1], ""), text)


def _read_head(connection: socket.socket) -> tuple[str, bytes]:
    content = b""
    while b"\r\n\r\n" not in content:
        part = connection.recv(65536)
        if not part:
            break
        content += part
    head, _, body = content.partition(b"\r\n\r\n")
    return head.decode("latin-1"), body


def _pipe(source: socket.socket, target: socket.socket) -> None:
    try:
        while part := source.recv(65536):
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
