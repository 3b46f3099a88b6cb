import threading

from likeness.errors import InputError
from likeness.jobs import Job, Jobs


def test_a_job_reports_progress_and_its_result() -> None:
    def work(report, should_stop):
        report(3, 4)
        report(4, 4)
        return "vectors"

    job = Job("Embedding", work)
    assert job.wait(600)
    assert (job.done, job.total, job.result, job.error) == (4, 4, "vectors", None)


def test_a_stopped_job_ends_early_and_keeps_what_it_did() -> None:
    begun = threading.Event()

    def work(report, should_stop):
        begun.set()
        while not should_stop():
            pass
        return "half"

    job = Job("Embedding", work)
    assert begun.wait(600)
    assert not job.finished
    job.stop()
    assert job.wait(600)
    assert job.result == "half"
    assert job.stopped


def test_bad_input_becomes_its_own_sentence_and_a_defect_names_itself() -> None:
    def refuse(report, should_stop):
        raise InputError("There is no folder 'x'.")

    def fail(report, should_stop):
        raise KeyError("vectors")

    def full(report, should_stop):
        raise OSError(28, "No space left on device")

    jobs = [Job("a", refuse), Job("b", fail), Job("c", full)]
    assert all(job.wait(600) for job in jobs)
    assert jobs[0].error == "There is no folder 'x'."
    assert "KeyError" in (jobs[1].error or "")
    assert "No space left on device" in (jobs[2].error or "")


def test_the_rate_leaves_out_what_was_done_before() -> None:
    release = threading.Event()

    def work(report, should_stop):
        report(900, 1000)
        release.wait(600)
        report(1000, 1000)

    job = Job("Embedding", work)
    while not job.total:
        pass
    assert job.seconds_left is None
    release.set()
    assert job.wait(600)
    assert job.done - job._already == 100


def test_a_key_has_one_job_at_a_time() -> None:
    release = threading.Event()
    jobs = Jobs()
    first = jobs.begin("photos", "Embedding", lambda report, stop: release.wait(600))
    assert jobs.begin("photos", "Embedding", lambda report, stop: None) is first
    assert [key for key, _ in jobs.all()] == ["photos"]
    jobs.forget("photos")
    assert jobs.get("photos") is first
    release.set()
    assert first.wait(600)
    jobs.forget("photos")
    assert jobs.get("photos") is None
