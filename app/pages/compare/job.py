"""Comparisons in the background: shared by everybody who asks the same, readable while they run, kept for the server's lifetime."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from likeness.jobs import Job, Jobs
from progress import Stage
from shared import cached

Row = dict[str, Any]
Compute = Callable[..., object]  # takes progress, should_stop and on_run, as the functions of `likeness.evaluation` do


@dataclass(frozen=True)
class LiveRuns:
    """A comparison, under way or ended.

    Attributes:
        key: of content and settings.
        job: its progress and end.
        rows: one for each finished run; grows while the job runs.
        attempt: how often it was begun.
        stage: what is done before the next run, where that takes time.
    """

    key: str
    job: Job
    rows: list[Row]
    attempt: int
    stage: Stage | None

    @property
    def frame(self) -> pd.DataFrame:
        """The runs so far."""
        return pd.DataFrame(list(self.rows))

    @property
    def stamp(self) -> str:
        """Another one whenever there are other rows; for caches of what is drawn from them."""
        return f"{self.key} {self.attempt} {len(self.rows)}"

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
    if job is None:
        return None
    kept = _kept(key)
    return LiveRuns(key, job, kept.rows, kept.attempt, kept.stage)


def begin(key: str, title: str, compute: Compute) -> Job:
    """Starts a comparison; returns the one under way, if there is one of this key already.

    Args:
        title: shown beside the bar.
        compute: called on a thread of its own with `progress`, `should_stop` and `on_run`.
    """
    kept = _kept(key)

    def work(report: Callable[..., None], should_stop: Callable[[], bool]) -> object:
        kept.rows, kept.attempt, kept.stage = [], kept.attempt + 1, None
        return compute(progress=report, should_stop=should_stop, on_run=kept.rows.append)

    return _jobs().begin(key, title, work)


def at_stage(key: str, stage: Stage | None) -> None:
    """Says what the comparison of this key is doing before its next run; None when it goes on."""
    _kept(key).stage = stage


def _jobs() -> Jobs:
    return cached.jobs("comparisons")


@dataclass
class _Kept:
    rows: list[Row] = field(default_factory=list)
    attempt: int = 0
    stage: Stage | None = None


@st.cache_resource(show_spinner=False)
def _kept(key: str) -> _Kept:
    return _Kept()
