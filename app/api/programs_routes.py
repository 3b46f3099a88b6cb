"""Where programs are answered on this server: at /api and /mcp, or nowhere."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from api.gate import Gate, Gated
from server.middleware.responses import API, MCP, problem
from server.settings import ServerSettings

Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


def programs(settings: ServerSettings, lifespan: Lifespan) -> tuple[list[BaseRoute], Lifespan]:
    """The routes of programs, and the lifespan of a server that has them: the given one, within that of the MCP tools. What is off answers 404, where
    Streamlit would show its start page, and loads nothing."""
    api, mcp, gate = _off("The API", "--api"), _off("MCP", "--mcp"), Gate(settings)
    if settings.api:
        from api.http_api import http_api

        api = Gated(gate, http_api(gate))
    if settings.mcp:
        from api.tools import Tools

        tools, around = Tools(gate), lifespan
        mcp = Gated(gate, tools)

        @asynccontextmanager
        async def lifespan(app: Any) -> AsyncIterator[None]:
            async with tools.run(), around(app):
                yield

    return [Route(path, app) for root, app in ((API, api), (MCP, mcp)) for path in (root, f"{root}/{{below:path}}")], lifespan


def _off(what: str, option: str) -> ASGIApp:
    """What answers in place of what the server was not started with."""
    return problem(404, f"{what} is off on this server. Start the server with {option} to turn it on.")
