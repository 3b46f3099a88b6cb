"""Who comes in: on a server of one person whoever has its token, behind a proxy whom that names. `passwords` has the door that asks for one."""

import secrets
from pathlib import Path

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from likeness.errors import InputError
from server.access import redact
from server.accounts import PROGRAM, account_name, has_role, program_name, with_account
from server.audit import record
from server.middleware import responses
from server.middleware.host_check import READS
from server.middleware.proxies import is_trusted, peer
from server.settings import ServerSettings

_PATH, _COOKIE = "/token", "token"
_SENTENCE = (
    "This app is open to whoever started it. Use the link that it printed in its terminal, or paste the token from there; "
    "a server that was restarted has a new one."
)
_FIELD = '<label>Token<input name="token" type="password" autocomplete="off" required autofocus></label>'
_WRONG = "That is not the token of this server; it is a new one at each start."


class Door:
    """What stands before the app; each door says in `enter` who may pass."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # a monitor learns that the server runs, and nothing else
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
        """The name of who may pass, or what the others get; `shown` is the token of a program."""
        raise NotImplementedError

    def is_still(self, scope: Scope, name: str) -> bool:
        """Whether the session that a WebSocket was opened in goes on."""
        return True

    async def pass_on(self, scope: Scope, receive: Receive, send: Send, name: str) -> None:
        """Passes the request of an account on; what changes something, an upload say, only for the role edit. The API asks for the role itself,
        where it changes something."""
        refusal = ""
        if not has_role(name, "view"):
            refusal = f"There is no account '{name}' on this server any more; ask whoever runs it."
        elif scope["type"] == "http" and scope["method"] not in READS and not responses.is_for_programs(scope) and not has_role(name, "edit"):
            refusal = f"The account '{name}' may only look; ask for the role edit."
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
    """Lets a browser in that has brought the token once, by the link or the form; it has a cookie from then on. `tokens` are programs' own."""

    def __init__(self, app: ASGIApp, token: str, tokens: Path | None = None) -> None:
        super().__init__(app)
        self.token, self.tokens, self.key = token, tokens, secrets.token_urlsafe(32)

    async def enter(self, scope: Scope, receive: Receive, shown: str | None) -> str | Response:
        if shown is not None:
            return "program" if _equal(shown, self.token) else program_name(self.tokens, shown) or responses.plain(_WRONG, 401)
        known, page = _equal(responses.cookie_of(scope, _COOKIE), self.key), scope["path"]
        if scope["type"] == "http" and scope["method"] == "POST" and page == _PATH:
            fields = await responses.form_content(Request(scope, receive))
            target = fields.get("next", "/")
            return self._let_in(scope, target) if _equal(fields.get("token", "").strip(), self.token) else _page(target, _WRONG, 403)
        given = Request(scope).query_params.get("token") if responses.wants_page(scope) else None
        if given is not None:
            target = responses.target_of(scope, without="token")
            if _equal(given, self.token):
                return self._let_in(scope, target)
            return responses.go_to(target) if known else _page(target, _WRONG, 403, page)  # an old link
        if known:
            return ""
        return _page(responses.target_of(scope), "", 401, page) if responses.wants_page(scope) else responses.plain(_SENTENCE, 401)

    async def pass_on(self, scope: Scope, receive: Receive, send: Send, name: str) -> None:
        await self.app({**scope, PROGRAM: name} if name else scope, receive, send)

    def _let_in(self, scope: Scope, target: str) -> Response:
        """With the cookie, and without the token in the address bar."""
        response = responses.go_to(target)
        responses.set_cookie(scope, response, _COOKIE, self.key)
        return response


class HeaderLogin(Door):
    """Lets in whom a trusted proxy names in a header, and refuses that header from anyone else; programs by tokens, also past the proxy."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        assert settings.auth_header is not None
        super().__init__(app)
        self.header, self.tokens = settings.auth_header, settings.program_tokens

    async def enter(self, scope: Scope, receive: Receive, shown: str | None) -> str | Response:
        given = Headers(scope=scope).getlist(self.header)
        if given and not is_trusted(peer(scope)):
            record("header refused", peer(scope), self.header)
            return responses.plain("This server is used through its reverse proxy; open that one's address.", 403)
        if shown is not None and not given:
            name = program_name(self.tokens, shown)
        else:
            try:
                name = account_name(given[0]) if len(given) == 1 else ""
            except InputError:
                name = ""
        return name or responses.plain(f"The reverse proxy names no account in {self.header}; open its address, and sign in there.", 401)


def _page(target: str, problem: str, status: int, page: str = _PATH) -> Response:
    return responses.form_page("Open with the link", _SENTENCE, _PATH, _FIELD, "Open", target, problem, status, page)


def _equal(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode(), wanted.encode())
