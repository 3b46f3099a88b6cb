"""Work that starts on request: until then, a button and a sentence are shown in place of the result."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from parts import progress
from parts.errors import toast_errors
from server.jobs import Job, Work, jobs


@dataclass(frozen=True)
class WorkRequest:
    """A job that can be requested.

    Attributes:
        kind, key, title, work, options: as `Jobs.run` takes them.
    """

    kind: str
    key: Hashable
    title: str
    work: Work
    options: Mapping[str, Any] = field(default_factory=dict)

    def find(self) -> Job | None:
        """The job, under way or ended, or None."""
        return jobs().find(self.kind, self.key)

    def begin(self) -> Job:
        """The job, started now if there is none."""
        return jobs().run(self.kind, self.key, self.title, self.work, **self.options)


def jobs_on_request(label: str, help: str, *requests: WorkRequest) -> list[Job] | None:
    """The jobs of requests of one kind, in order.

    Args:
        label: the button's label.
        help: one or two sentences on what the result will show.

    Returns:
        None, with the button drawn, where one of them has not been asked for yet.
    """
    found = [request.find() for request in requests]
    begun = [job for job in found if job is not None]
    place = st.empty()  # there in every run, so that a click clears it at once
    if len(begun) == len(requests):
        return begun
    with place.container(border=True):
        st.markdown(help)
        key = f"begin_{requests[0].kind.replace(' ', '_')}"
        st.button(label, type="primary", icon=":material/play_arrow:", key=key, on_click=_begin, args=(requests,))
    return None


@toast_errors()
def _begin(requests: tuple[WorkRequest, ...]) -> None:
    for request in requests:
        request.begin()


def job_button(label: str, place: str, request: WorkRequest, *, stopped: str = "", **looks: Any) -> Job | None:
    """Draws the button, or the progress of the job that it started; returns the job once it has succeeded.

    Args:
        label: the button's label.
        place: distinguishes places on the page.
        request: the job; a new key shows the button again.
        stopped: message after a stop.
        looks: options of the button, such as `icon` and `help`.
    """
    job = request.find()
    if job is None:
        st.button(label, key=f"make_{place}", on_click=_begin, args=((request,),), **looks)
        return None
    return job if progress.follow(job, stopped=stopped, place=place) else None
