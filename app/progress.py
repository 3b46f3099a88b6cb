"""Work in the background as people see it: a bar with rate and remaining time, and word of its end on whatever page they are."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from access import redact
from likeness.jobs import Job
from shared.plain import plain

Report = Callable[..., None]
ShouldStop = Callable[[], bool]


@dataclass(frozen=True)
class Stage:
    """What a piece of work is doing before it gets on: `done` of `total` of something, said in `what`."""

    what: str
    done: int
    total: int


def bar(job: Job, unit: str, *, key: str, stage: Stage | None = None) -> None:
    """One piece of work under way, in `unit`s (plural), and the button that stops it; inside a fragment that runs every while."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        done, total = (stage.done, stage.total) if stage else (job.done, job.total)
        said = f"{stage.what}, {done:,} of {total:,}" if stage else _standing(job, unit)
        st.progress(min(done / total, 1.0) if total else 0.0, f"{plain(job.title)}: {said}")
        stopping = job.stopped
        st.button("Stopping" if stopping else "Stop", key=f"stop_{key}", icon=":material/stop:", on_click=job.stop, disabled=stopping)


def _standing(job: Job, unit: str) -> str:
    if not job.total:
        return "getting ready"
    left = f", {duration(job.seconds_left)} left" if job.seconds_left is not None else ""
    return f"{job.done:,} of {job.total:,} {unit}{rate(job.rate)}{left}"


def rate(per_second: float) -> str:
    """`, 3.2 a second`, `, 12 a minute`; nothing before there is one."""
    if per_second <= 0:
        return ""
    if per_second < 1:
        return f", {60 * per_second:.0f} a minute" if per_second > 1 / 60 else ""
    return f", {per_second:,.0f} a second" if per_second >= 10 else f", {per_second:.1f} a second"


def duration(seconds: float) -> str:
    """`40 s`, `3 min`."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def follow(job: Job) -> None:
    """This session will be told when `job` has ended, on whatever page it is then."""
    followed: list[Job] = st.session_state.setdefault("followed_jobs", [])
    if job not in followed:
        followed.append(job)


def watch() -> None:
    """Tells of the ends of followed jobs; called once a run, after the page, at a place that is the same in every run."""
    followed: list[Job] = st.session_state.get("followed_jobs", [])
    ended = [job for job in followed if job.finished]
    for job in ended:
        followed.remove(job)
        _tell(job)
    with st.container():  # there in every run, so that a late rerun of the fragment finds its place
        if followed:
            _watch(followed)


def _tell(job: Job) -> None:
    if job.error:
        st.toast(f"{plain(job.title)}: {redact(job.error)}", icon=":material/error:", duration="long")
    elif not job.stopped:
        st.toast(f"{plain(job.title)}: done", icon=":material/check:", duration="long")


@st.fragment(run_every=1.5)
def _watch(jobs: list[Job]) -> None:
    if any(job.finished for job in jobs):
        st.rerun()
