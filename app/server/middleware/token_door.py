"""A server of one person: other users of the same machine can reach it, so the link that it prints holds a token, and nothing answers without."""

import secrets
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from likeness.errors import InputError
from server.access import redact
from server.middleware.bearer import bearer_of
from server.middleware.door_cookie import cookie_of, set_cookie
from server.middleware.door_page import answer, door_page, form, form_content, go_to, plain, target_of, wants_page
from server.program_tokens import program_name
from server.request_scope import PROGRAM

_PATH, _COOKIE = "/token", "token"
_TITLE = "Open with the link"
_SENTENCE = (
    "This app is open to whoever started it. Use the link that it printed in its terminal, or paste the token from there; "
    "a server that was started anew has a new one."
)
_FIELD = '<label>Token<input name="token" type="password" autocomplete="off" required autofocus></label>'
_WRONG = "That is not the token of this server; it is a new one at each start."


def new_token() -> str:
    """The token of one start: 32 letters that cannot be guessed."""
    return secrets.token_urlsafe(24)


class TokenDoor:
    """Lets a browser in that has brought the token once, by the link or the form; it has a cookie from then on.

    Args:
        app: what lies behind the door.
        token: as `new_token`.
        tokens: file of programs' own tokens (`program_tokens`), or None.
    """

    def __init__(self, app: ASGIApp, token: str, tokens: Path | None = None) -> None:
        self.app, self.token, self.tokens, self.key = app, token, tokens, secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or is_health(scope):
            await self.app(scope, receive, send)
            return
        shown = bearer_of(scope)
        if shown is not None:
            await self._program(scope, receive, send, shown)
            return
        response = await self._response(scope, receive)
        if response is None:
            await self.app(scope, receive, send)
        else:
            await answer(scope, receive, send, response)

    async def _program(self, scope: Scope, receive: Receive, send: Send, shown: str) -> None:
        try:
            name = "program" if _equal(shown, self.token) else program_name(self.tokens, shown)
        except InputError as error:
            await answer(scope, receive, send, plain(redact(error), 503))
            return
        if name:
            await self.app({**scope, PROGRAM: name}, receive, send)
        else:
            await answer(scope, receive, send, plain(_WRONG, 401))

    async def _response(self, scope: Scope, receive: Receive) -> Response | None:
        """What is said at the door; None where the request goes through."""
        known = _equal(cookie_of(scope, _COOKIE), self.key)
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] == _PATH:
            fields = await form_content(Request(scope, receive))
            target = fields.get("next", "/")
            return self._let_in(scope, target) if _equal(fields.get("token", "").strip(), self.token) else _page(target, _WRONG, 403)
        given = Request(scope).query_params.get("token") if wants_page(scope) else None
        if given is not None and _equal(given, self.token):
            return self._let_in(scope, target_of(scope, without="token"))
        if given is not None:  # an old link
            target = target_of(scope, without="token")
            return go_to(target) if known else _page(target, _WRONG, 403, scope["path"])
        if known:
            return None
        return _page(target_of(scope), "", 401, scope["path"]) if wants_page(scope) else plain(_SENTENCE, 401)

    def _let_in(self, scope: Scope, target: str) -> Response:
        """With the cookie, and without the token in the address bar."""
        response = go_to(target)
        set_cookie(scope, response, _COOKIE, self.key)
        return response


def is_health(scope: Scope) -> bool:
    """What tells a monitor that the server runs, and nothing else."""
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and scope["path"] == "/_stcore/health"


def _page(target: str, problem: str, status: int, page: str = _PATH) -> Response:
    return door_page(_TITLE, _SENTENCE, form(_PATH, _FIELD, "Open", target, page), problem=problem, status=status)


def _equal(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode(), wanted.encode())
