"""A shared server whose visitors sign in with a name and a password; nothing answers before."""

import asyncio
import math
import secrets
import time
from collections.abc import Callable
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from likeness.errors import InputError
from server import audit
from server.access import redact
from server.accounts import Account, account_name, read_accounts, verified
from server.middleware.attempts import Attempts, address_key
from server.middleware.bearer import bearer_of
from server.middleware.door_cookie import cookie_of, set_cookie
from server.middleware.door_page import answer, door_page, form, form_content, go_to, plain, target_of, wants_page
from server.middleware.proxies import client_address
from server.middleware.token_door import is_health
from server.program_tokens import program_name
from server.settings import ServerSettings, server
from server.signed_in import authenticate

_AT_ONCE = 2  # passwords that are checked: each takes 64 MB
_LOGIN, _LOGOUT, _COOKIE = "/login", "/logout", "session"
_SENTENCE = "This server is for people with an account."
_WRONG = "Name or password is wrong."
_FIELDS = (
    '<label>Name<input name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></label>'
    '<label>Password<input name="password" type="password" autocomplete="current-password" required></label>'
)


class Login:
    """Lets those in who have signed in, and tells what lies behind which account asks.

    Args:
        app: what lies behind.
        settings: of the server: `auth`, `session_hours` and `program_tokens`.

    Raises:
        InputError: the password file cannot be read.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        assert settings.auth is not None
        self.app, self.file, self.seconds = app, settings.auth, settings.session_hours * 3600
        self.sessions, self.attempts, self.checking = Sessions(self.seconds), Attempts(), asyncio.Semaphore(_AT_ONCE)
        self.tokens = settings.program_tokens
        read_accounts(self.file)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or is_health(scope):
            await self.app(scope, receive, send)
            return
        key, shown = cookie_of(scope, _COOKIE), bearer_of(scope)
        try:
            response = None if shown is not None else await self._response(scope, receive, key)
            name = "" if response else self.sessions.name(key) if shown is None else program_name(self.tokens, shown)
        except InputError as error:
            response, name = plain(redact(error), 503), ""
        if response is not None:
            await answer(scope, receive, send, response)
        elif name and shown is not None:
            await authenticate(self.app, scope, receive, send, name, lambda: True)
        elif name:
            await authenticate(self.app, scope, receive, send, name, partial(self._is_still, key, name))
        elif wants_page(scope):
            await answer(scope, receive, send, _page(target_of(scope), page=scope["path"]))
        else:
            await answer(scope, receive, send, plain(_SENTENCE, 401))

    async def _response(self, scope: Scope, receive: Receive, key: str) -> Response | None:
        """The pages of the door itself; None for all others."""
        if scope["type"] != "http" or scope["path"] not in (_LOGIN, _LOGOUT):
            return None
        if scope["method"] == "POST":
            request = Request(scope, receive)
            return await self._sign_in(request) if scope["path"] == _LOGIN else self._sign_out(scope, key)
        name = self.sessions.name(key)
        if scope["path"] == _LOGIN or not name:
            return go_to("/") if name else _page("/")
        return door_page("Sign out", f"You are signed in as {name}.", form(_LOGOUT, "", "Sign out", "/"), status=200)

    async def _sign_in(self, request: Request) -> Response:
        fields = await form_content(request)
        target, address = fields.get("next", "/"), client_address(request.scope)
        try:
            name = account_name(fields.get("name", ""))
        except InputError:  # compared with nobody's password all the same, so that it takes as long
            name = ""
        seconds = self.attempts.wait(address_key(address), f"name {name}")
        if seconds > 0:
            problem = f"Too many wrong tries; wait {math.ceil(seconds)} s and try again."
            response = _page(target, problem, 429)
            response.headers["Retry-After"] = str(math.ceil(seconds))
            return response
        async with self.checking:
            account = await run_in_threadpool(verified, self.file, name, fields.get("password", ""))
        known = name if name in read_accounts(self.file) else "an unknown name"
        audit.record("signed in" if account else "sign-in refused", known, f"from {address}")
        if account is None:
            return _page(target, _WRONG, 403)
        self.attempts.forget(f"name {name}")
        self.attempts.take_back(address_key(address))  # no more: whoever has an account would guess those of others
        response = go_to(target)
        set_cookie(request.scope, response, _COOKIE, self.sessions.begin(account), round(self.seconds))
        return response

    def _sign_out(self, scope: Scope, key: str) -> Response:
        name = self.sessions.name(key)
        self.sessions.end(key)
        if name:
            audit.record("signed out", name, f"from {client_address(scope)}")
        response = go_to("/")
        set_cookie(scope, response, _COOKIE, "", 0)
        return response

    def _is_still(self, key: str, name: str) -> bool:
        try:
            return self.sessions.name(key) == name
        except InputError:
            return False


def _page(target: str, problem: str = "", status: int = 401, page: str = _LOGIN) -> Response:
    return door_page("Sign in", _SENTENCE, form(_LOGIN, _FIELDS, "Sign in", target, page), problem=problem, status=status)


class Sessions:
    """Signed-in browsers; a session ends after `seconds`, at the sign-out, and when its account is removed or gets another password."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._sessions: dict[str, tuple[Account, float]] = {}

    def begin(self, account: Account) -> str:
        """The key of a new session."""
        now = self._clock()
        self._sessions = {key: session for key, session in self._sessions.items() if session[1] > now}
        key = secrets.token_urlsafe(32)
        self._sessions[key] = account, now + self._seconds
        return key

    def name(self, key: str) -> str:
        """The account's name; empty where there is no such session, or none any more.

        Raises:
            InputError: the password file cannot be read.
        """
        account, end = self._sessions.get(key, (None, 0.0))
        file = server().auth
        if account is None or file is None or end <= self._clock():
            return ""
        now = read_accounts(file).get(account.name)
        return account.name if now is not None and now.hash == account.hash else ""

    def end(self, key: str) -> None:
        """Ends a session."""
        self._sessions.pop(key, None)
