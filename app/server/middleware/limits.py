"""What one client of a shared server may have open at once: pages, requests, and files that wait in memory. Others are answered meanwhile."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import get_instance

from server.clients import client_of, named
from server.middleware.door_page import answer
from server.middleware.rate_limit import Pace
from server.settings import ServerSettings
from server.slots import Slots

_UPLOAD = "/_stcore/upload_file/"
_AT_WORK = 6  # as many as a browser asks at once
_REQUESTS_A_SECOND, _REQUESTS_AT_ONCE = 20, 300  # a page shows some hundred pictures
_TOLD_AFTER, _MOST_TOLD_LATER = 2.0, 2_000  # seconds, and how many requests
_MESSAGES_A_SECOND, _MESSAGES_AT_ONCE = 15, 150


class Limits:
    """Refuses what passes the limits, and gives up on requests whose content does not come.

    Args:
        app: what answers the others.
        settings: of the server.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self.app, self._settings = app, settings
        self._requests = Slots(16 * settings.visitor_requests, settings.visitor_requests)
        self._sockets = Slots(settings.max_sockets, settings.visitor_sockets)
        self._waiting = WaitingFiles(settings)
        self._told_later = Slots(_MOST_TOLD_LATER, settings.visitor_requests)
        self._at_work: dict[str, tuple[asyncio.Semaphore, int]] = {}
        self._pace, self._messages = Pace(_REQUESTS_A_SECOND, _REQUESTS_AT_ONCE), Pace(_MESSAGES_A_SECOND, _MESSAGES_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        client = client_of(scope)
        slots = self._sockets if scope["type"] == "websocket" else self._requests
        if not slots.take(client):
            await self._let_wait(client)
            await answer(scope, receive, send, _refused("pages" if scope["type"] == "websocket" else "requests"))
            return
        try:
            if scope["type"] == "websocket":
                await self.app(named(scope, client), self._paced(receive, client), send)
                return
            await asyncio.sleep(self._pace.spend(client))
            async with self._one_of_few(client):
                if scope["method"] == "PUT" and _UPLOAD in scope["path"]:
                    await self._upload(scope, receive, send, client)
                else:
                    await self.app(scope, self._in_time(receive), send)
        finally:
            slots.give_back(client)

    async def _let_wait(self, client: str) -> None:
        """Refuses a client that asks for too much after a pause, so that it does not ask again at once; only as many wait as cost nothing."""
        if self._told_later.take(client):
            try:
                await asyncio.sleep(_TOLD_AFTER)
            finally:
                self._told_later.give_back(client)

    @asynccontextmanager
    async def _one_of_few(self, client: str) -> AsyncIterator[None]:
        """Few requests of one client are worked on at once: those that compute share some threads with all others."""
        turn, users = self._at_work.get(client, (asyncio.Semaphore(_AT_WORK), 0))
        self._at_work[client] = turn, users + 1
        try:
            async with turn:
                yield
        finally:
            users = self._at_work[client][1] - 1
            if users:
                self._at_work[client] = turn, users
            else:
                del self._at_work[client]

    def _paced(self, receive: Receive, client: str) -> Receive:
        """What a page sends, not faster than a person clicks."""

        async def paced() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                await asyncio.sleep(self._messages.spend(client))
            return message

        return paced

    async def _upload(self, scope: Scope, receive: Receive, send: Send, client: str) -> None:
        session = scope["path"].partition(_UPLOAD)[2].partition("/")[0]
        length = Headers(scope=scope).get("content-length", "")
        size = int(length) if length.isdecimal() and len(length) < 16 else self._settings.max_upload_mb * 1_000_000
        if not self._waiting.begin(client, session, size):
            await self._let_wait(client)
            message = "Too many files are waiting here; embed or remove those that you uploaded, or try again in some minutes."
            await answer(scope, receive, send, PlainTextResponse(message, 413))
            return
        try:
            await self.app(scope, self._in_time(receive), send)
        finally:
            self._waiting.end(session, size)

    def _in_time(self, receive: Receive) -> Receive:
        """What a client sends, or a disconnect if nothing comes."""
        asked_for_all = False

        async def within() -> Message:
            nonlocal asked_for_all
            if asked_for_all:  # from here on, only the disconnect
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), self._settings.request_seconds)
            except TimeoutError:
                return {"type": "http.disconnect"}
            asked_for_all = not message.get("more_body", False)
            return message

        return within


class WaitingFiles:
    """What browsers have sent and Streamlit keeps in memory until a page takes it or is closed.

    Args:
        settings: of the server.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._coming: Counter[str] = Counter()  # bytes by session
        self._client_of: dict[str, str] = {}  # by session

    def begin(self, client: str, session: str, size: int) -> bool:
        """Whether a file of so many bytes may come; the session that it is for is counted for this client."""
        held = Counter(self._held()) + self._coming
        self._client_of = {known: own for known, own in self._client_of.items() if known in held}
        own = sum(held[known] for known, whose in self._client_of.items() if whose == client)
        total = held.total()
        if own + size > self._settings.visitor_waiting_mb * 1_000_000 or total + size > self._settings.max_waiting_mb * 1_000_000:
            return False
        self._client_of[session] = client
        self._coming[session] += size
        return True

    def end(self, session: str, size: int) -> None:
        """It has come, or will not."""
        self._coming[session] -= size
        if not self._coming[session]:
            del self._coming[session]

    @staticmethod
    def _held() -> dict[str, int]:
        """Bytes by session; files of sessions that have ended are given up."""
        runtime = get_instance()
        manager = runtime.uploaded_file_mgr
        held: dict[str, int] = {}
        for session, files in list(getattr(manager, "file_storage", {}).items()):
            if _is_over(session):
                manager.remove_session_files(session)
            else:
                held[session] = _total(file.data for file in list(files.values()))
        return held


def _is_over(session: str) -> bool:
    """Whether Streamlit has forgotten a session; one whose browser was lost a moment ago may come back."""
    manager = get_instance()._session_mgr
    return manager.get_session_info(session) is None and session not in getattr(getattr(manager, "_session_storage", None), "_cache", {})


def _total(contents: Iterable[bytes]) -> int:
    return sum(len(content) for content in contents)


def _refused(what: str) -> PlainTextResponse:
    return PlainTextResponse(f"You have too many {what} open on this server; close some, and try again.", 429, {"Retry-After": "2"})
