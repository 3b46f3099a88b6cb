"""What is no file is refused before it is opened: a pipe that nobody fills would keep its reader for ever."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from likeness.errors import InputError
from likeness.io import check_readable, read_array, read_arrays, read_checkpoint, read_image, read_vector_file, read_weights, regular_file, text_of

READERS: dict[str, Callable[[Path], Any]] = {
    "array": read_array,
    "arrays": lambda path: read_arrays(path, ("a",)),
    "checkpoint": read_checkpoint,
    "text": text_of,
    "vectors": read_vector_file,
    "weights": read_weights,
}


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
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_readers_answer_a_pipe_in_one_sentence(read: Callable[[Path], Any], pipe: Path) -> None:
    with pytest.raises(InputError, match=r"pipe\.csv"):
        read(pipe)


@pytest.mark.timeout(60)
def test_an_image_that_is_a_pipe_cannot_be_opened(pipe: Path) -> None:
    for read in (check_readable, read_image):
        with pytest.raises(OSError, match="a pipe"):
            read(pipe)
