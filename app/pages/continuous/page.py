"""Page Continuous: how near the labels of retrieved images are, for labels on a scale."""

import streamlit as st

from likeness.labels import ImageLabels
from pages.continuous import PAGE, labels as continuous_labels, numbers, pictures
from parts import progress
from parts.app_page import show_missing
from parts.on_request import jobs_on_request
from parts.plain import plain
from parts.view import View, current_view

_SLOW = ("captions", "layout")  # kinds of labels whose distances take long
_NEEDED = (
    "This page needs a number for each image, such as a price, a year or a size. Add the images with a table (CSV or "
    "Parquet) that has a column of paths and a column of numbers. Other labels on a scale work, too: the joints of a pose (columns neck_x, neck_y "
    "and so on), yaw and elevation, captions, and a column 'layout' with a picture of the surfaces of each room."
)


def main() -> None:
    view = current_view()
    PAGE.show_head("The closer the labels of the retrieved images are to the query's label, the better the space.")
    if not continuous_labels.offered(view.base.table):
        show_missing(_NEEDED, label="Add images with numbers")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        config = continuous_labels.choose(view)
        drawn = st.toggle("Draw labels", True, key="continuous_drawn", bind="query-params")
    if config is None:
        st.info("Choose a column of numbers to compare images by.", icon=":material/info:")
        return
    request = continuous_labels.read(view, config)
    if config.kind in _SLOW:
        help = "**How near are the labels of images?** Compares the labels of all images. This can take a while; the result is stored."
        begun = jobs_on_request("Compare labels", help, request)
    else:
        begun = [request.begin()]
    if begun and progress.follow(*begun):
        _show(view, begun[0].result, drawn)


def _show(view: View, labels: ImageLabels, drawn: bool) -> None:
    rows = view.visible(labels.rows)
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
