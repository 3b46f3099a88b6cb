"""Paths of rows that are a part of a file."""

from pathlib import Path

import pytest

from likeness.io.file_parts import PART_SUFFIXES, file_of, part_path, split_part


@pytest.mark.parametrize("suffix", sorted(PART_SUFFIXES))
def test_what_is_put_together_is_taken_apart(suffix: str) -> None:
    for file in (f"a{suffix}", f"b/A B#t=1{suffix.upper()}", f"x\ny#page=2.pdf{suffix}"):
        for number in (0, 12):
            path = part_path(file, number)
            assert split_part(path) == (file, number + (suffix == ".pdf"))
            assert file_of(Path("/r") / path) == Path("/r") / file


@pytest.mark.parametrize(
    "path", ["a.mp4", "a#t=1.jpg", "a.jpg#t=1", "a.mp4#t=", "a.mp4#t=-1", "a.mp4#page=1", "a.pdf#t=1", "a.mp4#t=1#", "a.mp4#t=1e3", "", "#"]
)
def test_all_else_is_a_file(path: str) -> None:
    assert split_part(path) == (path, None)
    assert file_of(Path(path)) == Path(path)
