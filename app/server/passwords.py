"""Password sign-in: Argon2id hashes, rate-limited attempts, sessions, and the sign-in page."""

import asyncio
import math
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope

from likeness.errors import InputError
from server.accounts import Account, account_name, program_name, read_accounts, write_private
from server.audit import record
from server.middleware.doors import Door
from server.middleware.proxies import client_address, network_of
from server.middleware.responses import cookies_of, form_content, form_page, go_to, plain, set_cookie, target_of, wants_page
from server.settings import Role, ServerSettings
from server.slots import Pace

_SHORTEST, _LONGEST = 8, 1024  # letters
# tries that were wrong, at once: at a name from one network, at all names from it, and at a name from networks where it never was right
_TRIES, _TRIES_A_SECOND = (5, 20, 100), 1 / 60  # and in the long run
_MOST_RIGHT = 10_000  # networks and names
_LOGIN, _LOGOUT, _COOKIE = "/login", "/logout", "session"
_SENTENCE = "Sign in to use this server."
_FIELDS = (
    '<label>Name<input name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></label>'
    '<label>Password<input name="password" type="password" autocomplete="current-password" required></label>'
)
_page = partial(form_page, "Sign in", _SENTENCE, _LOGIN, _FIELDS, "Sign in")
_hasher = cache(PasswordHasher)
_nobody = cache(lambda: _hasher().hash(os.urandom(16)))  # what no password is kept under, to compare with where there is no account


def set_password(file: Path, name: str, password: str, role: Role) -> None:
    """Writes an account into a password file; raises InputError for an invalid name, password or file."""
    name = account_name(name)
    if not _SHORTEST <= len(password) <= _LONGEST:
        raise InputError(f"The password has {len(password)} characters; use {_SHORTEST} to {_LONGEST}.")
    accounts = (read_accounts(file) if file.exists() else {}) | {name: Account(name, role, _hasher().hash(password))}
    write_private(file, "password file", map(":".join, accounts.values()))


def verified(file: Path, name: str, password: str) -> Account | None:
    """The account with this name and password, or None; takes equally long for unknown names, some tens of milliseconds on purpose."""
    account, nobody = read_accounts(file).get(name), _nobody()
    with suppress(Argon2Error, InvalidHashError):
        _hasher().verify(account.hash if account else nobody, password[: _LONGEST + 1])
        return account
    return None


class Login(Door):
    """Admits signed-in users; a session ends after `session_hours`, at sign-out, and when its account is removed or gets a new password."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, clock: Callable[[], float] = time.monotonic) -> None:
        assert settings.auth is not None
        super().__init__(app)
        self._file, self._tokens, self._seconds, self._clock = settings.auth, settings.program_tokens, settings.session_hours * 3600, clock
        self._tries = [Pace(_TRIES_A_SECOND, most - 1, clock=clock) for most in _TRIES]
        self._right = set[tuple[str, str]]()  # networks and names, since the start
        self._checking = asyncio.Semaphore(2)  # a check takes 64 MB
        self._sessions: dict[str, tuple[Account, float]] = {}  # by the cookie's value, with the end
        read_accounts(self._file)

    async def enter(self, scope: Scope, receive: Receive, shown: str | None) -> str | Response:
        if shown is not None:
            return program_name(self._tokens, shown) or plain(_SENTENCE, 401)
        name, path = self._name(scope), scope["path"] if scope["type"] == "http" else ""
        if path == _LOGIN:
            return await self._sign_in(Request(scope, receive)) if scope["method"] == "POST" else go_to("/") if name else _page()
        if path == _LOGOUT and scope["method"] == "POST":
            for key in cookies_of(scope, _COOKIE):
                self._sessions.pop(key, None)
            if name:
                record("signed out", name, f"from {client_address(scope)}")
            response = go_to("/")
            set_cookie(scope, response, _COOKIE, "", 0)
            return response
        if path == _LOGOUT and name:
            return form_page("Sign out", f"You are signed in as {name}.", _LOGOUT, "", "Sign out", status=200)
        return name or (_page("/" if path == _LOGOUT else target_of(scope), page=path) if wants_page(scope) else plain(_SENTENCE, 401))

    def is_still(self, scope: Scope, name: str) -> bool:
        with suppress(InputError):
            return self._name(scope) == name
        return False

    def _name(self, scope: Scope) -> str:
        """Name of the signed-in account; "" for nobody. Raises InputError where the password file cannot be read."""
        keys = (key for key in cookies_of(scope, _COOKIE) if key in self._sessions)
        account, end = self._sessions.get(next(keys, ""), (None, 0.0))
        now = read_accounts(self._file).get(account.name) if account and end > self._clock() else None
        return now.name if account and now and now.hash == account.hash else ""

    async def _sign_in(self, request: Request) -> Response:
        fields = await form_content(request)
        target, address = fields.get("next", "/"), client_address(request.scope)
        try:
            name = account_name(fields.get("name", ""))
        except InputError:  # compared with nobody's password all the same, so that it takes as long
            name = ""
        network = network_of(address)
        kept = list(zip(self._tries, (f"{network} {name}", network, name), strict=True))[: 2 if (network, name) in self._right else 3]

        def left() -> int:
            return math.ceil(max(tries.spend(who, 0) for tries, who in kept))

        seconds, account = left(), None
        if seconds == 0:
            async with self._checking:
                seconds = left()
                if seconds == 0:
                    for tries, who in kept:
                        tries.spend(who)  # as a wrong one, until it is given back
                    account = await asyncio.to_thread(verified, self._file, name, fields.get("password", ""))
        if seconds > 0:
            response = _page(target, f"Too many failed attempts; wait {seconds} s and try again.", 429)
            response.headers["Retry-After"] = str(seconds)
            return response
        record("signed in" if account else "sign-in refused", name if name in read_accounts(self._file) else "an unknown name", f"from {address}")
        if account is None:
            return _page(target, "Wrong name or password.", 403)
        for tries, who in kept:
            tries.spend(who, -1)  # no more: whoever has an account would guess those of others
        self._right = {*(self._right if len(self._right) < _MOST_RIGHT else ()), (network, name)}
        now, key = self._clock(), secrets.token_urlsafe(32)
        self._sessions = {kept: each for kept, each in self._sessions.items() if each[1] > now} | {key: (account, now + self._seconds)}
        response = go_to(target)
        set_cookie(request.scope, response, _COOKIE, key, round(self._seconds))
        return response
