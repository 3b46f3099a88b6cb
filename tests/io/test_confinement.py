"""What may be read: confinement of a process to some folders, the paths that core takes, and no pipe, which nobody may ever fill.

Each reader of a file by its name meets one in tests/fuzz/test_readers.py.
"""

import os
import socket
from pathlib import Path

import pytest
from PIL import Image

from likeness.errors import InputError
from likeness.io import read_image
from likeness.io.confinement import VARIABLE, allows, check_readable, check_url, confine, is_confined, regular_file
from likeness.io.paths import as_path


@pytest.fixture
def places(tmp_path: Path) -> Path:
    for folder in ("open/inside", "kept/abc", "secret"):
        (tmp_path / folder).mkdir(parents=True)
        Image.new("RGB", (4, 4)).save(tmp_path / folder / "a.png")
    (tmp_path / "open" / "out").symlink_to(tmp_path / "secret")
    return tmp_path


def test_nothing_is_confined_at_first(places: Path) -> None:
    assert not is_confined()
    assert check_readable(places / "secret" / "a.png") == places / "secret" / "a.png"
    check_url("https://example.org/a.png")


def test_only_the_folders_are_read(places: Path) -> None:
    confine([places / "open"], entries_of=[places / "kept"])
    for inside in ("open", "open/inside/a.png", "open/none.png", "kept/abc", "kept/abc/a.png"):
        assert allows(places / inside)
        assert as_path(str(places / inside)) == places / inside
    for outside in ("secret/a.png", "secret/none.png", "open/out/a.png", "open/../secret/a.png", "openx", "kept", "kept/../kept", ""):
        assert not allows(places / outside)
        with pytest.raises(PermissionError, match="outside the folders"):
            check_readable(places / outside)
        with pytest.raises(InputError, match="is outside the folders that may be read here"):
            as_path(str(places / outside))


def test_no_address_is_read(places: Path) -> None:
    confine([places / "open"])
    for url in (
        "s3://mine/photos/a.png",
        "https://host/a.png",
        "http://169.254.169.254/latest",
        "file:///etc/passwd",
        f"file://{places}/open/inside/a.png",
    ):
        with pytest.raises(InputError, match="cannot be read here: URLs are disabled"):
            check_url(url)


def test_what_limits_cannot_be_read_from_opens_nothing(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "everything")
    with pytest.raises(ValueError, match="Expecting value"):
        allows(places)


def test_a_path_as_it_is_written(tmp_path: Path) -> None:
    assert as_path("~") == Path.home()
    assert as_path("a/b") == Path("a/b")
    assert as_path(tmp_path) == tmp_path
    for given in ("a\0b", "x" * 300, "/".join(["deep"] * 2000), "\ud800"):
        with pytest.raises(InputError, match="it is too long or has invalid characters"):
            as_path(given)


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
