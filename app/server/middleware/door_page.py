"""The small pages that stand before the app: where a token or a password is asked for. They need nothing that lies behind the door."""

import hashlib
from base64 import b64encode
from html import escape
from pathlib import Path
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from server.addresses import address
from server.middleware.bearer import readable

_HERE = Path(__file__).parent
_STYLE = (_HERE / "door_page.css").read_text(encoding="utf-8")
_LOGO = (_HERE.parents[1] / "wordmark.svg").read_text(encoding="utf-8").strip()
_DIGEST = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_DIGEST}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Cache-Control": "no-store",
}
_LONGEST_FORM = 16_384  # bytes


async def answer(scope: Scope, receive: Receive, send: Send, response: Response) -> None:
    """Answers a request, or in its place the opening of a WebSocket."""
    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).send_denial_response(response)
    else:
        await readable(scope, response)(scope, receive, send)


def wants_page(scope: Scope) -> bool:
    """Whether a person is to read the answer: a browser opens a page."""
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept")
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and b"text/html" in accepted


def door_page(title: str, sentence: str, form: str, *, problem: str = "", status: int = 401) -> HTMLResponse:
    """A page with a title, a sentence, and a form in HTML.

    Args:
        title, sentence, problem: plain texts.
        form: HTML, as `form` makes it.
        problem: what was wrong with the last try.
        status: of HTTP.
    """
    told = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{escape(title)} · Likeness</title><style>{_STYLE}</style></head>'
        f"<body><main>{_LOGO}<h1>{escape(title)}</h1><p>{escape(sentence)}</p>{told}{form}</main></body></html>"
    )
    return HTMLResponse(page, status, _HEADERS)


def form(action: str, fields: str, button: str, target: str, page: str = "/") -> str:
    """A form in HTML on the page of this path, which posts `fields` and goes on to `target`, an address of this server."""
    hidden = f'<input type="hidden" name="next" value="{escape(target)}">'
    return f'<form method="post" action="{escape(address(action, page))}">{hidden}{fields}<button>{escape(button)}</button></form>'


def target_of(scope: Scope, without: str = "") -> str:
    """The address that was asked for on this server, `without` one key of its query."""
    pairs = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    pairs.pop(without, None)
    query = urlencode(pairs, doseq=True)
    return _safe(scope["path"] + (f"?{query}" if query else ""))


async def form_content(request: Request) -> dict[str, str]:
    """The fields of a posted form, the last value of each; none of a form that is too long."""
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > _LONGEST_FORM:
            return {}
    return {name: values[-1] for name, values in parse_qs(content.decode("utf-8", "replace"), keep_blank_values=True).items()}


def go_to(target: str) -> RedirectResponse:
    """Sends the browser on to an address of this server; an address elsewhere becomes the first page."""
    return RedirectResponse(_safe(target), 303, {"Cache-Control": "no-store"})


def plain(sentence: str, status: int, headers: dict[str, str] | None = None) -> PlainTextResponse:
    """A sentence for programs."""
    return PlainTextResponse(sentence, status, {"Cache-Control": "no-store", **(headers or {})})


def _safe(target: str) -> str:
    """An address below this server's root; browsers read "//" and a backslash as another host, and skip control characters."""
    own = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if own else "/"
