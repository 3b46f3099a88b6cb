"""The app's frame: pages, sidebar, and what they share."""

from pathlib import Path

import streamlit as st

import hand_labels
from access import confine_server, redact
from components.theme_switch import theme_switch
from likeness.errors import InputError
from navigation import PAGES, find_page, menu
from shared import account_line, aspect_labels, drafts, growing, link, problems, progress, selection, sidebar, trained, view_list
from shared.app_page import AppPage
from shared.plain import plain
from shared.view import current_view, forget_view, set_view
from visitor_data import note_visit
from warm import warm_up
from widget_values import check_widget_values

HERE = Path(__file__).parent


def look(page: AppPage, first_screen: bool) -> bool:
    """Draws the sidebar and makes what is chosen in it the view; False where the page can show nothing of it."""
    try:
        set_view(sidebar.choose(page.needs, first_screen))
    except growing.NothingYet:
        forget_view()
        if page.needs != "nothing":
            raise
        return True
    except InputError as error:
        forget_view()
        tell(redact(error))
        return page.needs == "nothing"
    aspect_labels.tell_damaged(current_view())
    return True


def tell(problem: str) -> None:
    """Says why there is nothing to see, with a button that tries again, and the way to other images."""
    st.error(plain(problem), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Try again", icon=":material/replay:", key="try_again")  # any click draws the page anew
        st.page_link("pages/your_images/page.py", label="To your images", icon=":material/add_photo_alternate:")


confine_server()  # also where main.py is served by itself
check_widget_values()

st.set_page_config(page_title="Likeness", page_icon=HERE / "logo.svg", layout="wide")
st.logo(HERE / "wordmark.svg", size="large", icon_image=HERE / "logo.svg")

chosen = st.navigation(menu())
st.html(HERE / "style.css")
with st.sidebar, st.container(key="theme"):
    theme_switch()
account_line.begin_anew_for_another()
note_visit()
hand_labels.look_anew()
link.begin(chosen.url_path)
problems.begin()
selection.keep_in_url()
view_list.take_link()
drafts.keep_in_url()
said, watcher = st.container(), st.container()  # above the page, at the same place in every run
complete = False
try:
    if look(find_page(chosen.url_path), first_screen=not chosen.url_path):
        chosen.run()
    complete = True
except growing.NothingYet as waiting:
    growing.wait(waiting)
except trained.StillEmbedding as waiting:
    trained.show(waiting)
except InputError as error:
    tell(redact(error))
with said:
    link.end(chosen.url_path, complete)
with watcher:
    progress.watch()
view_list.show(chosen.url_path, {page.address: page.title for page in PAGES} | {"": PAGES[0].title})
account_line.show()
warm_up()
drafts.follow_other_tabs()
