"""Continuous: images whose labels are places on a scale, and how near the labels of what spaces retrieve are."""

import streamlit as st

from access import redact
from likeness.errors import InputError
from likeness.labels import ImageLabels, LabelsConfig
from pages.continuous import PAGE, labels as continuous_labels, numbers, pictures
from shared import progress
from shared.plain import plain
from shared.view import View, current_view


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
    job = continuous_labels.read(view, chosen[0])
    if progress.follow(job):
        _show(view, job.result, chosen[1])


def _nothing_to_judge_by() -> None:
    st.info(
        "This page needs labels on a scale, by which images are near or far, and these images have none. Bring a CSV or Parquet file with a column "
        "of paths and a column of numbers, such as a price, a year or a size. Also taken: joints (neck_x, neck_y and so on), yaw and elevation, "
        "captions, and a column 'layout' that names a picture of each room's surfaces.",
        icon=":material/info:",
    )
    st.page_link("pages/your_images/page.py", label="Bring images with such labels", icon=":material/add_photo_alternate:")


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
        st.caption(":material/info: Choose a space B in the sidebar to see two spaces side by side.")
    numbers.show(spaces, labels, continuous_labels.key_of(view, labels.config), rows, continuous_labels.distance_help(labels.config))


main()
