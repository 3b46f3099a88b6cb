"""Checks the Host and Origin headers: only this server's names, and only its own pages for changes and WebSockets.

A web page can make its own name point to this machine (DNS rebinding) and then read the app. Its requests still carry its name as `Host`. Pages of
other names and ports carry theirs as `Origin`.
"""

import re
import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server.middleware.proxies import is_https
from server.middleware.responses import answer
from server.settings import ServerSettings, is_local

READS = ("GET", "HEAD", "OPTIONS")
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")


def own_names(address: str) -> frozenset[str]:
    """The names of this machine if the server is bound to `address`; its host names too, if others can reach it."""
    names = {"localhost", "127.0.0.1", "::1"}
    if is_local(address):
        return frozenset(names | {address.strip("[]").lower()})
    for name in {socket.gethostname().lower(), socket.getfqdn().lower()}:
        names |= {name.rstrip("."), name.partition(".")[0], f"{name.partition('.')[0]}.local"}
    return frozenset(names | {address.strip("[]").lower()}) - {"", "0.0.0.0", "::"}


class Hosts:
    """Rejects requests for foreign hosts, and changes or WebSockets from foreign origins. Names in `allowed_hosts` match any port."""

    def __init__(self, app: ASGIApp, address: str, settings: ServerSettings) -> None:
        self.app, self.names, self.allowed = app, own_names(address), frozenset(settings.allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if not self._is_own_host(scope, host):
            await answer(scope, receive, send, PlainTextResponse(_foreign_host(host), 421))
            return
        if scope["type"] == "websocket" or scope["method"] not in READS:
            fits = all(self._is_own_origin(scope, origin.lower(), host) for origin in origins)
            if not fits or (not origins and headers.get("sec-fetch-site", "none") not in ("same-origin", "none")):
                await answer(scope, receive, send, PlainTextResponse(_foreign_origin(origins), 403))
                return
        await self.app(_of_own_origin(scope, host), receive, send)

    def _is_own_host(self, scope: Scope, host: str) -> bool:
        found = _HOST.fullmatch(host)
        name = found["name"].strip("[]").rstrip(".") if found else ""
        # an IP address cannot be rebound; the connection's local one is the server's own
        return bool(name) and (name in self.names or name in self.allowed or _same_address(name, (scope.get("server") or ("",))[0]))

    def _is_own_origin(self, scope: Scope, origin: str, host: str) -> bool:
        """Whether an origin is this server: the same host and port, a name that a proxy may have replaced, or another name of this very port."""
        scheme, _, place = origin.partition("://")
        found = _HOST.fullmatch(place)
        if scheme not in ("http", "https") or found is None or (is_https(scope) and scheme == "http"):
            return False
        name, port = found["name"].strip("[]"), int(found["port"] or {"http": 80, "https": 443}[scheme])
        return place == host or name in self.allowed or (name in self.names and port == (scope.get("server") or (None, None))[1])


def _foreign_host(host: str) -> str:
    found = _HOST.fullmatch(host)
    if found is None:
        return "The request has no Host header; open the app with the link that it printed at its start."
    name = found["name"].strip("[]")
    return f"This server does not answer to '{name}'; if this is its name, for example behind a reverse proxy, start it with --allowed-host {name}."


def _foreign_origin(origins: list[str]) -> str:
    found = urlsplit(origins[0].lower()).netloc if origins else ""
    name = match["name"].strip("[]") if (match := _HOST.fullmatch(found)) else ""
    whose = f"A page of '{name}'" if name else "A page of another site"
    remedy = f"; if this is a name of the server, for example behind a reverse proxy, start it with --allowed-host {name}." if name else "."
    return f"{whose} cannot change anything or open a connection here{remedy}"


def _same_address(name: str, address: str | None) -> bool:
    try:
        own, given = ip_address(address or ""), ip_address(name)
    except ValueError:
        return False
    return given == own or given == getattr(own, "ipv4_mapped", None)


def _of_own_origin(scope: Scope, host: str) -> Scope:
    """Replaces the origin by that of the host: Streamlit compares them again, and queries the internet where they differ."""
    headers = [(name, value) for name, value in scope["headers"] if name != b"origin"]
    if len(headers) == len(scope["headers"]):
        return scope
    return {**scope, "headers": [*headers, (b"origin", f"{'https' if is_https(scope) else 'http'}://{host}".encode())]}
