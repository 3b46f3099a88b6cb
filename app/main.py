"""The app's frame: pages, sidebar, and what they share."""

from pathlib import Path

import streamlit as st

from access import confine_server, redact
from likeness.errors import InputError
from navigation import menu
from shared import account_line, drafts, layouts, progress, selection, sidebar, trained
from shared.view import set_view
from visitor_data import note_visit
from warm import warm_up
from widget_values import check_widget_values

HERE = Path(__file__).parent

confine_server()  # also where main.py is served by itself
check_widget_values()

st.set_page_config(page_title="Likeness", page_icon=HERE / "logo.svg", layout="wide")
st.logo(HERE / "wordmark.svg", size="large", icon_image=HERE / "logo.svg")

page = st.navigation(menu())
st.html(HERE / "style.css")
account_line.begin_anew_for_another()
note_visit()
selection.keep_in_url()
drafts.keep_in_url()
watcher = st.container()  # above the page, at the same place in every run
try:
    set_view(sidebar.choose())
    page.run()
except trained.StillEmbedding as waiting:
    trained.show(waiting)
except InputError as error:
    st.error(redact(error), icon=":material/error:")
with watcher:
    progress.watch()
    layouts.watch()
account_line.show()
warm_up()
