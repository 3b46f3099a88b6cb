"""Places for output are tried before the work; devices are never replaced by files."""

import os
from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.io import check_output_file, check_output_folder, write_atomic


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
    files = [tmp_path, tmp_path / "file" / "x", tmp_path / "pipe", Path("/proc/x"), Path("/dev/null"), tmp_path / ("x" * 300), tmp_path / "a\0b"]
    for place in files:
        with pytest.raises(InputError, match="cannot be written"):
            check_output_file(place)
    for place in (tmp_path / "file", tmp_path / "file" / "x", tmp_path / "pipe", Path("/proc/x"), tmp_path / ("x" * 300)):
        with pytest.raises(InputError, match="cannot be written"):
            check_output_folder(place)


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="a pipe"):
        write_atomic(tmp_path / "pipe", b"x")
    assert (tmp_path / "pipe").is_fifo()
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]
