"""The pool's processes never hear an interruption, and nobody is given work after one."""

import os
import signal
from pathlib import Path

import pytest

from likeness.io import WorkerPool


def _blocked(_: int) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def _write(folder: str, number: int) -> None:
    Path(folder, str(number)).write_text("")


def test_workers_are_begun_deaf_and_this_process_still_hears() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with WorkerPool(2) as pool:
        assert list(pool.map(_blocked, range(4))) == [True] * 4
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_an_interruption_ends_the_work(tmp_path: Path) -> None:
    def begin() -> None:
        with WorkerPool(1) as pool:
            next(pool.map(_write, [str(tmp_path)] * 5000, range(5000)))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begin()
    assert 1 <= len(os.listdir(tmp_path)) < 5000
