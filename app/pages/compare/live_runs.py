"""A comparison as people see it: its start, bar and stop button while it runs, what is there so far, and how it ended."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

import progress
from access import redact
from pages.compare import job as comparison_job
from pages.compare.job import Compute, LiveRuns


@dataclass(frozen=True)
class Asked:
    """What the settings ask for.

    Attributes:
        key: equal for what has equal results.
        title: what people call it, "Comparison of car color".
        compute: the work, as `comparison_job.begin` takes it.
        draw: draws the runs so far.
        repeatable: it may be asked for again when it is complete, because it may then give more.
    """

    key: str
    title: str
    compute: Compute
    draw: Callable[[LiveRuns], None]
    repeatable: bool = False


def start_button(label: str, asked: Asked | None, key: str) -> None:
    """The primary button; asleep while nothing can be asked for, and where the answer is there or under way."""
    live = comparison_job.find(asked.key) if asked else None
    answered = live is not None and (live.running or (live.complete and not (asked and asked.repeatable)))
    if st.button(label, type="primary", icon=":material/play_arrow:", disabled=asked is None or answered, key=key) and asked:
        comparison_job.begin(asked.key, asked.title, asked.compute)
        st.rerun()  # so that the button and the bar know of it


def show(slot: str, asked: Asked | None, invitation: Callable[[], None]) -> None:
    """Shows what was asked for, or else what `slot` showed last; draws it anew every second while it runs.

    Called at a place that is the same in every run.
    """
    if asked and comparison_job.find(asked.key):
        st.session_state[f"shown_{slot}"] = asked
    shown: Asked | None = st.session_state.get(f"shown_{slot}")
    if shown is None and asked:
        invitation()
    elif shown and asked and shown.key != asked.key:
        st.caption(":material/info: The settings have changed since; below stands the earlier result.")
    live = comparison_job.find(shown.key) if shown else None
    running = live is not None and live.running
    if live is not None and running:
        progress.follow(live.job)
    with st.container():  # there in every run, so that a late rerun of the fragment finds its place
        if shown:
            st.fragment(_redraw, run_every=1.0 if running else None)(shown)


def _redraw(shown: Asked) -> None:
    live = comparison_job.find(shown.key)
    if live is None:
        return
    with st.container():
        if live.running:
            progress.bar(live.job, "runs", key=shown.key, stage=live.stage)
        elif live.job.error:
            st.error(redact(live.job.error), icon=":material/error:")
        elif live.job.stopped:
            st.info(f"Stopped after {len(live.rows):,} of {live.job.total:,} runs; what was finished stands below.", icon=":material/pause:")
    shown.draw(live)
