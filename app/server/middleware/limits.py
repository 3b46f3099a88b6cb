"""Limits per client of a shared server: open pages, requests, and uploaded files held in memory.

Requests per second and connections per address are limited by a reverse proxy (docs/serving.md). It cannot look into a WebSocket, so a page's
messages are limited here.
"""

import asyncio
from collections import Counter
from weakref import WeakValueDictionary

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import get_instance

from server.accounts import client_of, is_of_same_visitor, with_client
from server.middleware.responses import answer, plain
from server.settings import ServerSettings
from server.slots import Pace, Slots

_UPLOAD = "/_stcore/upload_file/"
_RETRY = 2  # seconds
_AT_WORK = 6  # as many as a browser asks at once
_MESSAGES_A_SECOND, _MESSAGES_AT_ONCE = 15, 150  # not faster than a person clicks


class Limits:
    """Rejects requests beyond the limits, and gives up on those whose body does not arrive."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self.app, self._settings = app, settings
        self._slots = {
            "http": Slots(16 * settings.visitor_requests, settings.visitor_requests),
            "websocket": Slots(settings.max_sockets, settings.visitor_sockets),
        }
        self._files, self._messages = WaitingFiles(settings), Pace(_MESSAGES_A_SECOND, _MESSAGES_AT_ONCE)
        self._turns = WeakValueDictionary[str, asyncio.Semaphore]()  # by client; few requests of one are worked on, since all share some threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in self._slots:
            await self.app(scope, receive, send)
            return
        slots, client = self._slots[scope["type"]], client_of(scope)
        if not slots.take(client):
            what = "pages" if scope["type"] == "websocket" else "requests"
            await answer(scope, receive, send, plain(f"You have too many {what} open on this server. Close some and try again.", 429, _RETRY))
            return
        try:
            scope = with_client(scope, client)
            if scope["type"] == "websocket":
                await self.app(scope, self._paced(receive, client), send)
                return
            turn = self._turns.setdefault(client, asyncio.Semaphore(_AT_WORK))
            async with turn:
                await self._request(scope, self._in_time(receive), send, client)
        finally:
            slots.give_back(client)

    async def _request(self, scope: Scope, receive: Receive, send: Send, client: str) -> None:
        session = scope["path"].partition(_UPLOAD)[2].partition("/")[0]
        page = get_instance().get_client(session) if session else None
        if page is not None and not is_of_same_visitor(scope, page.client_context.headers):
            await answer(scope, receive, send, plain("This page belongs to another visitor.", 403))
            return
        if scope["method"] != "PUT" or not session:
            await self.app(scope, receive, send)
            return
        length = Headers(scope=scope).get("content-length", "")
        size = int(length) if length.isdecimal() and len(length) < 16 else self._settings.max_upload_mb * 1_000_000
        if not self._files.begin(client, session, size):
            message = "Too many uploaded files are waiting. Embed or remove yours, or try again in a few minutes."
            await answer(scope, receive, send, plain(message, 413, _RETRY))
            return
        try:
            await self.app(scope, receive, send)
        finally:
            self._files.end(session, size)

    def _paced(self, receive: Receive, client: str) -> Receive:
        async def paced() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                await asyncio.sleep(self._messages.spend(client))
            return message

        return paced

    def _in_time(self, receive: Receive) -> Receive:
        """The client's next message, or a disconnect if none arrives."""
        has_all = False

        async def within() -> Message:
            nonlocal has_all
            try:  # once all has come, only the disconnect is waited for
                message = await asyncio.wait_for(receive(), None if has_all else self._settings.request_seconds)
            except TimeoutError:
                return {"type": "http.disconnect"}
            has_all = not message.get("more_body", False)
            return message

        return within


class WaitingFiles:
    """Uploaded files that Streamlit keeps in memory until a page takes them or is closed."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._coming: Counter[str] = Counter()  # bytes by session
        self._client_of: dict[str, str] = {}  # by session

    def begin(self, client: str, session: str, size: int) -> bool:
        """Whether a file of this size fits; its session then counts for this client."""
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
        """Ends an upload, received or not."""
        self._coming[session] -= size
        if not self._coming[session]:
            del self._coming[session]

    @staticmethod
    def _held() -> dict[str, int]:
        """Bytes by session; drops the files of ended sessions."""
        manager = get_instance().uploaded_file_mgr
        held: dict[str, int] = {}
        for session, files in list(getattr(manager, "file_storage", {}).items()):
            if _is_over(session):
                manager.remove_session_files(session)
            else:
                held[session] = sum(len(file.data) for file in list(files.values()))
        return held


def _is_over(session: str) -> bool:
    """Whether Streamlit has dropped a session; it keeps one for a while after its browser was lost."""
    manager = get_instance()._session_mgr
    return manager.get_session_info(session) is None and session not in getattr(getattr(manager, "_session_storage", None), "_cache", {})
