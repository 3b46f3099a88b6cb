"""Who is looking, on a shared server: a cookie that the browser keeps, so that a reload finds the visitor's own datasets and notions again."""

import secrets

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime.scriptrunner import get_script_run_ctx

from likeness.settings import server
from likeness.visitors import is_token, tell_visitors_by

COOKIE = "likeness_visitor"
_YEAR = 365 * 24 * 3600


def token() -> str:
    """The token of the browser that this rerun is for; of the session where it takes no cookies; "" in a background thread."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return ""
    kept = st.context.cookies.get(COOKIE, "")
    if is_token(kept):
        return kept
    own: str = st.session_state.setdefault("visitor", secrets.token_hex(16))
    return own


tell_visitors_by(token)


class Visits:
    """Gives each new browser on a shared server its cookie, and tells all browsers not to guess what a file is, nor to show the app in a frame
    of another site."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        new = server().shared and not is_token(connection.cookies.get(COOKIE, ""))

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
                headers.setdefault("Content-Security-Policy", "frame-ancestors 'self'")
                if new and headers.get("content-type", "").startswith("text/html"):
                    secure = "; Secure" if connection.headers.get("x-forwarded-proto") == "https" else ""
                    cookie = f"{COOKIE}={secrets.token_hex(16)}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Lax{secure}"
                    headers.append("Set-Cookie", cookie)
            await send(message)

        await self.app(scope, receive, answer)
