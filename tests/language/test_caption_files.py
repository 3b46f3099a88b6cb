"""Captions from files."""

from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.language import read_captions


def test_captions_by_path(tmp_path: Path) -> None:
    file = tmp_path / "captions.csv"
    file.write_text('﻿path,caption\na/1.jpg,"A bird, blue"\na\\2.jpg, a branch \n\na/3.jpg,\na/1.jpg,"A bird, blue"\n', encoding="utf-8")
    assert read_captions(file) == {"a/1.jpg": "A bird, blue", "a/2.jpg": "a branch"}
    (tmp_path / "c.csv").write_text("1.jpg,a bird\n", encoding="utf-8")
    assert read_captions(tmp_path / "c.csv") == {"1.jpg": "a bird"}
    with pytest.raises(InputError, match=r"captions '.*nowhere.csv' cannot be read .*No such file"):
        read_captions(tmp_path / "nowhere.csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"captions 'c.csv' are empty; give a line of path and caption"),
        (b"path,caption\n1.jpg,\n", r"captions 'c.csv' are empty"),
        (b"1.jpg,a bird, blue\n", r"Entry 1 of the captions 'c.csv' has 3 columns; give path and caption, the caption in quotes"),
        (b"1.jpg,a\n1.jpg,b\n", r"give '1.jpg' two captions, 'a' and 'b'; keep one"),
        (b"1.jpg,\xff\n", r"cannot be read .* give a CSV file in UTF-8"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "c.csv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_captions(tmp_path / "c.csv")
