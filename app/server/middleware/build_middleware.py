"""Which doors stand before the app on this server, and the link that leads through them."""

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from likeness.errors import InputError
from server import audit
from server.accounts import account_name
from server.middleware.bearer import bearer_of
from server.middleware.door_page import answer, plain
from server.middleware.host_check import Hosts
from server.middleware.login import Login
from server.middleware.proxies import is_trusted, peer
from server.middleware.token_door import TokenDoor, is_health, new_token
from server.program_tokens import program_name
from server.settings import FORWARDED, ServerSettings, server
from server.signed_in import authenticate

_token = new_token()
_PROXY_HINT = "  For TLS and single sign-on, put a reverse proxy in front; docs/serving.md has nginx examples.\n"


def build_middleware(address: str) -> list[Middleware]:
    """The outermost first, for a server that is bound to `address`.

    Raises:
        InputError: a server behind a proxy that was not started by `likeness app`.
    """
    settings = server()
    found = [Middleware(Hosts, address=address, settings=settings)]
    if settings.auth is not None:
        found.append(Middleware(Login, settings=settings))
    elif settings.auth_header is not None:
        if os.environ.get(FORWARDED) != "":
            raise InputError("A server that believes a proxy's header is started by `likeness app`, not by Streamlit; start it like this.")
        found.append(Middleware(HeaderLogin, settings=settings))
    elif settings.token and not settings.shared:
        found.append(Middleware(TokenDoor, token=_token, tokens=settings.program_tokens))
    return found


@asynccontextmanager
async def printed_link(app: object, prefix: str = "") -> AsyncIterator[None]:
    """Prints where the app is, below the path of `take_path_prefix`, once the port is known."""
    print(f"\n  Likeness is ready: {link(prefix)}\n", flush=True)
    if server().shared:
        print(_PROXY_HINT, flush=True)
    yield


def link(prefix: str = "") -> str:
    """The address that opens the app below a path; with the token on a server of one person."""
    address = st.get_option("server.address") or "0.0.0.0"
    host = socket.gethostname() if address in ("0.0.0.0", "::") else f"[{address}]" if ":" in address else address
    query = f"?token={_token}" if server().token and not server().shared else ""
    return f"http://{host}:{st.get_option('server.port')}{prefix}/{query}"


class HeaderLogin:
    """Lets in whom a trusted proxy names in a header, and refuses that header from anyone else; programs by tokens of their own, also past the
    proxy.

    Args:
        app: what lies behind.
        settings: of the server: `auth_header`, `trusted_proxies` and `program_tokens`.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        assert settings.auth_header is not None
        self.app, self.header, self.tokens = app, settings.auth_header, settings.program_tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or is_health(scope):
            await self.app(scope, receive, send)
            return
        given, trusted = Headers(scope=scope).getlist(self.header), is_trusted(peer(scope))
        if given and not trusted:
            audit.record("header refused", peer(scope), self.header)
            await answer(scope, receive, send, plain("This server is used through its reverse proxy; open that one's address.", 403))
            return
        shown = bearer_of(scope)
        try:
            name = program_name(self.tokens, shown) if shown is not None and not given else account_name(given[0]) if len(given) == 1 else ""
        except InputError:
            name = ""
        if not name:
            sentence = f"The reverse proxy names no account in {self.header}; open its address, and sign in there."
            await answer(scope, receive, send, plain(sentence, 401))
            return
        await authenticate(self.app, scope, receive, send, name, lambda: True)
