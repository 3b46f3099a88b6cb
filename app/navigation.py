"""The menu of the app. Each page declares itself in its folder, in `__init__.py`, so that the menu imports no page; here they are listed."""

from streamlit.navigation.page import StreamlitPage

from pages.compare import PAGE as COMPARE
from pages.continuous import PAGE as CONTINUOUS
from pages.copies import PAGE as COPIES
from pages.explore import PAGE as EXPLORE
from pages.label import PAGE as LABEL
from pages.notions import PAGE as NOTIONS
from pages.runs import PAGE as RUNS
from pages.saliency import PAGE as SALIENCY
from pages.semantics import PAGE as SEMANTICS
from pages.shifts import PAGE as SHIFTS
from pages.train import PAGE as TRAIN
from pages.your_images import PAGE as YOUR_IMAGES
from shared.app_page import AppPage

# in the order of the menu; the first one opens the app
PAGES = [EXPLORE, COMPARE, SALIENCY, NOTIONS, TRAIN, RUNS, SEMANTICS, SHIFTS, CONTINUOUS, LABEL, COPIES, YOUR_IMAGES]


def menu() -> dict[str, list[StreamlitPage]]:
    """The listed pages by section, for `st.navigation`."""
    sections: dict[str, list[StreamlitPage]] = {}
    for page in PAGES:
        sections.setdefault(page.section, []).append(page.entry(default=page is PAGES[0]))
    return sections


def find_page(address: str) -> AppPage:
    """The listed page of this address; the first one also has the empty address."""
    return next((page for page in PAGES if page.address == address), PAGES[0])
