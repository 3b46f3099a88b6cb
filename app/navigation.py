"""The menu of the app. Each page declares itself in its folder; one line here lists it."""

from streamlit.navigation.page import StreamlitPage

from pages.compare.page import PAGE as COMPARE
from pages.continuous.page import PAGE as CONTINUOUS
from pages.explore.page import PAGE as EXPLORE
from pages.notions.page import PAGE as NOTIONS
from pages.runs.page import PAGE as RUNS
from pages.saliency.page import PAGE as SALIENCY
from pages.semantics.page import PAGE as SEMANTICS
from pages.shifts.page import PAGE as SHIFTS
from pages.train.page import PAGE as TRAIN
from pages.your_images.page import PAGE as YOUR_IMAGES

# in the order of the menu; the first one opens the app
PAGES = [EXPLORE, COMPARE, SALIENCY, NOTIONS, TRAIN, RUNS, SEMANTICS, SHIFTS, CONTINUOUS, YOUR_IMAGES]


def menu() -> dict[str, list[StreamlitPage]]:
    """The listed pages by section, for `st.navigation`."""
    sections: dict[str, list[StreamlitPage]] = {}
    for page in PAGES:
        sections.setdefault(page.section, []).append(page.entry(default=page is PAGES[0]))
    return sections
