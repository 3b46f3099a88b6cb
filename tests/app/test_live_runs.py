import threading
from typing import Any

import pytest
import streamlit as st

from background import Job
from pages.compare import live_runs
from pages.compare.live_runs import MeasureRequest, measuring
from waiting import wait_until


@pytest.fixture(autouse=True)
def no_jobs() -> None:
    st.cache_resource.clear()


def _request(release: threading.Event, started: list[int]) -> MeasureRequest:
    """Two runs, with a wait between them."""

    def study(name: str, progress: Any, should_stop: Any, on_run: Any) -> None:
        started.append(1)
        progress(0, 2)
        on_run({"notion": name, "method": "raw"})
        progress(1, 2)
        assert release.wait(600)
        if not should_stop():
            on_run({"notion": name, "method": "exact"})
            progress(2, 2)

    return MeasureRequest("key", "Comparison", measuring(study, "car color"), lambda job: None)


def _methods(job: Job) -> list[str]:
    runs = live_runs.runs_of(job)
    assert set(runs["notion"]) == {"car color"}
    return list(runs["method"])


def test_runs_can_be_read_while_the_job_goes_on_and_the_same_key_shares_it() -> None:
    release, started = threading.Event(), []
    request = _request(release, started)
    assert live_runs.find(request) is None
    job = live_runs.begin(request)
    assert live_runs.begin(_request(release, started)) is live_runs.find(request) is job
    wait_until(lambda: job.found)
    assert (_methods(job), job.succeeded) == (["raw"], False)
    release.set()
    assert job.wait(600)
    assert (_methods(job), job.succeeded, started) == (["raw", "exact"], True, [1])


def test_a_stop_keeps_the_runs_and_a_second_attempt_begins_anew() -> None:
    release, started = threading.Event(), []
    request = _request(release, started)
    first = live_runs.begin(request)
    first.stop()
    release.set()
    assert first.wait(600)
    assert _methods(first) == ["raw"]
    assert not first.succeeded
    second = live_runs.begin(request)
    assert second.wait(600)
    assert _methods(second) == ["raw", "exact"]
    assert live_runs.find(request) is second
    assert _methods(first) == ["raw"]  # whoever still draws the first attempt sees it whole
