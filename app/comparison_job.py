"""Comparisons in the background: shared by everybody who asks the same, readable while they run, kept for the server's lifetime."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

import cached
from likeness.jobs import Job, Jobs

Row = dict[str, Any]
Compute = Callable[..., object]  # takes progress, should_stop and on_run, as the functions of `likeness.evaluation` do


@dataclass(frozen=True)
class LiveRuns:
    """A comparison, under way or ended.

    Attributes:
        job: its progress and end.
        rows: one for each finished run; grows while the job runs.
    """

    job: Job
    rows: list[Row]

    @property
    def frame(self) -> pd.DataFrame:
        """The runs so far."""
        return pd.DataFrame(list(self.rows))

    @property
    def running(self) -> bool:
        """True until the job has ended."""
        return not self.job.finished

    @property
    def complete(self) -> bool:
        """True once every run is there."""
        return self.job.finished and not self.job.stopped and self.job.error is None


def key_of(*content: object) -> str:
    """A key for content and settings: equal for equal ones."""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:24]


def find(key: str) -> LiveRuns | None:
    """The comparison of this key, or None if nobody has asked for it."""
    job = _jobs().get(key)
    return LiveRuns(job, _rows(key)) if job else None


def begin(key: str, title: str, compute: Compute) -> LiveRuns:
    """Starts a comparison; the one that is under way already, if there is one of this key.

    Args:
        title: shown beside the bar.
        compute: called on a thread of its own with `progress`, `should_stop` and `on_run`.
    """
    rows = _rows(key)

    def work(report: Callable[..., None], should_stop: Callable[[], bool]) -> object:
        rows.clear()
        return compute(progress=report, should_stop=should_stop, on_run=rows.append)

    return LiveRuns(_jobs().begin(key, title, work), rows)


def _jobs() -> Jobs:
    return cached.jobs("comparisons")


@st.cache_resource(show_spinner=False)
def _rows(key: str) -> list[Row]:
    return []
