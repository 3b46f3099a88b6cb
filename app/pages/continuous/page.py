"""Continuous: how near the labels of retrieved images are, for labels on a scale."""

import streamlit as st

from likeness.errors import InputError
from likeness.labels import ImageLabels, LabelsConfig
from pages.continuous import PAGE, labels as continuous_labels, numbers, pictures
from parts import progress
from parts.on_request import jobs_on_request
from parts.plain import plain
from parts.view import View, current_view
from server.access import redact

_SLOW = ("captions", "layout")  # kinds of labels whose distances take long


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head("The closer the labels of the retrieved images are to the query's label, the better the space.")
    if not continuous_labels.offered(view.base.table):
        _nothing_to_judge_by()
        return
    chosen = _chosen(view)
    if chosen is None:
        return
    request = continuous_labels.read(view, chosen[0])
    if chosen[0].kind in _SLOW:
        help = "**How near are the labels of images?** Compares the labels of all images; this can take a while and is kept for the next time."
        begun = jobs_on_request("Compare labels", help, request)
    else:
        begun = [request.begin()]
    if begun and progress.follow(*begun):
        _show(view, begun[0].result, chosen[1])


def _nothing_to_judge_by() -> None:
    st.info(
        "This page needs labels on a scale, such as a price, a year or a size, and these images have none. Add a CSV or Parquet file with a column "
        "of paths and a column of numbers. Joints (neck_x, neck_y, ...), yaw and elevation, captions, and a column 'layout' with a picture of "
        "the surfaces of each room work, too.",
        icon=":material/info:",
    )
    st.page_link("pages/images/page.py", label="Add images with such labels", icon=":material/add_photo_alternate:")


def _chosen(view: View) -> tuple[LabelsConfig, bool] | None:
    """Which labels, and whether they are drawn; None where a choice is missing."""
    message = ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        try:
            config = continuous_labels.choose(view)
        except InputError as error:
            message = redact(error)
        drawn = st.toggle("Draw labels", True, key="continuous_drawn", bind="query-params")
    if message:
        st.info(plain(message), icon=":material/info:")
        return None
    return config, drawn


def _show(view: View, labels: ImageLabels, drawn: bool) -> None:
    rows = labels.rows if view.hidden is None else labels.rows[~view.hidden[labels.rows]]
    if not len(rows):
        st.info("No image with a label matches the filters.", icon=":material/info:")
        return
    if labels.note:
        st.caption(f":material/info: {plain(labels.note)}")
    spaces = list({space.key: space for space in view.spaces}.values())
    with st.container():  # at the same place in every run
        st.fragment(pictures.show)(view, spaces, labels, rows, drawn)
    if view.b is None:
        st.caption(":material/info: Choose a space for the right map in the sidebar to compare two spaces.")
    numbers.show(spaces, labels, continuous_labels.key_of(view, labels.config), rows, continuous_labels.distance_help(labels.config))


main()
