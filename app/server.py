"""What `likeness app` serves: the Streamlit app and the routes that its pictures come from."""

import streamlit as st

import routes

app = st.App("main.py", routes=routes.ROUTES)
