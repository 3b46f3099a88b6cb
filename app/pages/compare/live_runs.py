"""A comparison as people see it: its start, bar and stop button while it runs, what is there so far, and how it ended."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from access import redact
from background import Job, Work, jobs, run_in_background
from shared import progress
from shared.plain import plain

_KIND, _KEPT = "comparisons", 256


@dataclass(frozen=True)
class MeasureRequest:
    """What the settings ask for.

    Attributes:
        key: equal for what has equal results.
        title: what people call it, "Comparison of car color".
        work: as `measuring` makes it.
        draw: draws the runs so far of the job.
        repeatable: it may be asked for again when it is complete, because it may then give more.
    """

    key: Hashable
    title: str
    work: Work
    draw: Callable[[Job], None]
    repeatable: bool = False


def measuring(study: Callable[..., object], *settings: Any, **options: Any) -> Work:
    """Work that calls `study`, a function of `likeness.studies`, and finds its runs one by one."""
    return lambda job: study(*settings, **options, progress=job.report, should_stop=job.should_stop, on_run=job.found.append)


def runs_of(job: Job) -> pd.DataFrame:
    """The runs so far, a row each."""
    return pd.DataFrame(list(job.found))


def start_button(label: str, request: MeasureRequest | None, key: str) -> None:
    """The primary button; asleep while nothing can be asked for, and where the answer is there or under way."""
    job = find(request) if request else None
    progress.redraw_after(job)
    answered = job is not None and (not job.finished or (job.succeeded and not (request and request.repeatable)))
    if st.button(label, type="primary", icon=":material/play_arrow:", disabled=request is None or answered, key=key) and request:
        begin(request)
        st.rerun()  # so that the button and the bar know of it


def find(request: MeasureRequest) -> Job | None:
    """The comparison that was asked for, under way or ended, or None."""
    return jobs().find(_KIND, request.key)


def begin(request: MeasureRequest) -> Job:
    """Starts a comparison; the one under way, if there is one of this key already."""

    return run_in_background(_KIND, request.key, request.title, request.work, unit="runs", anew=True, kept=_KEPT)


def show(slot: str, request: MeasureRequest | None, invitation: Callable[[], None]) -> None:
    """Shows what was asked for, or else what `slot` showed last; draws it anew every second while it runs.

    Called at a place that is the same in every run.
    """
    if request and find(request):
        st.session_state[f"shown_{slot}"] = request
    shown: MeasureRequest | None = st.session_state.get(f"shown_{slot}")
    if shown is None and request:
        invitation()
    elif shown and request and shown.key != request.key:
        st.caption(":material/info: The settings have changed; the result below is of the earlier ones.")
    job = find(shown) if shown else None
    waits = job is not None and not job.finished
    if job and waits:
        progress.tell_end(job)
    progress.poll(waits, lambda: job is None or job.finished, lambda: _draw(shown, job), every=1.0)


def _draw(shown: MeasureRequest | None, job: Job | None) -> None:
    if shown is None or job is None:
        return
    with st.container():
        if not job.finished:
            progress.bar(job)
        elif job.error:
            st.error(plain(redact(job.error)), icon=":material/error:")
        elif job.stopped:
            st.info(f"Stopped after {len(job.found):,} of {job.total:,} runs; what was finished is shown below.", icon=":material/pause:")
    shown.draw(job)
