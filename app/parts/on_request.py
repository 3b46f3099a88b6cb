"""Work that begins when a visitor asks for it: until then a sentence and the page's primary button stand in place of the result."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from server.jobs import Job, Work, jobs, run_in_background


@dataclass(frozen=True)
class WorkRequest:
    """Work that can be asked for.

    Attributes:
        kind, key, title, work, options: as `run_in_background` takes them.
    """

    kind: str
    key: Hashable
    title: str
    work: Work
    options: Mapping[str, Any] = field(default_factory=dict)

    def find(self) -> Job | None:
        """The job under way or ended, or None."""
        return jobs().find(self.kind, self.key)

    def begin(self) -> Job:
        """The job, begun now unless it is there already."""
        return run_in_background(self.kind, self.key, self.title, self.work, **self.options)


def jobs_on_request(label: str, help: str, *requests: WorkRequest) -> list[Job] | None:
    """The jobs of some requests of one kind, in their order.

    Args:
        label: of the button that begins them.
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


def _begin(requests: tuple[WorkRequest, ...]) -> None:
    for request in requests:
        request.begin()
