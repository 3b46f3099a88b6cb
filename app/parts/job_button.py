"""A button that begins work in the background, and in its place how far that is, until what it is of changes."""

from collections.abc import Hashable
from typing import Any

import streamlit as st

from parts import progress
from server.jobs import Job, Work, jobs, run_in_background
from state import Item


class _Kept:
    """wanted: the key of the job that was asked for last, by its place."""

    prefix = "job_button_"
    wanted = Item[dict[str, Hashable]](make=dict)


_kept = _Kept()


def job_button(label: str, place: str, kind: str, key: Hashable, title: str, work: Work, *, stopped: str, kept: int, **looks: Any) -> Job | None:
    """Draws the button, or the progress of the job that a click on it began; the job once it has ended well.

    Args:
        label: of the button.
        place: where on the page; of each place, what was asked for last is kept.
        kind, key, title, work, kept: of `run_in_background`. With another key the button is there again.
        stopped: a sentence on what a stop left.
        looks: of the button, as `icon` and `help`.
    """
    if _kept.wanted.get(place) != key:
        st.button(label, key=f"make_{place}", on_click=_want, args=(place, kind, key), **looks)
        return None
    job = run_in_background(kind, key, title, work, max_finished=kept)
    return job if progress.follow(job, stopped=stopped, place=place) else None


def forget(place: str, job: Job) -> None:
    """Draws the button again: what the job made is not there any more."""
    _kept.wanted.pop(place, None)
    jobs().forget(job)


def _want(place: str, kind: str, key: Hashable) -> None:
    """What was stopped or went wrong before, perhaps on another page, is started again."""
    _kept.wanted[place] = key
    before = jobs().find(kind, key)
    if before is not None and not before.succeeded:
        jobs().forget(before)
