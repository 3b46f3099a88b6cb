"""The menu of the app. Each page declares itself in its folder, in `__init__.py`, so that the menu imports no page; here they are listed."""

from urllib.parse import urlsplit

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.continuous import PAGE as CONTINUOUS
from pages.duplicates import PAGE as DUPLICATES
from pages.explore import PAGE as EXPLORE
from pages.images import PAGE as IMAGES
from pages.label import PAGE as LABEL
from pages.methods import PAGE as METHODS
from pages.notions import PAGE as NOTIONS
from pages.runs import PAGE as RUNS
from pages.saliency import PAGE as SALIENCY
from pages.semantics import PAGE as SEMANTICS
from pages.shifts import PAGE as SHIFTS
from pages.train import PAGE as TRAIN
from pages.what_changed import PAGE as WHAT_CHANGED
from parts.app_page import AppPage
from state import State, state

# in the order of the menu, and of the paths within a group
PAGES = [
    *(IMAGES, EXPLORE, NOTIONS, LABEL, DUPLICATES),
    *(TRAIN, RUNS),
    *(METHODS, WHAT_CHANGED, SALIENCY, SEMANTICS, SHIFTS, CONTINUOUS),
]
HOME = EXPLORE
# addresses of earlier versions -> those of today, which links that people kept are led to
MOVED = {"your_images": IMAGES, "copies": DUPLICATES, "compare": METHODS}


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
            st.page_link(each.folder / "page.py", label=each.title, icon=f":material/{each.icon}:", help=each.help)
