"""Progress of background jobs: a bar with rate and remaining time, a stop button, and a notification at the end on any page."""

from collections.abc import Callable, Sequence

import streamlit as st

from parts.plain import plain, prose
from server.access import redact
from server.jobs import Job, jobs
from state import Item

_WAIT = 0.4


class NotEmbeddedYet(Exception):  # noqa: N818  (an answer, not an error)
    """The page's content is still being embedded, by this job."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.title)
        self.job = job


_notifications = Item[list[Job]](make=list, key="progress_notifications")  # jobs whose end this session is told of
_stand_ins = Item[list[Callable[[], bool]]](make=list, key="progress_stand_ins")  # checks for results that had a placeholder in this run


def poll(waits: bool, ready: Callable[[], bool], draw: Callable[[], None] | None = None, *, every: float | None = 0.5) -> None:
    """Draws something repeatedly, and reruns the whole page once its result is ready. Call it at the same place in every run.

    Args:
        waits: whether this run drew a placeholder. Decide it where the placeholder is drawn: a later check misses a result that has become ready
            in between, and the placeholder stays.
        ready: whether the result is ready now; a run must then draw it.
        draw: draws the progress.
        every: interval in seconds; None: only with the page.
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
    """Shows the progress of jobs until all have ended, and failures with a retry button.

    Args:
        jobs: the jobs that a page waits for.
        resume: the button's label after a stop.
        stopped: message after a stop; by default how far the job got.
        wait: seconds before the bar appears.
        place: distinguishes places on the page that show the same jobs.

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
    reasons: dict[str, list[Job]] = {}  # each error is shown once, however many jobs failed with it
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
    """Draws running jobs with stop buttons; inside `poll`'s drawing."""
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
        st.error(prose(redact(job.error)), icon=":material/error:")
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
    """`, 3.2 a second`, `, 12 a minute`; nothing if unknown."""
    if per_second < 1:
        return f", {60 * per_second:.0f} a minute" if per_second > 1 / 60 else ""
    return f", {per_second:,.0f} a second" if per_second >= 10 else f", {per_second:.1f} a second"


def duration(seconds: float) -> str:
    for most, divisor, unit in ((90, 1, "s"), (90 * 60, 60, "min"), (48 * 3600, 3600, "h")):
        if seconds < most:
            return f"{seconds / divisor:.0f} {unit}"
    return f"{seconds / 86_400:,.0f} days"


def redraw_when(ready: Callable[[], bool]) -> None:
    """Redraws the page once a result is ready; call it in each run that draws something in its place."""
    _stand_ins.get().append(ready)


def notify_when_done(job: Job) -> None:
    """Notifies this session when `job` ends, on any page."""
    if job not in _notifications.get():
        _notifications.get().append(job)


def cancel_notification(job: Job) -> None:
    """Cancels the notification, since the job's end is visible where it is drawn."""
    if job in _notifications.get():
        _notifications.get().remove(job)


def watch() -> None:
    """Sends the notifications of ended jobs, and redraws the page for `redraw_when`; call it after the page, at the same place in every run."""
    awaited = _notifications.get()
    for job in [job for job in awaited if job.finished]:
        awaited.remove(job)
        if job.error:
            st.toast(f"{plain(job.title)}: {prose(redact(job.error))}", icon=":material/error:", duration="long")
        elif not job.stopped:
            st.toast(f"{plain(job.title)}: done", icon=":material/check:", duration="long")
    poll(bool(awaited), lambda: any(job.finished for job in awaited), every=1.5)
    stand_ins = _stand_ins.take()
    poll(bool(stand_ins), lambda: any(ready() for ready in stand_ins))
