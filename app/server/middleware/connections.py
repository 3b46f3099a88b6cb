"""HTTP connections: answers are sent without delay, and idle connections are closed."""

import socket
from collections import Counter
from contextlib import suppress
from typing import Any

import uvicorn.protocols.http.auto as http

from server.middleware.proxies import is_trusted
from server.settings import server

_LONGEST_HEAD = 65_536  # bytes until a request begins to be answered
_MOST_FILES = 65_536  # open at once, connections among them
_MOST_WAITING = 256  # connections on which nothing is asked
_waiting: dict[Any, Any] = {}  # with the timers that close them


def use_own_connections() -> None:
    """Makes uvicorn use `_Protocol`, which it looks up by name before it loads the app."""
    http.AutoHTTPProtocol = _Protocol
    with suppress(ImportError, ValueError, OSError):  # a system without such limits, or one that does not let them be raised
        import resource

        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        files = _MOST_FILES if most == resource.RLIM_INFINITY else min(most, _MOST_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))  # by default 1,024 or 256 on macOS, which a burst of connections would use up


class _Protocol(http.AutoHTTPProtocol):  # type: ignore[name-defined,misc]
    """One HTTP connection with TCP_NODELAY: otherwise answers wait up to 40 ms for the browser's acknowledgment. asyncio sets it, but not for a
    socket like Streamlit's.

    Idle connections are closed after `request_seconds`; if there are many, the oldest of the address with the most is closed at once. Trusted proxies
    are exempt, since they limit their own clients.
    """

    _received = 0  # bytes since it waits

    def connection_made(self, transport: Any) -> None:
        connection = transport.get_extra_info("socket")
        if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)
        self._address = str((transport.get_extra_info("peername") or ("",))[0])
        self._wait()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        if not self._is_idle():
            self._end_wait()
        elif self._received > _LONGEST_HEAD:
            self.transport.abort()

    def handle_websocket_upgrade(self, *given: Any) -> None:
        self._end_wait()  # from here on another protocol has the connection
        super().handle_websocket_upgrade(*given)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_wait()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _wait(self) -> None:
        if not self._is_idle() or self.transport.is_closing():
            return
        self._end_wait()
        self._received = 0
        _waiting[self] = self.loop.call_later(server().request_seconds, self.transport.abort)
        if len(_waiting) > _MOST_WAITING:
            counts = Counter(each._address for each in _waiting if not is_trusted(each._address))
            most = max(counts, key=lambda address: counts[address], default=None)
            oldest = next(each for each in _waiting if most is None or each._address == most)
            oldest._end_wait()
            oldest.transport.abort()

    def _end_wait(self) -> None:
        timer = _waiting.pop(self, None)
        if timer is not None:
            timer.cancel()
