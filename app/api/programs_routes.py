"""Where programs are answered on this server: at /api and /mcp, or nowhere."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from api.mcp_package import check_installed
from doors.programs import API, MCP, problem
from server_settings import ServerSettings

Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


def programs(settings: ServerSettings, lifespan: Lifespan) -> tuple[list[BaseRoute], Lifespan]:
    """The routes of programs, and the lifespan of a server that has them: the given one, within that of the MCP tools.

    What is off answers 404, where Streamlit would show its start page.

    Raises:
        InputError: the package for MCP is missing.
    """
    if not (settings.api or settings.mcp):
        return [*_both(API, _Off("The API", "--api")), *_both(MCP, _Off("MCP", "--mcp"))], lifespan
    from api.gate import Gate
    from api.status import count_by

    gate = Gate(settings)
    count_by(gate.computing.taken)
    routes: list[BaseRoute] = _both(API, _api(gate) if settings.api else _Off("The API", "--api"))
    if not settings.mcp:
        return [*routes, *_both(MCP, _Off("MCP", "--mcp"))], lifespan
    from api.tools import Tools

    check_installed()
    tools = Tools(gate)

    @asynccontextmanager
    async def with_tools(app: Any) -> AsyncIterator[None]:
        async with tools.running(), lifespan(app):
            yield

    return [*routes, *_both(MCP, gate.around(tools))], with_tools


def _api(gate: Any) -> ASGIApp:
    from api.http_api import http_api

    return gate.around(http_api(gate))  # type: ignore[no-any-return]


def _both(path: str, app: ASGIApp) -> list[BaseRoute]:
    """At the path itself and below it."""
    return [Route(path, _Endpoint(app)), Mount(path, app)]


class _Endpoint:
    """An app at the root of its own; Starlette passes requests on to objects as to apps."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        root = scope.get("root_path", "")
        await self.app({**scope, "path": f"{scope['path']}/", "root_path": root + scope["path"].removeprefix(root)}, receive, send)


class _Off:
    """What is not asked for at the start of the server.

    Args:
        what: its name.
        option: by which it is.
    """

    def __init__(self, what: str, option: str) -> None:
        self.sentence = f"{what} is off on this server; whoever runs it turns it on by {option}."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await problem(404, self.sentence)(scope, receive, send)
        else:
            await send({"type": "websocket.close"})
