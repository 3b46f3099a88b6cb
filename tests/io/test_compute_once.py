"""Work that one of several processes does."""

import threading
from pathlib import Path

import pytest
from filelock import FileLock

from likeness.errors import InputError
from likeness.io.files import compute_once_locked


def test_one_makes_the_file_while_the_others_wait_for_it(tmp_path: Path) -> None:
    file, made, begun = tmp_path / "pixels" / "a.npy", list[int](), threading.Barrier(4)

    def ask() -> None:
        begun.wait()
        with compute_once_locked(file) as missing:
            if missing:
                made.append(1)
                file.parent.mkdir()
                file.write_bytes(b"whole")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(made) == 1


def test_work_that_failed_is_done_by_the_next(tmp_path: Path) -> None:
    file = tmp_path / "a.npy"
    with pytest.raises(ZeroDivisionError), compute_once_locked(file):
        raise ZeroDivisionError
    with compute_once_locked(file) as missing:
        assert missing


def test_who_waits_can_be_stopped(tmp_path: Path, cache: Path) -> None:
    (cache / "locks").mkdir(parents=True)
    with (
        FileLock(cache / "locks" / f"{tmp_path.name}-a"),
        pytest.raises(InputError, match="Stopped while waiting for another process"),
        compute_once_locked(tmp_path / "a.npy", lambda: True),
    ):
        raise AssertionError("two have the lock")
