"""The app's frame: pages, sidebar, and what they share."""

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from access import confine_server, redact
from likeness.errors import InputError
from shared import drafts, layouts, progress, selection, sidebar, trained, view
from warm import warm_up

HERE = Path(__file__).parent

confine_server()  # also where main.py is served by itself

st.set_page_config(page_title="Likeness", page_icon=HERE / "logo.svg", layout="wide")
st.logo(HERE / "wordmark.svg", size="large", icon_image=HERE / "logo.svg")


def _page(folder: str, title: str, icon: str, default: bool = False) -> StreamlitPage:
    """The page in `pages/<folder>`, which also is its address."""
    return st.Page(f"pages/{folder}/page.py", title=title, icon=f":material/{icon}:", url_path=folder, default=default)


page = st.navigation(
    {
        "Look": [
            _page("explore", "Explore", "scatter_plot", default=True),
            _page("compare", "Compare", "leaderboard"),
            _page("saliency", "Saliency", "center_focus_strong"),
        ],
        "Shape": [
            _page("notions", "Notions", "tune"),
            _page("train", "Train", "model_training"),
            _page("runs", "Runs", "monitoring"),
        ],
        "Judge": [
            _page("semantics", "Semantics", "translate"),
            _page("shifts", "Shifts", "moving"),
            _page("continuous", "Continuous", "straighten"),
        ],
        "Data": [_page("your_images", "Your images", "add_photo_alternate")],
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
    st.error(redact(error), icon=":material/error:")
with watcher:
    progress.watch()
    layouts.watch()
warm_up()
