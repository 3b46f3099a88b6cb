"""Work in the background as people see it: a bar with rate and remaining time, a stop, and word of its end on whatever page they are."""

from collections.abc import Callable, Sequence

import streamlit as st

from parts.plain import plain
from server.access import redact
from server.jobs import Job, jobs
from state import Item

_WAIT = 0.4


class NotEmbeddedYet(Exception):  # noqa: N818  (an answer, not an error)
    """What a page is to show is still being embedded, by this job."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.title)
        self.job = job


_notifications = Item[list[Job]](make=list, key="progress_notifications")  # jobs whose end this session is told of
_stand_ins = Item[list[Callable[[], bool]]](make=list, key="progress_stand_ins")  # whether results are there that something stood in for in this run


def poll(waits: bool, ready: Callable[[], bool], draw: Callable[[], None] | None = None, *, every: float | None = 0.5) -> None:
    """Draws something, again every while, and once what it waits for is there the whole page. Called at a place that is the same in every run.

    Args:
        waits: whether this run drew anything in place of a result, as it was found where that was drawn: whoever looks again afterward misses a
            result that has come in between, and what stands in its place stays.
        ready: whether the result is there now; where it is, a run must draw it.
        draw: draws what changes meanwhile.
        every: seconds; None: only with the page.
    """
    with st.container():  # there in every run, so that a late rerun of the fragment finds its place
        if waits or draw:  # a fragment that has nothing to do still takes some milliseconds
            st.fragment(_poll, run_every=every if waits else None)(waits, ready, draw)


def _poll(waits: bool, ready: Callable[[], bool], draw: Callable[[], None] | None) -> None:
    if waits and ready():
        st.rerun()
    with st.container():
        if draw:
            draw()


def follow(*jobs: Job, resume: str = "Try again", stopped: str = "", wait: float = _WAIT, place: str = "") -> bool:
    """Shows how far jobs are until all have ended, and then why one did not end well, with a button that starts it again.

    Args:
        jobs: what a page waits for.
        resume: the button's label after a stop.
        stopped: a sentence on what a stop left; by default how far the job came.
        wait: seconds in which no bar is shown.
        place: where on the page, if the same jobs are shown at another place as well.

    Returns:
        Whether all have ended well.
    """
    for job in jobs:
        if not job.wait(wait):
            notify_when_done(job)
    finished = all(job.finished for job in jobs)
    poll(not finished, lambda: all(job.finished for job in jobs), None if finished else lambda: bars(jobs, place))
    if not finished:
        return False
    reasons: dict[str, list[Job]] = {}  # one of each is told, however many jobs it has ended
    for job in jobs:
        cancel_notification(job)
        if not job.succeeded:
            reasons.setdefault(job.error or f"stopped {job.id}", []).append(job)
    for first, *others in reasons.values():
        _tell_why(first, stopped)
        label = "Try again" if first.error else resume
        st.button(label, icon=":material/replay:", key=f"again_{place}{first.id}", on_click=_begin_again, args=([first, *others],))
    return not reasons


def _begin_again(ended: Sequence[Job]) -> None:
    for job in ended:
        jobs().again(job)


def bars(jobs: Sequence[Job], place: str = "") -> None:
    """Those under way, each with the button that stops it; inside what `poll` draws."""
    for job in jobs:
        if job.finished:
            continue
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            stage = job.stage
            done, total = (stage.done, stage.total) if stage else (job.done, job.total)
            said = (f"{stage.what}, {done:,} of {total:,}" if total else stage.what) if stage else _standing(job)
            st.progress(min(done / total, 1.0) if total else 0.0, f"{plain(job.title)}: {plain(said)}")
            if job.stoppable:
                stopping = job.stopped
                key = f"stop_{place}{job.id}"
                st.button("Stopping" if stopping else "Stop", key=key, icon=":material/stop:", on_click=job.stop, disabled=stopping)


def _tell_why(job: Job, stopped: str) -> None:
    if job.error:
        st.error(plain(redact(job.error)), icon=":material/error:")
    else:
        st.info(stopped or f"Stopped after {job.done:,} of {job.total:,} {job.unit}.", icon=":material/pause:")


def _standing(job: Job) -> str:
    if not job.total:
        return "getting ready"
    if job.done >= job.total:
        return f"{job.total:,} {job.unit}, finishing"
    left = f", {duration(job.seconds_left)} left" if job.seconds_left else ""  # 0: it takes longer than was estimated
    return f"{job.done:,} of {job.total:,} {job.unit}{rate(job.rate)}{left}"


def rate(per_second: float) -> str:
    """`, 3.2 a second`, `, 12 a minute`; nothing before there is one."""
    if per_second < 1:
        return f", {60 * per_second:.0f} a minute" if per_second > 1 / 60 else ""
    return f", {per_second:,.0f} a second" if per_second >= 10 else f", {per_second:.1f} a second"


def duration(seconds: float) -> str:
    """`40 s`, `3 min`, `5 h`, `3 days`."""
    for most, divisor, unit in ((90, 1, "s"), (90 * 60, 60, "min"), (48 * 3600, 3600, "h")):
        if seconds < most:
            return f"{seconds / divisor:.0f} {unit}"
    return f"{seconds / 86_400:,.0f} days"


def redraw_when(ready: Callable[[], bool]) -> None:
    """Has the page redrawn once a result is there; called where something is drawn in its place, in each run that does so."""
    _stand_ins.get().append(ready)


def notify_when_done(job: Job) -> None:
    """Notifies this session when `job` has ended, on whatever page it is then."""
    if job not in _notifications.get():
        _notifications.get().append(job)


def cancel_notification(job: Job) -> None:
    """Its end is seen where it is drawn, so no notification follows."""
    if job in _notifications.get():
        _notifications.get().remove(job)


def watch() -> None:
    """Tells of the ends of jobs, and redraws the page for `redraw_when`; called once a run, after the page, at a place that is the same in
    every run."""
    awaited = _notifications.get()
    for job in [job for job in awaited if job.finished]:
        awaited.remove(job)
        if job.error:
            st.toast(f"{plain(job.title)}: {plain(redact(job.error))}", icon=":material/error:", duration="long")
        elif not job.stopped:
            st.toast(f"{plain(job.title)}: done", icon=":material/check:", duration="long")
    poll(bool(awaited), lambda: any(job.finished for job in awaited), every=1.5)
    stand_ins = _stand_ins.take()
    poll(bool(stand_ins), lambda: any(ready() for ready in stand_ins))
