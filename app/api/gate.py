"""Limits for admitted programs: requests per second, concurrent requests, and concurrent computations."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import TypeVar

import anyio
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from server.accounts import PROGRAM, account_in, answering, client_of, request_scope
from server.middleware.host_check import READS
from server.middleware.responses import problem
from server.settings import ServerSettings, server
from server.slots import Pace, Slots

NOT_THERE = "There is no such address; see /api for all."
_AT_ONCE, _OF_ONE = 64, 16  # concurrent requests in total and per client
_THREADS = 16
_OWN = ("same-origin", "none", None)  # pages of this server, typed addresses, and clients that are not browsers
_PATIENCE, _POLL = 20.0, 0.01  # seconds
Result = TypeVar("Result")


@cache
def computing() -> Slots:
    """Slots of operations that compute, on this server."""
    return Slots(server().max_jobs, server().visitor_jobs)


class Gate:
    """The limits, slots and threads that all programs share.

    Args:
        settings: the server's settings.
    """

    def __init__(self, settings: ServerSettings) -> None:
        rate = settings.requests_per_second
        self.pace, self.open = Pace(rate, 10 * rate, most_owed=rate), Slots(_AT_ONCE, _OF_ONE)
        self._limiter = anyio.CapacityLimiter(_THREADS)

    async def run(self, work: Callable[[], Result], computes: bool) -> Result:
        """Runs `work` in a thread and returns its result; if it computes, waits for a slot.

        Raises:
            HTTPException: 429, if no slot becomes free in time.
        """
        if computes:
            scope = request_scope()
            async with _slot(program_of(scope) if scope else ""):
                return await self.run(work, computes=False)
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)


@asynccontextmanager
async def _slot(who: str) -> AsyncIterator[None]:
    end = time.monotonic() + _PATIENCE
    while not computing().take(who):
        if time.monotonic() > end:
            raise HTTPException(429, "The server is busy. Try again soon.", {"Retry-After": "5"})
        await asyncio.sleep(_POLL)
    try:
        yield
    finally:
        computing().give_back(who)


class Gated:
    """Wraps an app: admits requests within the limits, and identifies their client."""

    def __init__(self, gate: Gate, app: ASGIApp) -> None:
        self.gate, self.app = gate, app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        who, headers = program_of(scope), Headers(scope=scope)
        if scope["method"] in READS and headers.get("sec-fetch-mode", "navigate") != "navigate" and headers.get("sec-fetch-site") not in _OWN:
            await problem(403, "Pages of other sites cannot call this address. Open it directly.")(scope, receive, send)
            return
        if "\n" in scope["path"]:  # which the end of a route's pattern would pass over
            await problem(404, NOT_THERE)(scope, receive, send)
            return
        seconds, sentence = math.ceil(self.gate.pace.spend(who)), "Too many requests per second. Slow down."
        if seconds == 0 and not self.gate.open.take(who):
            seconds, sentence = 1, "Too many open requests. Wait for their answers."
        if seconds > 0:
            await problem(429, sentence, {"Retry-After": str(seconds)})(scope, receive, send)
            return
        try:
            with answering(scope):
                await self.app(scope, receive, send)
        finally:
            self.gate.open.give_back(who)


def program_of(scope: Scope) -> str:
    """The client that a request counts for: the account, the program's token, or the client's address."""
    named = scope.get(PROGRAM)
    return account_in(scope) or (f"program {named}" if named else client_of(scope))
