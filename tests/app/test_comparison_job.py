import threading
from typing import Any

import pytest
import streamlit as st

from pages.compare import job as comparison_job
from progress import Stage


@pytest.fixture(autouse=True)
def no_jobs() -> None:
    st.cache_resource.clear()


def _count(release: threading.Event, started: list[int]) -> Any:
    """Work of two runs that waits between them."""

    def compute(progress: Any, should_stop: Any, on_run: Any) -> None:
        started.append(1)
        progress(0, 2)
        on_run({"method": "raw"})
        progress(1, 2)
        assert release.wait(600)
        if not should_stop():
            on_run({"method": "exact"})
            progress(2, 2)

    return compute


def test_rows_can_be_read_while_the_job_runs_and_the_same_key_shares_it() -> None:
    release, started = threading.Event(), []
    job = comparison_job.begin("key", "Comparison", _count(release, started))
    assert comparison_job.begin("key", "Comparison", _count(release, started)) is job
    while not (live := comparison_job.find("key")).rows:
        job.wait(0.01)
    assert live.running
    assert not live.complete
    before = live.stamp
    release.set()
    assert job.wait(600)
    live = comparison_job.find("key")
    assert live.frame["method"].tolist() == ["raw", "exact"]
    assert live.complete
    assert live.stamp != before
    assert started == [1]


def test_a_stop_keeps_the_rows_and_a_second_attempt_begins_anew() -> None:
    release, started = threading.Event(), []
    job = comparison_job.begin("key", "Comparison", _count(release, started))
    job.stop()
    release.set()
    assert job.wait(600)
    first = comparison_job.find("key")
    assert len(first.rows) == 1
    assert not first.complete
    assert comparison_job.begin("key", "Comparison", _count(release, started)).wait(600)
    second = comparison_job.find("key")
    assert len(second.rows) == 2
    assert second.complete
    assert second.stamp != first.stamp
    assert len(first.rows) == 1  # whoever still draws the first attempt sees it whole


def test_a_stage_is_said_until_the_work_goes_on() -> None:
    comparison_job.begin("key", "Comparison", lambda **_: None).wait(600)
    comparison_job.at_stage("key", Stage("embeds", 3, 10))
    assert comparison_job.find("key").stage == Stage("embeds", 3, 10)
    comparison_job.at_stage("key", None)
    assert comparison_job.find("key").stage is None


def test_nobody_has_asked() -> None:
    assert comparison_job.find("another") is None


def test_keys_are_equal_for_equal_content_only() -> None:
    assert comparison_job.key_of("a", (1, 2)) == comparison_job.key_of("a", (1, 2))
    assert comparison_job.key_of("a", (1, 2)) != comparison_job.key_of("a", (1, 3))
