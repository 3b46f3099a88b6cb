"""Connections with browsers: answers leave at once, and on a shared server those on which no request comes in are closed after a while."""

import socket
import time
from collections import Counter
from typing import Any

import uvicorn.protocols.http.auto as http

from server.middleware.proxies import is_trusted
from server.settings import server

_LONGEST_HEAD = 65_536  # bytes until a request begins to be answered
_MOST_WAITING = 256  # connections on which nothing is asked yet
_waiting: dict[int, Any] = {}
_open: Counter[str] = Counter()


def use_own_connections() -> None:
    """Has uvicorn, which chooses its protocol by this name before it loads the app, speak HTTP as below."""
    http.AutoHTTPProtocol = _IdleTimeoutProtocol if server().shared else _NoDelayProtocol


class _NoDelayProtocol(http.AutoHTTPProtocol):  # type: ignore[name-defined,misc]
    """HTTP on one connection, whose answers do not wait for the browser to confirm what it has got of them before, 40 ms each time.

    asyncio sees to that itself, but not for a socket like the one that Streamlit listens on.
    """

    def connection_made(self, transport: Any) -> None:
        connection = transport.get_extra_info("socket")
        if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)


class _IdleTimeoutProtocol(_NoDelayProtocol):
    """The same on a shared server. A trusted proxy opens as many as it likes: it counts its own clients."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._address = str((transport.get_extra_info("peername") or ("",))[0])
        self._since: float | None = time.monotonic()
        self._unanswered = 0
        _open[self._address] += 1
        if _open[self._address] > server().visitor_requests and not is_trusted(self._address):
            transport.abort()
            return
        _waiting[id(self)] = self
        while len(_waiting) > _MOST_WAITING:
            _waiting.pop(next(iter(_waiting))).transport.abort()
        self._timer = self.loop.call_later(server().request_seconds, self._look)

    def data_received(self, data: bytes) -> None:
        if self._is_idle():
            self._since = self._since or time.monotonic()
            self._unanswered += len(data)
        super().data_received(data)
        if not self._is_idle():
            self._forget()
        elif self._unanswered > _LONGEST_HEAD:
            self.transport.abort()

    def handle_websocket_upgrade(self, *given: Any) -> None:
        self._leave()  # from here on another protocol has the connection
        super().handle_websocket_upgrade(*given)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _look(self) -> None:
        seconds = server().request_seconds
        if self._since is not None and time.monotonic() - self._since >= seconds:
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(seconds / 2, self._look)

    def _forget(self) -> None:
        self._since, self._unanswered = None, 0
        _waiting.pop(id(self), None)

    def _leave(self) -> None:
        self._forget()
        if hasattr(self, "_timer"):
            self._timer.cancel()
        if self._address:
            _open[self._address] -= 1
            if _open[self._address] <= 0:
                del _open[self._address]
            self._address = ""
