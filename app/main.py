"""Entry script of the app: draws the sidebar, the current page, and what all pages share."""

from pathlib import Path

import streamlit as st

from likeness.errors import InputError
from navigation import HOME, PAGES, find_page, menu, show_paths
from parts import aspect_labels, drafts, errors, growing, link, permissions, progress, selection, sidebar, view_list, viewer
from parts.app_page import AppPage
from parts.component import check_widget_values, renderer
from parts.plain import prose
from parts.view import current_view
from parts.warm import warm_up
from server import hand_labels
from server.access import confine_server, redact
from server.visitor_data import note_visit
from state import state

HERE = Path(__file__).parent


def draw_sidebar(page: AppPage, first_screen: bool) -> bool:
    """Draws the sidebar and stores its choices in `state.view`; False if the page cannot be drawn."""
    try:
        state.view = sidebar.choose(page.needs, first_screen)
    except progress.NotEmbeddedYet:
        del state.view
        if page.needs != "nothing":
            raise
        return True
    except InputError as error:
        del state.view
        show_error(redact(error))
        return page.needs == "nothing"
    aspect_labels.tell_damaged(current_view())
    return True


def show_error(problem: str) -> None:
    """Shows an error with a retry button and a link to the page Images."""
    st.error(prose(problem), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Try again", icon=":material/replay:", key="try_again")  # any click draws the page again
        st.page_link("pages/images/page.py", label="Go to Images", icon=":material/add_photo_alternate:")


confine_server()  # also where main.py is served by itself
check_widget_values()

st.set_page_config(page_title="Likeness", page_icon=HERE / "logo.svg", layout="wide")
st.logo(HERE / "wordmark.svg", size="large", icon_image=HERE / "logo.svg")

chosen = st.navigation(menu())
st.html(HERE / "style.css")
with st.sidebar, st.container(key="theme"):
    renderer("theme_switch")(key="theme_switch")
permissions.reset_for_another_account()
note_visit()
hand_labels.reset_label_versions()
link.begin(chosen.url_path)
errors.begin()
selection.keep_in_url()
view_list.take_link()
drafts.keep_in_url()
messages, watcher, paths = st.container(), st.container(), st.container()  # above the page, at the same place in every run
complete = False
page = find_page(chosen.url_path)
try:
    try:
        is_drawn = draw_sidebar(page, first_screen=page is HOME)
    finally:
        with paths:
            show_paths(page)
    if is_drawn:
        if page.needs != "nothing":
            with watcher:
                viewer.draw(page.address)
        chosen.run()
    complete = True
except progress.NotEmbeddedYet as waiting:
    growing.wait(waiting)
except InputError as error:
    show_error(redact(error))
with messages:
    link.end(chosen.url_path, complete)
with watcher:
    progress.watch()
view_list.show(chosen.url_path, {page.address: page.title for page in PAGES} | {"": HOME.title})
permissions.show_account()
warm_up()
drafts.follow_other_tabs()
