"""The app's menu: the list of pages. Each declares itself in its folder's `__init__.py`, so that the menu imports no page."""

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
# addresses of earlier versions -> current ones, so that old links work
MOVED = {"your_images": images.PAGE, "copies": duplicates.PAGE, "compare": methods.PAGE}


def menu() -> list[StreamlitPage]:
    """The pages for `st.navigation`: of each group only one is visible, the open one or the first."""
    here = find_page(urlsplit(st.context.url or "").path.rsplit("/", 1)[-1])
    entries = {page.group or page: page for page in reversed(PAGES)}
    if here.group:
        entries[here.group] = here
    return [page.entry(default=page is HOME, visible=entries[page.group or page] is page) for page in PAGES]


def find_page(address: str) -> AppPage:
    """The page at this address; the empty address is the home page."""
    return next((page for page in PAGES if page.address == address), HOME)


def show_paths(page: AppPage) -> None:
    """Draws links to the pages of a group above its pages, first those whose labels the images have."""
    if page.group is None:
        return
    paths = [each for each in PAGES if each.group is page.group]
    if State.view.is_set():
        table = state.view.base.table
        paths.sort(key=lambda each: not each.suits(table))
    with st.container(horizontal=True, gap="small", key="paths"):
        for each in paths:
            st.page_link(each.file, label=each.title, icon=f":material/{each.icon}:", help=each.help)
