"""Shifts: how far train and test classes lie apart, and which methods hold up as they drift."""

import streamlit as st

from access import redact
from likeness.errors import InputError
from pages.shifts import PAGE, benchmark_view, settings, steps_view
from shared import aspect_labels
from shared.plain import plain
from shared.view import View, current_view

_APART, _HOLDS = "How far apart", "What holds up"


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head()
    distances, benchmarks = st.tabs([_APART, _HOLDS], key="shifts", on_change="rerun", bind="query-params")
    if distances.open:
        with distances:
            _distances(view)
    if benchmarks.open:
        with benchmarks:
            benchmark_view.show(view)


def _distances(view: View) -> None:
    if not view.base.table.attributes:
        aspect_labels.offer(view, "This page divides classes into train and test, and these images have no labels that would be classes.")
        return
    try:
        shown = settings.choose(view)
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")
        return
    if shown is not None:
        aspect_labels.caution(shown.attributes)
        steps_view.show(view, shown)


main()
