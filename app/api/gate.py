"""How much programs may ask for: so many requests a second, so many at once, and few that compute. The doors before it have let them in."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TypeVar

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.problems import Problem
from clients import client_of
from doors.hosts import READS
from doors.pace import Pace
from doors.programs import problem
from request_scope import PROGRAM, answering, request_scope
from server_settings import ServerSettings
from signed_in import account_in
from slots import Slots

_AT_ONCE, _OF_ONE = 64, 16  # requests in all, and of one client
_THREADS = 16
_OWN = ("same-origin", "none", None)  # what a browser says of pages of this server, of addresses that were typed, and what no browser says
_PATIENCE, _POLL = 20.0, 0.01  # seconds
Result = TypeVar("Result")


class Gate:
    """What all programs share: their allowances, and the slots and threads of what they ask for.

    Args:
        settings: of the server.
    """

    def __init__(self, settings: ServerSettings) -> None:
        rate = settings.requests_per_second
        self.computing = Slots(settings.max_jobs, settings.visitor_jobs)
        self._pace, self._open = Pace(rate, 10 * rate, most_owed=rate), Slots(_AT_ONCE, _OF_ONE)
        self._limiter: anyio.CapacityLimiter | None = None

    def around(self, app: ASGIApp) -> ASGIApp:
        """An app that takes requests within the allowances only, and knows who asks."""

        async def within(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            who, headers = program_of(scope), Headers(scope=scope)
            if scope["method"] in READS and headers.get("sec-fetch-mode", "navigate") != "navigate" and headers.get("sec-fetch-site") not in _OWN:
                await problem(403, "A page of another site may not ask here; open the address itself.")(scope, receive, send)
                return
            seconds = self._pace.spend(who)
            if seconds > 0:
                await _too_many("You ask for more than this server answers a second; ask more slowly.", seconds)(scope, receive, send)
                return
            if not self._open.take(who):
                await _too_many("You have too many requests open here; wait for their answers.", 1)(scope, receive, send)
                return
            try:
                with answering(scope):
                    await app(scope, receive, send)
            finally:
                self._open.give_back(who)

        return within

    async def run(self, work: Callable[[], Result], computes: bool) -> Result:
        """The result of `work`, which runs in a thread; where it computes, once a slot is free.

        Raises:
            Problem: 429, where none is free for a while.
        """
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_THREADS)
        if not computes:
            return await anyio.to_thread.run_sync(work, limiter=self._limiter)
        scope = request_scope()
        async with self._slot(program_of(scope) if scope else ""):
            return await anyio.to_thread.run_sync(work, limiter=self._limiter)

    @asynccontextmanager
    async def _slot(self, who: str) -> AsyncIterator[None]:
        end = time.monotonic() + _PATIENCE
        while not self.computing.take(who):
            if time.monotonic() > end:
                raise Problem(HTTPStatus.TOO_MANY_REQUESTS, "The server computes as much as it can at once; try again soon.", 5)
            await asyncio.sleep(_POLL)
        try:
            yield
        finally:
            self.computing.give_back(who)


def program_of(scope: Scope) -> str:
    """Who a request counts for: the account, the program's token, or the address that it comes from."""
    named = scope.get(PROGRAM)
    return account_in(scope) or (f"program {named}" if named else client_of(scope))


def _too_many(sentence: str, seconds: float) -> ASGIApp:
    return problem(429, sentence, {"Retry-After": str(math.ceil(seconds))})
