"""The ASGI app that `likeness app` serves: Streamlit, the routes of pictures and programs, and the middleware in front."""

import asyncio
import os
import sys
import threading
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config, net_util
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager

from api.programs_routes import programs
from server import start_page
from server.access import confine_server
from server.accounts import IDENTITY
from server.addresses import PathPrefix, take_path_prefix
from server.middleware.build_middleware import build_middleware, print_link
from server.middleware.limits import Limits
from server.script_scheduler import take_turns
from server.settings import check_address, server
from server.visitors import EXPORTS, Visits

# Whoever starts Streamlit on this file directly, without `likeness app`, meets the same check.
address = st.get_option("server.address") or "0.0.0.0"
check_address(address, server())
confine_server()

# Streamlit asks a service on the internet for this machine's address, before it prints links and where it meets a foreign origin.
net_util.get_external_ip = lambda: None

# Until `st.navigation` has run once, Streamlit takes the files in pages/ for pages of their own: a link to one, opened first, would show it bare.
PagesManager.uses_pages_directory = False

# Streamlit looks for components through all that is installed, which takes half a second; the app brings its own.
manifest_scanner.scan_component_manifests = lambda max_workers=None: []

# Each picture passes between threads some ten times, and waits so long each time while pages are computed; by default ten times as long.
sys.setswitchinterval(0.0005)

HERE = Path(__file__).parents[1]
# where the addresses of `api.picture_routes` begin
PICTURES = ("thumbnails", "pictures", "neighbors", "why", "labeled", "info", "queries", EXPORTS)


# what main.py and the first page are made of; both draw as soon as they are imported themselves
FIRST_PAGE = (
    *("navigation", "pages.explore.exporting", "pages.explore.matching", "pages.explore.table", "server.visitor_data"),
    *("parts.add_images", "parts.aspect_labels", "parts.clicks", "parts.maps", "parts.permissions"),
    *("parts.verdict", "parts.view_list", "parts.viewer", "parts.warm"),
)


def import_pages() -> None:
    """Imports what the first page needs, which takes about a second, and starts opening its images."""
    try:
        for module in FIRST_PAGE:
            import_module(module)
        from parts.warm import open_early
    except Exception:  # a broken installation: without pages there is nothing to serve
        traceback.print_exc()
        os._exit(1)

    open_early()


class PagesFirst:
    """Holds back sessions, pictures and programs until the pages are imported: if two threads import at once, one may find half a module.

    Args:
        app: the app behind it.
        importing: the importing thread.
    """

    def __init__(self, app: ASGIApp, importing: threading.Thread) -> None:
        self.app, self._importing = app, importing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" or (scope["type"] == "http" and scope["path"].lstrip("/").partition("/")[0] in (*PICTURES, "api", "mcp")):
            while self._importing.is_alive():
                await asyncio.sleep(0.005)
        await self.app(scope, receive, send)


class Pictures:
    """Routes each path in `PICTURES`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from api.picture_routes import ROUTES

        await Router(ROUTES)(scope, receive, send)


importing = threading.Thread(target=import_pages, daemon=True)


@asynccontextmanager
async def begin(app: object) -> AsyncIterator[None]:
    """Starts importing the pages and prints the app's address."""
    importing.start()
    print_link(prefix)
    async with programs_running():
        yield


prefix = take_path_prefix()
middleware = [Middleware(PathPrefix, prefix=prefix), Middleware(Visits, policy=start_page.content_policy()), *build_middleware(address)]
if server().shared:
    middleware.append(Middleware(Limits, settings=server()))
    take_turns()
    config.set_option("server.trustedUserHeaders", IDENTITY)
    from server.visitor_data import keep_house

    threading.Thread(target=keep_house, name="housekeeping", daemon=True).start()
middleware.append(Middleware(PagesFirst, importing=importing))
for_programs, programs_running = programs(server())
app = st.App(
    str(HERE / "main.py"),
    routes=[*start_page.routes(), *(Route(f"/{root}/{{below:path}}", Pictures()) for root in PICTURES), *for_programs],
    middleware=middleware,
    lifespan=begin,
)
