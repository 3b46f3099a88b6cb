"""Responses of the middleware: self-contained pages for people, one sentence for programs; and cookies and bearer tokens."""

import asyncio
import hashlib
from base64 import b64encode
from html import escape
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from server.addresses import address
from server.middleware.proxies import is_https
from server.settings import server

API, MCP = "/api", "/mcp"
BROKEN_OFF = "The request's body was incomplete. Send it again."
_BEARER = "bearer "
_HERE = Path(__file__).parent
_STYLE = (_HERE / "door_page.css").read_text(encoding="utf-8")
_LOGO = (_HERE.parents[1] / "wordmark.svg").read_text(encoding="utf-8").strip()
_NO_STORE = {"Cache-Control": "no-store"}
_POLICY = "default-src 'none'; style-src {style}; script-src {script}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
_IN_PATHS = "/:@!$&'()*+,;=~"  # what stands in a path as it is
_LONGEST_FORM = 16_384  # bytes


async def answer(scope: Scope, receive: Receive, send: Send, response: Response) -> None:
    """Sends a response, as `problem` to programs; also rejects a WebSocket with it."""
    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).send_denial_response(response)
        return
    if isinstance(response, PlainTextResponse) and response.status_code >= 400 and is_for_programs(scope):
        kept = {name: value for name, value in response.headers.items() if name in ("retry-after", "cache-control")}
        kept |= {"WWW-Authenticate": "Bearer"} if response.status_code == 401 else {}
        response = problem(response.status_code, bytes(response.body).decode(), kept)
    await response(scope, receive, send)


def wants_page(scope: Scope) -> bool:
    """Whether a browser opens a page, so a person reads the answer."""
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept")
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and b"text/html" in accepted


def csp_digest(content: str) -> str:
    """The source expression by which a Content-Security-Policy allows an inline style or script."""
    return f"'sha256-{b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def form_page(
    title: str,
    sentence: str,
    action: str,
    fields: str,
    button: str,
    target: str = "/",
    problem: str = "",
    status: int = 401,
    page: str = "/",
    script: str = "",
) -> HTMLResponse:
    """A page with a form that posts `fields` and then redirects within this server.

    Args:
        title, sentence, button: plain texts.
        action: path of the form's route.
        fields: HTML.
        target: the redirect's address.
        problem: error of the last attempt.
        status: HTTP status.
        page: path of the page itself.
        script: the page's JavaScript.
    """
    alert = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    hidden = f'<input type="hidden" name="next" value="{escape(target)}">'
    content = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{escape(title)} · Likeness</title><style>{_STYLE}</style></head>'
        f"<body><main>{_LOGO}<h1>{escape(title)}</h1><p>{escape(sentence)}</p>{alert}"
        f'<form method="post" action="{escape(address(action, page))}">{hidden}{fields}<button>{escape(button)}</button></form></main>'
        f"<script>{script}</script></body></html>"
    )
    policy = _POLICY.format(style=csp_digest(_STYLE), script=csp_digest(script))
    return HTMLResponse(content, status, _NO_STORE | {"Content-Security-Policy": policy})


def target_of(scope: Scope, without: str = "") -> str:
    """The requested address on this server, `without` one key of its query."""
    pairs = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    pairs.pop(without, None)
    query = urlencode(pairs, doseq=True)
    return safe(quote(scope["path"], _IN_PATHS) + (f"?{query}" if query else ""))


async def form_content(request: Request) -> dict[str, str]:
    """The fields of a posted form, the last value of each; empty if the form is too long or too slow."""
    content = b""
    try:
        async with asyncio.timeout(server().request_seconds):
            async for part in request.stream():
                content += part
                if len(content) > _LONGEST_FORM:
                    return {}
    except TimeoutError:
        return {}
    return {name: values[-1] for name, values in parse_qs(content.decode("utf-8", "replace"), keep_blank_values=True).items()}


def go_to(target: str) -> RedirectResponse:
    """Redirects to an address of this server; other addresses become the first page."""
    return RedirectResponse(safe(target), 303, _NO_STORE)


def plain(sentence: str, status: int, retry: int = 0) -> PlainTextResponse:
    """A sentence, and the seconds to wait before the next try."""
    return PlainTextResponse(sentence, status, _NO_STORE | ({"Retry-After": str(retry)} if retry else {}))


def safe(target: str) -> str:
    """Restricts an address to this server: browsers read "//" and a backslash as another host, and skip control characters."""
    own = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if own else "/"


def cookies_of(scope: Scope, name: str) -> list[str]:
    """The values of this server's cookie. There may be several, from another port or an earlier version; only one is right."""
    parts = ";".join(Headers(scope=scope).getlist("cookie")).split(";")
    found = (part.strip().partition("=") for part in parts)
    return [value for key, _, value in found if key == _named(scope, name)]


def set_cookie(scope: Scope, response: Response, name: str, value: str, seconds: int | None = None, path: str | None = "/") -> None:
    """Sets an HttpOnly, SameSite cookie, until the browser is closed or for some seconds; 0 deletes it. Without a path it applies below the folder of
    this request."""
    response.set_cookie(_named(scope, name), value, max_age=seconds, path=path, secure=is_https(scope), httponly=True, samesite="lax")


def _named(scope: Scope, name: str) -> str:
    """The cookie's name, different for each port, since browsers send cookies to all ports of a host."""
    return f"likeness_{name}_{(scope.get('server') or ('', 0))[1]}"


def is_for_programs(scope: Scope) -> bool:
    """Whether a request is for the HTTP API or the MCP tools, which check permissions themselves."""
    path = str(scope.get("path", ""))
    return scope["type"] == "http" and (path in (API, MCP) or path.startswith((f"{API}/", f"{MCP}/")))


def bearer_of(scope: Scope) -> str | None:
    """A program's token from `Authorization: Bearer TOKEN`; None without one. Two such headers give a token that nobody has."""
    given = Headers(scope=scope).getlist("authorization") if is_for_programs(scope) else []
    shown = [each[len(_BEARER) :].strip() for each in given if each.lower().startswith(_BEARER)]
    return None if not shown else shown[0] if len(given) == 1 else ""


def problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """An error in one sentence, as `application/problem+json` (RFC 9457)."""
    content = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": sentence}
    return JSONResponse(content, status, _NO_STORE | (headers or {}), media_type="application/problem+json")
