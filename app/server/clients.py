"""Who a request counts for, where there are limits: an account, or else the address that it comes from, which is harder to change than a cookie."""

import secrets
from urllib.parse import quote, unquote

import streamlit as st
from starlette.types import Scope
from streamlit.runtime.scriptrunner import get_script_run_ctx

from server.middleware.proxies import client_address
from server.request_scope import request_scope
from server.signed_in import account_in

# How the app's own code learns it: by a header whose name no browser can know.
_HEADER = f"x-likeness-client-{secrets.token_hex(16)}"


def client_of(scope: Scope) -> str:
    """Who a request counts for."""
    return account_in(scope) or client_address(scope)


def named(scope: Scope, client: str) -> Scope:
    """The request, with a note of who it counts for."""
    return {**scope, "headers": [*scope["headers"], (_HEADER.encode(), quote(client).encode())]}


def client() -> str:
    """Who the page counts for that is being drawn; "" in a background thread, and on a server that keeps no limits."""
    if get_script_run_ctx(suppress_warning=True) is None:
        scope = request_scope()
        return client_of(scope) if scope else ""
    return unquote(st.context.headers.get(_HEADER) or "")
