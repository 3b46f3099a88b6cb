"""The pool's processes never hear an interruption, and nobody is given work after one."""

import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from threading import Event, Thread

import pytest

from experiments.worker_pool import WorkerPool

# The calls are of the standard library: a new process need not be able to import these tests.


def test_workers_are_begun_deaf_and_this_process_still_hears() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with WorkerPool(2) as pool:
        assert all(signal.SIGINT in blocked for blocked in pool.map(signal.pthread_sigmask, [signal.SIG_BLOCK] * 4, [()] * 4))
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_an_interruption_that_another_thread_hears_waits_until_work_is_submitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the midst of it a new process would be left without its work, and print that it "ran out of input"."""
    submitted, end = [], Event()
    hearing = Thread(target=end.wait)
    hearing.start()

    def submit(*_: object) -> None:
        assert hearing.ident is not None
        signal.pthread_kill(hearing.ident, signal.SIGINT)
        time.sleep(0.1)
        submitted.append(True)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # the workers of xdist ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            WorkerPool(1).submit(os.getpid)
        assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
        end.set()
    assert submitted == [True]


def test_an_interruption_ends_the_work(tmp_path: Path) -> None:
    def begin() -> None:
        with WorkerPool(1) as pool:
            next(pool.map(Path.touch, [tmp_path / str(number) for number in range(5000)]))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begin()
    assert 1 <= len(os.listdir(tmp_path)) < 5000
