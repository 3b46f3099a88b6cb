"""Chooses the middleware of this server, and prints the link to the app."""

import os
import secrets
import socket
import sys

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from likeness.errors import InputError
from likeness.io import cache_dir
from server.access import redact
from server.accounts import write_private
from server.middleware.doors import HeaderLogin, TokenDoor
from server.middleware.host_check import Hosts
from server.middleware.responses import BROKEN_OFF, answer, plain
from server.settings import FORWARDED, server

_token = secrets.token_urlsafe(24)  # of this start
_PROXY_HINT = "  For TLS and single sign-on, put a reverse proxy in front; docs/serving.md has nginx examples.\n"


def build_middleware(address: str) -> list[Middleware]:
    """The middleware, outermost first, for a server bound to `address`. Raises InputError: a server behind a proxy that was not started by `likeness
    app`."""
    settings = server()
    found = [Middleware(WholeRequests), Middleware(Hosts, address=address, settings=settings)]
    if settings.auth is not None:
        from server.passwords import Login  # only such a server hashes passwords

        found.append(Middleware(Login, settings=settings))
    elif settings.auth_header is not None:
        if os.environ.get(FORWARDED) != "":
            raise InputError("auth_header works only with `likeness app`, not with `streamlit run`; start the server with it.")
        found.append(Middleware(HeaderLogin, settings=settings))
    elif settings.token and not settings.shared:
        found.append(Middleware(TokenDoor, token=_token, tokens=settings.program_tokens))
    return found


class WholeRequests:
    """Answers requests whose body breaks off, which would otherwise be logged as server errors."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def sent(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self.app(scope, receive, sent)
        except ClientDisconnect:
            if not has_begun:
                await answer(scope, receive, send, plain(BROKEN_OFF, 400))


def print_link(prefix: str = "") -> None:
    """Prints the app's address once the port is known; with the token on a server of one person, but only on a terminal. Where output is kept, the
    link goes into a file that only this user can read. A server that listens on all addresses prints two links: of this machine, which also opens a
    container with a published port, and of others, by the host's name.
    """
    address = st.get_option("server.address") or "0.0.0.0"
    everywhere = address in ("0.0.0.0", "::")
    hosts = ["localhost", socket.gethostname()] if everywhere else [f"[{address}]" if ":" in address else address]
    port = st.get_option("server.port")
    plain, query = [f"http://{host}:{port}{prefix}/" for host in hosts], f"?token={_token}" if server().token and not server().shared else ""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    shown = [f"{link}{query if is_terminal else ''}" for link in plain]
    print("\n".join(["", f"  Likeness is ready: {shown[0]}", *(f"  From other machines: {link}" for link in shown[1:]), ""]), flush=True)
    if query and not is_terminal:
        try:
            file = cache_dir() / f"link-{port}"
            write_private(file, "link file", [link + query for link in plain])
            print(f"  The link that opens it is in '{file}', which only you can read.\n", flush=True)
        except InputError as error:
            print(f"  {redact(error)} LIKENESS_CACHE names its folder. Or start it in a terminal, which shows the link.\n", flush=True)
    if server().shared:
        print(_PROXY_HINT, flush=True)
