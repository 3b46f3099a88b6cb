"""Files are written whole or not at all, once where several need the same one, and places are tried before the work; devices are never replaced."""

import os
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from likeness.errors import InputError
from likeness.io import check_output_file, check_output_folder, compute_once_locked, open_atomic, write_atomic


@pytest.mark.parametrize("error", [OSError, ValueError, KeyboardInterrupt])
def test_whatever_ends_the_writing_leaves_the_old_file_and_nothing_else(error: type[BaseException], tmp_path: Path) -> None:
    place = tmp_path / "table.csv"
    place.write_bytes(b"old")

    def write() -> None:
        with open_atomic(place) as file:
            file.write(b"half of the new")
            raise error

    with pytest.raises(error):
        write()
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()} == {"table.csv": b"old"}


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


def test_places_that_can_be_written_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("x")
    check_output_file(tmp_path / "old.csv")
    check_output_file(tmp_path / "a" / "b" / "new.csv")
    check_output_folder(tmp_path / "c")
    check_output_folder(tmp_path)
    check_output_file(Path("new.csv"))
    assert [file.name for file in tmp_path.iterdir()] == ["old.csv"]
    assert (tmp_path / "old.csv").read_text() == "x"


def test_places_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    neither = [tmp_path / "file" / "x", tmp_path / "pipe", Path("/proc/x"), tmp_path / ("x" * 300)]
    for check, place in (
        *((check, place) for check in (check_output_file, check_output_folder) for place in neither),
        *((check_output_file, place) for place in (tmp_path, Path("/dev/null"), tmp_path / "a\0b")),
        (check_output_folder, tmp_path / "file"),
    ):
        with pytest.raises(InputError, match="cannot be written"):
            check(place)
    with pytest.raises(OSError, match="a pipe"):
        write_atomic(tmp_path / "pipe", b"x")
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "pipe"]
