"""A server of one person: other users of the same machine can reach it, so the link that it prints holds a token, and nothing answers without."""

import secrets

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from doors.door_cookie import cookie_of, set_cookie
from doors.door_page import answer, door_page, form, form_content, go_to, plain, target_of, wants_page

_PATH, _COOKIE = "/token", "token"
_TITLE = "Open with the link"
_SENTENCE = "This app is open to whoever started it. Use the link that it printed in its terminal, or paste the token from there."
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
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app, self.token, self.key = app, token, secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or is_health(scope):
            await self.app(scope, receive, send)
            return
        response = await self._response(scope, receive)
        if response is None:
            await self.app(scope, receive, send)
        else:
            await answer(scope, receive, send, response)

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
            return go_to(target) if known else _page(target, _WRONG, 403)
        if known:
            return None
        return _page(target_of(scope), "", 401) if wants_page(scope) else plain(_SENTENCE, 401)

    def _let_in(self, scope: Scope, target: str) -> Response:
        """With the cookie, and without the token in the address bar."""
        response = go_to(target)
        set_cookie(scope, response, _COOKIE, self.key)
        return response


def is_health(scope: Scope) -> bool:
    """What tells a monitor that the server runs, and nothing else."""
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and scope["path"] == "/_stcore/health"


def _page(target: str, problem: str, status: int) -> Response:
    return door_page(_TITLE, _SENTENCE, form(_PATH, _FIELD, "Open", target), problem=problem, status=status)


def _equal(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode(), wanted.encode())
