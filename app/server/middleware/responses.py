"""What the doors answer, to people a small page that needs nothing from behind the door, to programs a sentence; their cookies and bearer tokens."""

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
BROKEN_OFF = "The body of the request broke off before its end. Send it again."
_BEARER = "bearer "
_HERE = Path(__file__).parent
_STYLE = (_HERE / "door_page.css").read_text(encoding="utf-8")
_LOGO = (_HERE.parents[1] / "wordmark.svg").read_text(encoding="utf-8").strip()
_NO_STORE = {"Cache-Control": "no-store"}
_POLICY = "default-src 'none'; style-src {style}; script-src {script}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
_IN_PATHS = "/:@!$&'()*+,;=~"  # what stands in a path as it is
_LONGEST_FORM = 16_384  # bytes


async def answer(scope: Scope, receive: Receive, send: Send, response: Response) -> None:
    """Answers a request, programs by `problem`; or in its place the opening of a WebSocket."""
    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).send_denial_response(response)
        return
    if isinstance(response, PlainTextResponse) and response.status_code >= 400 and is_for_programs(scope):
        kept = {name: value for name, value in response.headers.items() if name in ("retry-after", "cache-control")}
        kept |= {"WWW-Authenticate": "Bearer"} if response.status_code == 401 else {}
        response = problem(response.status_code, bytes(response.body).decode(), kept)
    await response(scope, receive, send)


def wants_page(scope: Scope) -> bool:
    """Whether a person is to read the answer: a browser opens a page."""
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept")
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and b"text/html" in accepted


def csp_digest(content: str) -> str:
    """By which a Content-Security-Policy allows a style or script in a page."""
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
    """A page with a form that posts `fields` and goes on to another address of this server.

    Args:
        title, sentence, button: plain texts.
        action: path of the route that takes the form.
        fields: HTML.
        target: where to go on.
        problem: what was wrong with the last try.
        status: of HTTP.
        page: path of the page itself.
        script: of the page.
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
    """The address that was asked for on this server, `without` one key of its query."""
    pairs = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    pairs.pop(without, None)
    query = urlencode(pairs, doseq=True)
    return safe(quote(scope["path"], _IN_PATHS) + (f"?{query}" if query else ""))


async def form_content(request: Request) -> dict[str, str]:
    """The fields of a posted form, the last value of each; none of a form that is too long, or does not come in time."""
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
    """Sends the browser on to an address of this server; an address elsewhere becomes the first page."""
    return RedirectResponse(safe(target), 303, _NO_STORE)


def plain(sentence: str, status: int, retry: int = 0) -> PlainTextResponse:
    """A sentence, and after how many seconds to try again."""
    return PlainTextResponse(sentence, status, _NO_STORE | ({"Retry-After": str(retry)} if retry else {}))


def safe(target: str) -> str:
    """An address below this server's root; browsers read "//" and a backslash as another host, and skip control characters."""
    own = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if own else "/"


def cookies_of(scope: Scope, name: str) -> list[str]:
    """The values of this server's cookie. Of several one may be of another port, or of an earlier version, and only one is right."""
    parts = ";".join(Headers(scope=scope).getlist("cookie")).split(";")
    found = (part.strip().partition("=") for part in parts)
    return [value for key, _, value in found if key == _named(scope, name)]


def set_cookie(scope: Scope, response: Response, name: str, value: str, seconds: int | None = None, path: str | None = "/") -> None:
    """Sets a cookie that no script reads and that another site's page brings with a link to a page alone: until the browser is closed, or for some
    seconds; 0 takes it away. Without a path it is for what the browser asks below the folder of this request."""
    response.set_cookie(_named(scope, name), value, max_age=seconds, path=path, secure=is_https(scope), httponly=True, samesite="lax")


def _named(scope: Scope, name: str) -> str:
    """Browsers send the cookies of a host to all its ports: each server takes a name of its own."""
    return f"likeness_{name}_{(scope.get('server') or ('', 0))[1]}"


def is_for_programs(scope: Scope) -> bool:
    """Whether a request asks the HTTP API or the MCP tools, which check themselves what it may change."""
    path = str(scope.get("path", ""))
    return scope["type"] == "http" and (path in (API, MCP) or path.startswith((f"{API}/", f"{MCP}/")))


def bearer_of(scope: Scope) -> str | None:
    """The token that a program shows, as `Authorization: Bearer TOKEN`; None without one. Two such headers are a token that nobody has."""
    given = Headers(scope=scope).getlist("authorization") if is_for_programs(scope) else []
    shown = [each[len(_BEARER) :].strip() for each in given if each.lower().startswith(_BEARER)]
    return None if not shown else shown[0] if len(given) == 1 else ""


def problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """What went wrong, in one sentence, as `application/problem+json` (RFC 9457)."""
    content = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": sentence}
    return JSONResponse(content, status, _NO_STORE | (headers or {}), media_type="application/problem+json")
