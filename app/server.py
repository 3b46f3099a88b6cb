"""What `likeness app` serves: the Streamlit app and the routes that its pictures come from."""

import routes
import streamlit as st

app = st.App("main.py", routes=routes.ROUTES)
