"""The app's frame: pages, sidebar, and what they share."""

from pathlib import Path

import streamlit as st

import drafts
import layouts
import progress
import selection
import sidebar
import trained
import view
from likeness.errors import InputError
from warm import warm_up

HERE = Path(__file__).parent

st.set_page_config(page_title="Likeness", page_icon=HERE / "logo.svg", layout="wide")
st.logo(HERE / "wordmark.svg", size="large", icon_image=HERE / "logo.svg")

page = st.navigation(
    {
        "Look": [
            st.Page("pages/explore.py", title="Explore", icon=":material/scatter_plot:", default=True),
            st.Page("pages/compare.py", title="Compare", icon=":material/leaderboard:"),
            st.Page("pages/saliency.py", title="Saliency", icon=":material/center_focus_strong:"),
        ],
        "Shape": [
            st.Page("pages/notions.py", title="Notions", icon=":material/tune:"),
            st.Page("pages/train.py", title="Train", icon=":material/model_training:"),
            st.Page("pages/runs.py", title="Runs", icon=":material/monitoring:"),
        ],
        "Judge": [
            st.Page("pages/semantics.py", title="Semantics", icon=":material/translate:"),
            st.Page("pages/shifts.py", title="Shifts", icon=":material/moving:"),
            st.Page("pages/continuous.py", title="Continuous", icon=":material/straighten:"),
        ],
        "Data": [st.Page("pages/your_images.py", title="Your images", icon=":material/add_photo_alternate:")],
    }
)
st.html(HERE / "style.css")
selection.keep_in_url()
drafts.keep_in_url()
watcher = st.container()  # above the page, at the same place in every run
try:
    view.show(sidebar.choose())
    page.run()
except trained.StillEmbedding as waiting:
    trained.show(waiting)
except InputError as error:
    st.error(str(error), icon=":material/error:")
with watcher:
    progress.watch()
    layouts.watch()
warm_up()
