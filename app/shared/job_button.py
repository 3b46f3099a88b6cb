"""A button that begins work in the background, and in its place how far that is, until what it is of changes."""

from collections.abc import Hashable
from typing import Any

import streamlit as st

import background
from background import Job, Work
from shared import progress


def job_button(label: str, place: str, kind: str, key: Hashable, title: str, work: Work, *, stopped: str, kept: int, **looks: Any) -> Job | None:
    """Draws the button, or the progress of the job that a click on it began; the job once it has ended well.

    Args:
        label: of the button.
        place: where on the page; of each place, what was asked for last is kept.
        kind, key, title, work, kept: of `background.run_in_background`. With another key the button is there again.
        stopped: a sentence on what a stop left.
        looks: of the button, as `icon` and `help`.
    """
    if st.session_state.get(place) != key:
        st.button(label, key=f"make_{place}", on_click=_want, args=(place, kind, key), **looks)
        return None
    job = background.run_in_background(kind, key, title, work, kept=kept)
    return job if progress.follow(job, stopped=stopped, place=place) else None


def forget(place: str, job: Job) -> None:
    """Draws the button again: what the job made is not there any more."""
    st.session_state.pop(place, None)
    background.jobs().forget(job)


def _want(place: str, kind: str, key: Hashable) -> None:
    """What was stopped or went wrong before, perhaps on another page, is begun anew."""
    st.session_state[place] = key
    before = background.jobs().find(kind, key)
    if before is not None and not before.succeeded:
        background.jobs().forget(before)
