"""What is no file is refused before it is opened: a pipe that nobody fills would keep its reader for ever.

Each reader of a file by its name meets one in tests/fuzz/test_readers.py.
"""

import os
import socket
from pathlib import Path

import pytest

from likeness.io import check_readable, read_image, regular_file


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe.csv")
    return tmp_path / "pipe.csv"


def test_a_file_and_a_link_to_one_pass(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to("a")
    assert regular_file(tmp_path / "a") == tmp_path / "a"
    assert regular_file(tmp_path / "b") == tmp_path / "b"


def test_what_is_none_is_refused_by_name(tmp_path: Path, pipe: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for place in (pipe, tmp_path / "socket", Path("/dev/null")):
            with pytest.raises(OSError, match="a pipe, a device or a socket"):
                regular_file(place)
    with pytest.raises(IsADirectoryError):
        regular_file(tmp_path)
    with pytest.raises(FileNotFoundError):
        regular_file(tmp_path / "missing")


@pytest.mark.timeout(60)
def test_an_image_that_is_a_pipe_cannot_be_opened(pipe: Path) -> None:
    for read in (check_readable, read_image):
        with pytest.raises(OSError, match="a pipe"):
            read(pipe)
