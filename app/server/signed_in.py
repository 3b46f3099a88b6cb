"""How what lies behind the door learns who asks: by a header whose name no browser can know."""

import secrets
from collections.abc import Callable
from urllib.parse import quote, unquote

import streamlit as st
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime.scriptrunner import get_script_run_ctx

from likeness.errors import InputError
from server.accounts import role_of
from server.middleware.bearer import is_for_programs
from server.middleware.door_page import answer, plain
from server.middleware.host_check import READS
from server.request_scope import request_scope
from server.settings import Role, server

_HEADER = f"x-likeness-account-{secrets.token_hex(16)}"
_RANKS: dict[Role | None, int] = {None: 0, "view": 1, "edit": 2, "train": 3}


def account() -> str | None:
    """Name of who is signed in; "" in a background thread, or for nobody; None on a server without accounts."""
    if not server().has_accounts:
        return None
    if get_script_run_ctx(suppress_warning=True) is None:
        scope = request_scope()
        return account_in(scope) if scope else ""
    return unquote(st.context.headers.get(_HEADER) or "")


def account_in(scope: Scope) -> str:
    """Name of who is signed in, of a request that was let in; "" without accounts."""
    return unquote(Headers(scope=scope).get(_HEADER, ""))


def has_role(name: str, role: Role) -> bool:
    """Whether an account may do all that comes with a role; not where the accounts cannot be read."""
    try:
        return _RANKS[role_of(name)] >= _RANKS[role]
    except InputError:
        return False


async def authenticate(app: ASGIApp, scope: Scope, receive: Receive, send: Send, name: str, is_still: Callable[[], bool]) -> None:
    """Passes the request of an account on; what changes something, an upload say, only for the role edit. The API asks for the role itself, where it
    changes something.

    Args:
        app: what answers.
        scope, receive, send: of the request.
        name: of the account.
        is_still: whether its session goes on; a WebSocket is closed with it.
    """
    if not has_role(name, "view"):
        await answer(scope, receive, send, plain(f"There is no account '{name}' on this server any more; ask whoever runs it.", 403))
        return
    if scope["type"] == "http" and scope["method"] not in READS and not is_for_programs(scope) and not has_role(name, "edit"):
        await answer(scope, receive, send, plain(f"The account '{name}' may look and change nothing; ask for the role edit.", 403))
        return

    async def receive_while() -> Message:
        message = await receive()
        if message["type"] != "websocket.receive" or (is_still() and has_role(name, "view")):
            return message
        await send({"type": "websocket.close", "code": 1008})
        return {"type": "websocket.disconnect", "code": 1008}

    headers = [*scope["headers"], (_HEADER.encode(), quote(name, safe="").encode())]
    await app({**scope, "headers": headers}, receive_while if scope["type"] == "websocket" else receive, send)
