"""What `likeness app` serves: the Streamlit app and the routes that its pictures come from."""

import streamlit as st
from starlette.middleware import Middleware
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager

import routes
from access import confine_server
from server_settings import check_address, server
from visitors import Visits
from warm import open_early

# Whoever starts Streamlit on this file himself, without `likeness app`, meets the same check.
check_address(st.get_option("server.address") or "0.0.0.0", server())
confine_server()

# Until `st.navigation` has run once, Streamlit takes the files in pages/ for pages of their own: a link to one, opened first, would show it bare.
PagesManager.uses_pages_directory = False

# Streamlit looks for components through all that is installed, which takes half a second; the app brings its own.
manifest_scanner.scan_component_manifests = lambda max_workers=None: []

app = st.App("main.py", routes=routes.ROUTES, middleware=[Middleware(Visits)])
open_early()
