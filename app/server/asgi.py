"""What `likeness app` serves: the Streamlit app and the routes that its pictures come from, behind the doors that keep strangers out."""

import sys
from functools import partial
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit import net_util
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager

from api import picture_routes
from api.programs_routes import programs
from parts.warm import open_early
from server import start_page
from server.access import confine_server
from server.addresses import PathPrefix, take_path_prefix
from server.middleware.build_middleware import build_middleware, printed_link
from server.middleware.limits import Limits
from server.script_scheduler import take_turns
from server.settings import check_address, server
from server.visitor_data import keep_house
from server.visitors import Visits

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
_SWITCH_SECONDS = 0.0005

prefix = take_path_prefix()
middleware = [Middleware(PathPrefix, prefix=prefix), Middleware(Visits, policy=start_page.content_policy()), *build_middleware(address)]
if server().shared:
    middleware.append(Middleware(Limits, settings=server()))
    take_turns()
    sys.setswitchinterval(_SWITCH_SECONDS)
    keep_house()
for_programs, lifespan = programs(server(), partial(printed_link, prefix=prefix))
app = st.App(
    str(Path(__file__).parents[1] / "main.py"),
    routes=[*start_page.routes(), *picture_routes.ROUTES, *for_programs],
    middleware=middleware,
    lifespan=lifespan,
)
open_early()
