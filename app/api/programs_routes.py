"""Routes for programs: /api and /mcp, if they are turned on."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext

from starlette.convertors import PathConvertor, register_url_convertor
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from api.gate import Gate, Gated
from server.middleware.responses import API, MCP, problem
from server.settings import ServerSettings


class _Below(PathConvertor):
    """Whatever follows in an address, encoded newlines included, which Starlette's `path` leaves to Streamlit's pages."""

    regex = "(?s:.*)"


register_url_convertor("below", _Below())


def programs(settings: ServerSettings) -> tuple[list[BaseRoute], Callable[[], AbstractAsyncContextManager[None]]]:
    """The routes for programs, and their server context. Routes that are off answer 404 (Streamlit would show its start page), and load nothing."""
    api, mcp, gate = _off("The API", "--api"), _off("MCP", "--mcp"), Gate(settings)
    running: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    if settings.api:
        from api.http_api import http_api

        api = Gated(gate, http_api(gate))
    if settings.mcp:
        from api.tools import Tools

        tools = Tools(gate)
        mcp, running = Gated(gate, tools), tools.run
    return [Route(path, app) for root, app in ((API, api), (MCP, mcp)) for path in (root, f"{root}/{{below:below}}")], running


def _off(what: str, option: str) -> ASGIApp:
    """The response of a route that is turned off."""
    return problem(404, f"{what} is off on this server. Start the server with {option} to turn it on.")
