"""Continuous: images whose labels are places on a scale, and how near the labels of what spaces retrieve are."""

import numpy as np
import streamlit as st

import progress
from access import redact
from likeness.errors import InputError
from likeness.jobs import Job
from likeness.labels import LabelsConfig
from pages.continuous import job as continuous_job
from pages.continuous import labels as continuous_labels
from pages.continuous import numbers as continuous_numbers
from pages.continuous import pictures
from pages.continuous.job import Asked
from pages.continuous.labels import Labels
from shared import view


def main() -> None:
    """Draws the page."""
    seen = view.current()
    st.title("Continuous")
    st.caption(
        "Some labels are not classes but places on a scale: a pose, a viewpoint, the layout of a room, a caption. "
        "The nearer the labels of what a space retrieves are to the query's, the better the space."
    )
    if not continuous_labels.offered(seen.base.table):
        _nothing_to_judge_by()
        return
    chosen = _chosen(seen)
    if chosen is None:
        return
    labels = _labels(seen, chosen[0])
    if labels is not None:
        _show(seen, labels, chosen[1])


def _nothing_to_judge_by() -> None:
    st.info(
        "These images have no label on a scale. Bring them as a CSV file with a column of numbers, with joints (neck_x, neck_y and so on), with yaw "
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


def _labels(seen: view.View, config: LabelsConfig) -> Labels | None:
    """The labels, or None while they are being compared, which captions take long for."""
    job = continuous_labels.begin(seen, config)
    job.wait(0.4)
    with st.container():  # at the same place in every run, so that a late rerun of the fragment finds it
        st.fragment(_follow, run_every=None if job.finished else 0.5)(seen, config, job)
    labels: Labels | None = job.result if job.finished else None
    return labels


def _follow(seen: view.View, config: LabelsConfig, job: Job) -> None:
    with st.container():
        if not job.finished:
            progress.follow(job)
            progress.bar(job, "pairs of images", key="continuous_labels")
            st.session_state["continuous_reads"] = job.title
        elif st.session_state.pop("continuous_reads", None):
            st.rerun()
        elif job.error:
            st.error(redact(job.error), icon=":material/error:")
            st.button("Try again", icon=":material/replay:", on_click=continuous_labels.again, args=(seen, config))


def _show(seen: view.View, labels: Labels, drawn: bool) -> None:
    visible = labels.rows if seen.hidden is None else labels.rows[~seen.hidden[labels.rows]]
    places = np.searchsorted(labels.rows, visible).astype(np.int64)
    if not len(places):
        st.info("No image with a label matches the filters.", icon=":material/info:")
        return
    if labels.note:
        st.caption(f":material/info: {labels.note}")
    spaces = list({space.key: space for space in seen.spaces}.values())
    with st.container():  # at the same place in every run
        st.fragment(pictures.show)(seen, spaces, labels, places, drawn)
    if seen.b is None:
        st.caption(":material/info: Choose a space B in the sidebar to see two spaces side by side.")
    asked = Asked(spaces, labels, places)
    try:
        job = continuous_job.begin(asked)
    except InputError as error:
        st.info(redact(error), icon=":material/info:")
        return
    job.wait(0.2)
    continuous_numbers.show(asked, job, labels.distances.unit, continuous_labels.told(labels.config))


main()
