"""What `likeness app` serves: the Streamlit app and the routes that its pictures come from."""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

import routes

# Until `st.navigation` has run once, Streamlit takes the files in pages/ for pages of their own: a link to one, opened first, would show it bare.
PagesManager.uses_pages_directory = False

app = st.App("main.py", routes=routes.ROUTES)
