"""The menu of the app. Each page declares itself in its folder, in `__init__.py`, so that the menu imports no page; here they are listed."""

from urllib.parse import urlsplit

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages import continuous, duplicates, explore, images, label, methods, notions, runs, saliency, semantics, shifts, train, what_changed
from parts.app_page import AppPage
from state import State, state

# in the order of the menu, and of the paths within a group
PAGES = [
    *(images.PAGE, explore.PAGE, notions.PAGE, label.PAGE, duplicates.PAGE),
    *(train.PAGE, runs.PAGE),
    *(methods.PAGE, what_changed.PAGE, saliency.PAGE, semantics.PAGE, shifts.PAGE, continuous.PAGE),
]
HOME = explore.PAGE
# addresses of earlier versions -> those of today, which links that people kept are led to
MOVED = {"your_images": images.PAGE, "copies": duplicates.PAGE, "compare": methods.PAGE}


def menu() -> list[StreamlitPage]:
    """The listed pages for `st.navigation`: of each group one is visible, the one that is open or else the first."""
    here = find_page(urlsplit(st.context.url or "").path.rsplit("/", 1)[-1])
    entries = {page.group or page: page for page in reversed(PAGES)}
    if here.group:
        entries[here.group] = here
    return [page.entry(default=page is HOME, visible=entries[page.group or page] is page) for page in PAGES]


def find_page(address: str) -> AppPage:
    """The listed page of this address; the app's root has the empty one."""
    return next((page for page in PAGES if page.address == address), HOME)


def show_paths(page: AppPage) -> None:
    """Draws links to the pages of its group, above a page that is in one: first those that the labels of the images allow."""
    if page.group is None:
        return
    paths = [each for each in PAGES if each.group is page.group]
    if State.view.is_set():
        table = state.view.base.table
        paths.sort(key=lambda each: not each.suits(table))
    with st.container(horizontal=True, gap="small", key="paths"):
        for each in paths:
            st.page_link(each.file, label=each.title, icon=f":material/{each.icon}:", help=each.help)
