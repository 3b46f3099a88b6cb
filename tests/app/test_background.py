"""Background work: progress, estimates, stops, what was found so far, and one job for one question."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, strategies

from likeness.errors import InputError
from server.jobs import Job, Jobs, Stage
from worlds import Clock


def _job(work: Callable[[Job], Any]) -> Job:
    return Job("embedding", "photos", "Embedding", work)


def _ended(job: Job) -> Job:
    assert job.wait(600)
    return job


def test_what_was_found_can_be_read_while_the_work_goes_on_and_progress_and_result_at_its_end() -> None:
    found, release = threading.Event(), threading.Event()

    def work(job: Job) -> str:
        job.stage = Stage("embeds", 3, 10)
        job.found.append("one")
        found.set()
        assert release.wait(600)
        job.stage = None
        job.found.append("two")
        job.report(4, 4)
        return "vectors"

    job = _job(work)
    assert found.wait(600)
    first = job.stamp
    assert (job.found, job.stage, job.finished) == (["one"], Stage("embeds", 3, 10), False)
    release.set()
    _ended(job)
    assert (job.found, job.stage, job.stamp != first) == (["one", "two"], None, True)
    assert (job.done, job.total, job.result, job.error, job.succeeded) == (4, 4, "vectors", None, True)


@pytest.mark.parametrize("knows_of_stops", [True, False])
def test_a_stopped_job_ends_early_and_keeps_what_it_did_or_ends_with_its_next_report(knows_of_stops: bool) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(job: Job) -> str:
        job.report_or_stop(1, 3)
        begun.set()
        assert go_on.wait(600)
        if knows_of_stops:
            return "half" if job.should_stop() else "all"
        job.report_or_stop(2, 3)
        return "all"

    job = _job(work)
    assert begun.wait(600)
    job.stop()
    go_on.set()
    assert (_ended(job).done, job.result, job.error) == ((1, "half", None) if knows_of_stops else (2, None, None))
    assert (job.stopped, job.succeeded) == (True, False)


def test_bad_input_becomes_its_own_sentence_and_a_defect_names_itself() -> None:
    def told(error: Exception) -> str:
        def fail(job: Job) -> None:
            raise error

        return _ended(_job(fail)).error or ""

    assert told(InputError("There is no folder 'x'.")) == "There is no folder 'x'."
    assert "KeyError" in told(KeyError("vectors"))
    assert "No space left on device" in told(OSError(28, "No space left on device"))


class Time(Clock):
    """In place of `time` of the jobs."""

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def reporting(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Time, Job]]:
    """A clock that a test sets, and a job that goes on until the test has ended."""
    clock, ended = Time(), threading.Event()
    monkeypatch.setattr("server.jobs.time", clock)
    job = _job(lambda job: ended.wait(600))
    yield clock, job
    ended.set()
    _ended(job)


def test_the_time_left_never_rises_while_nothing_is_reported(reporting: tuple[Time, Job]) -> None:
    clock, job = reporting
    job.report(0, 10)
    clock.now = 5.0
    job.report(2, 10)
    left = []
    for clock.now in (5.0, 6.0, 15.0, 24.0, 25.0, 60.0):
        left.append(job.seconds_left)
        assert job.rate == 0.4
    assert left == [20.0, 19.0, 10.0, 1.0, 0.0, 0.0]


def test_what_was_done_before_and_what_is_prepared_do_not_count_as_speed(reporting: tuple[Time, Job]) -> None:
    clock, job = reporting
    job.report(3, 11)
    assert (job.seconds_left, job._already) == (None, 3)
    clock.now = 90.0  # a model is loaded
    job.report(3, 11)
    clock.now = 92.0
    job.report(7, 11)
    assert (job.rate, job.seconds_left) == (2.0, 2.0)


@given(strategies.lists(strategies.floats(0.1, 5.0), min_size=2, max_size=12), strategies.floats(0.01, 100.0))
def test_the_estimate_of_even_work_is_exact_at_each_report(pauses: list[float], rate: float) -> None:
    clock = Time()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("server.jobs.time", clock)
        job = _job(lambda job: None)
        total = sum(pauses) * rate
        job.report(0, total)  # type: ignore[arg-type]
        for place, pause in enumerate(pauses):
            clock.now += pause
            job.report(clock.now * rate, total)  # type: ignore[arg-type]
            assert job.seconds_left == pytest.approx(sum(pauses[place + 1 :]), abs=1e-6)


def test_a_key_has_one_job_at_a_time_its_end_is_shared_and_a_second_attempt_leaves_the_first_as_it_was() -> None:
    release, jobs = threading.Event(), Jobs()
    first = jobs.run("embedding", "photos", "Embedding", lambda job: job.found.append(1) or release.wait(600))
    assert jobs.run("embedding", "photos", "Embedding", lambda job: None, restart=True) is first
    assert jobs.run("judging", "photos", "Judging", lambda job: None) is not first
    assert jobs.all("embedding") == [first]
    jobs.forget(first)
    assert jobs.find("embedding", "photos") is first  # still under way
    release.set()
    assert jobs.run("embedding", "photos", "Embedding", lambda job: None) is _ended(first)
    second = _ended(jobs.again(first))
    assert second is jobs.find("embedding", "photos") is not first
    assert first.found == second.found == [1]
    assert first.stamp != second.stamp
    jobs.forget(second)
    assert jobs.find("embedding", "photos") is None


@pytest.mark.parametrize("kept", [1, 3])
def test_of_each_kind_those_asked_for_last_are_kept(kept: int) -> None:
    jobs, release = Jobs(), threading.Event()
    under_way = jobs.run("maps", "slow", "Slow", lambda job: release.wait(600), max_finished=kept)
    other = jobs.run("texts", 0, "Other", lambda job: None, max_finished=kept)
    for key in range(5):
        assert jobs.run("maps", key, "Quick", lambda job: None, max_finished=kept).wait(600)
        jobs.run("maps", 0, "Quick", lambda job: None, max_finished=kept).wait(600)
    assert [job.key for job in jobs.all("maps") if job is not under_way] == {1: [0], 3: [3, 4, 0]}[kept]
    assert under_way in jobs.all("maps")
    assert jobs.find("texts", 0) is other
    release.set()
    assert under_way.wait(600)
