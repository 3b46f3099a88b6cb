"""Authentication: by token on a server of one person, by a trusted proxy's header, or by password (`passwords`)."""

import secrets
from pathlib import Path
from urllib.parse import urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from likeness.errors import InputError
from server.access import redact
from server.accounts import PROGRAM, account_name, has_role, program_name, with_account
from server.addresses import PathPrefix
from server.audit import record
from server.middleware import responses
from server.middleware.host_check import READS
from server.middleware.proxies import is_trusted, peer
from server.settings import ServerSettings

_PATH, _COOKIE, _INSIDE = "/token", "token", "likeness_inside"  # the last in a scope: whether the address had the way
_SENTENCE = (
    "Only the person who started this app can use it. Open the link that it printed or wrote to a file, or paste its token. "
    "Each start has a new token."
)
_FIELD = '<label>Token<input name="token" type="password" autocomplete="off" required autofocus></label>'
_FIND_WAY = (Path(__file__).parent / "find_way.js").read_text(encoding="utf-8")
_WRONG = "Wrong token. The server gets a new one at each start."


class Door:
    """Base class of authentication middleware; `enter` admits or rejects a request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # health checks need no sign-in, and reveal only that the server runs
        is_health = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and scope["path"] == "/_stcore/health"
        if scope["type"] not in ("http", "websocket") or is_health:
            await self.app(scope, receive, send)
            return
        try:
            found = await self.enter(scope, receive, responses.bearer_of(scope))
        except InputError as error:  # a file of passwords or tokens that cannot be read lets nobody in
            found = responses.plain(redact(error), 503)
        if isinstance(found, Response):
            await responses.answer(scope, receive, send, found)
        else:
            await self.pass_on(scope, receive, send, found)

    async def enter(self, scope: Scope, receive: Receive, shown: str | None) -> str | Response:
        """Name of the admitted client, or the response for a rejected one; `shown` is a program's token."""
        raise NotImplementedError

    def is_still(self, scope: Scope, name: str) -> bool:
        """Whether the session that opened a WebSocket is still valid."""
        return True

    async def pass_on(self, scope: Scope, receive: Receive, send: Send, name: str) -> None:
        """Passes on an account's request; requests that change something, such as uploads, need the role edit. The API checks the role itself."""
        refusal = ""
        if not has_role(name, "view"):
            refusal = f"The account '{name}' no longer exists; ask the server's administrator."
        elif scope["type"] == "http" and scope["method"] not in READS and not responses.is_for_programs(scope) and not has_role(name, "edit"):
            refusal = f"The account '{name}' can only view; ask the server's administrator for the role edit."
        if refusal:
            await responses.answer(scope, receive, send, responses.plain(refusal, 403))
            return

        async def receive_while() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive" or (self.is_still(scope, name) and has_role(name, "view")):
                return message
            await send({"type": "websocket.close", "code": 1008})
            return {"type": "websocket.disconnect", "code": 1008}

        await self.app(with_account(scope, name), receive_while if scope["type"] == "websocket" else receive, send)


class TokenDoor(Door):
    """Admits a browser that has sent the token once, by the link or the form. `tokens` are for programs.

    Browsers send cookies to all ports of a host, where other programs may listen. So each start draws a random path, the `way`, and the cookie is
    limited to it; neither the cookie nor the way opens the app alone. From an address without the way, `find_way.js` leads there with what the
    browser stores for this very port.
    """

    def __init__(self, app: ASGIApp, token: str, tokens: Path | None = None) -> None:
        super().__init__(app)
        self.token, self.tokens, self.key, self.way = token, tokens, secrets.token_urlsafe(32), f"/~{secrets.token_urlsafe(16)}"
        self._stripped = PathPrefix(super().__call__, self.way)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_inside = scope["type"] in ("http", "websocket") and _equal(_split(scope["path"])[0], self.way)
        await self._stripped({**scope, _INSIDE: is_inside}, receive, send)

    async def enter(self, scope: Scope, receive: Receive, shown: str | None) -> str | Response:
        if shown is not None:
            return "program" if _equal(shown, self.token) else program_name(self.tokens, shown) or responses.plain(_WRONG, 401)
        is_known = scope[_INSIDE] and any(_equal(each, self.key) for each in responses.cookies_of(scope, _COOKIE))
        given, page = None, scope["path"] if scope[_INSIDE] else _split(scope["path"])[1]
        target, script = responses.target_of({**scope, "path": page}, without="token"), _FIND_WAY
        if scope["type"] == "http" and scope["method"] == "POST" and page == _PATH:
            fields = await responses.form_content(Request(scope, receive))
            given, target, script = fields.get("token", "").strip(), responses.safe(fields.get("next", "/")), ""
        elif responses.wants_page(scope):
            query = Request(scope).query_params
            given, target = query.get("token"), responses.safe(query.get("next", "/")) if page == _PATH else target
        if given is None:
            return "" if is_known else _page(scope, target, "", 401, script) if responses.wants_page(scope) else responses.plain(_SENTENCE, 401)
        if not _equal(given, self.token):
            return responses.go_to(target) if is_known else _page(scope, target, _WRONG, 403, script)  # the first had an old link
        if not scope[_INSIDE]:
            return responses.go_to(f"{self.way}{_PATH}?{urlencode({'token': given, 'next': target})}")
        response = responses.go_to(target)  # without the token in the address bar
        responses.set_cookie(scope, response, _COOKIE, self.key, path=None)  # the path as the browser sees it, also behind a proxy
        return response

    async def pass_on(self, scope: Scope, receive: Receive, send: Send, name: str) -> None:
        await self.app({**scope, PROGRAM: name} if name else scope, receive, send)


class HeaderLogin(Door):
    """Admits accounts that a trusted proxy names in a header, and rejects that header from anyone else. Programs use tokens, with or without the
    proxy."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        assert settings.auth_header is not None
        super().__init__(app)
        self.header, self.tokens = settings.auth_header, settings.program_tokens

    async def enter(self, scope: Scope, receive: Receive, shown: str | None) -> str | Response:
        given = Headers(scope=scope).getlist(self.header)
        if given and not is_trusted(peer(scope)):
            record("header refused", peer(scope), self.header)
            return responses.plain("Use this server through its reverse proxy; open the proxy's address.", 403)
        if shown is not None and not given:
            name = program_name(self.tokens, shown)
        else:
            try:
                name = account_name(given[0]) if len(given) == 1 else ""
            except InputError:
                name = ""
        return name or responses.plain(f"The reverse proxy sent no account in {self.header}; open its address and sign in there.", 401)


def _page(scope: Scope, target: str, problem: str, status: int, script: str) -> Response:
    return responses.form_page("Open with the link", _SENTENCE, _PATH, _FIELD, "Open", target, problem, status, scope["path"], script)


def _split(path: str) -> tuple[str, str]:
    """Splits a path into the `way` that it begins with, of this or an earlier start, and the rest."""
    way, slash, below = path[1:].partition("/")
    return (f"/{way}", slash + below or "/") if way.startswith("~") else ("", path)


def _equal(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode(), wanted.encode())
