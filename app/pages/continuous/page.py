"""Continuous: images whose labels are places on a scale, and how near the labels of what spaces retrieve are."""

from pathlib import Path

import streamlit as st

from access import redact
from likeness.errors import InputError
from likeness.labels import ImageLabels, LabelsConfig
from pages.continuous import labels as continuous_labels
from pages.continuous import numbers, pictures
from shared import progress, view
from shared.app_page import AppPage

PAGE = AppPage(
    Path(__file__),
    "Continuous",
    section="Judge",
    icon="straighten",
    help="Judge spaces by labels on a scale, such as a pose, a viewpoint, a number or a caption.",
)


def main() -> None:
    """Draws the page."""
    seen = view.current()
    PAGE.show_head("The closer the labels of the retrieved images are to the query's label, the better the space.")
    if not continuous_labels.offered(seen.base.table):
        _nothing_to_judge_by()
        return
    chosen = _chosen(seen)
    if chosen is None:
        return
    job = continuous_labels.read(seen, chosen[0])
    if progress.follow(job):
        _show(seen, job.result, chosen[1])


def _nothing_to_judge_by() -> None:
    st.info(
        "These images have no labels on a scale. Add them as a CSV file with a column of numbers, with joints (neck_x, neck_y and so on), with yaw "
        "and elevation, with captions, or with a column 'layout' that names a picture of each room's surfaces.",
        icon=":material/info:",
    )
    st.page_link("pages/your_images/page.py", label="Bring images with such labels", icon=":material/add_photo_alternate:")


def _chosen(seen: view.View) -> tuple[LabelsConfig, bool] | None:
    """Which labels, and whether they are drawn; None where a choice is missing."""
    told = ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        try:
            config = continuous_labels.choose(seen)
        except InputError as error:
            told = redact(error)
        drawn = st.toggle("Draw labels", True, key="continuous_drawn", bind="query-params")
    if told:
        st.info(told, icon=":material/info:")
        return None
    return config, drawn


def _show(seen: view.View, labels: ImageLabels, drawn: bool) -> None:
    rows = labels.rows if seen.hidden is None else labels.rows[~seen.hidden[labels.rows]]
    if not len(rows):
        st.info("No image with a label matches the filters.", icon=":material/info:")
        return
    if labels.note:
        st.caption(f":material/info: {labels.note}")
    spaces = list({space.key: space for space in seen.spaces}.values())
    with st.container():  # at the same place in every run
        st.fragment(pictures.show)(seen, spaces, labels, rows, drawn)
    if seen.b is None:
        st.caption(":material/info: Choose a space B in the sidebar to see two spaces side by side.")
    numbers.show(spaces, labels, continuous_labels.key_of(seen, labels.config), rows, continuous_labels.told(labels.config))


if __name__ == "__main__":
    main()
