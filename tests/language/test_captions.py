from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from likeness.errors import InputError
from likeness.language import captions_in_order, insert_class_name, read_captions

NAME = r"Tern \1 bird"  # holds a keyword, and what stands for a group in a pattern


@pytest.mark.parametrize(
    ("caption", "keywords", "result"),
    [
        ("A blue bird sitting on a branch.", "bird", f"A blue {NAME} sitting on a branch."),
        ("Bird, BIRD and birdhouse", ["bird"], f"{NAME}, {NAME} and birdhouse"),
        ("two birds", ["bird", "birds"], f"two {NAME}"),
        ("a car near a sports car", ["car", "sports car"], f"a {NAME} near a {NAME}"),
        ("a c++ bird", ["c++"], f"a {NAME} bird"),
        ("a boat", ["bird"], "a boat"),
        ("", ["bird"], ""),
    ],
)
def test_keywords_become_the_class_name(caption: str, keywords, result: str) -> None:
    assert insert_class_name(caption, NAME, keywords) == result


def test_captions_by_path_or_as_a_column(tmp_path: Path) -> None:
    assert captions_in_order({"b": "two", "a": "one", "c": "three"}, ["a", "b"]) == ["one", "two"]
    assert captions_in_order(["one", "two"], ["a", "b"]) == ["one", "two"]
    file = tmp_path / "captions.csv"
    file.write_text('\ufeffpath,caption\na/1.jpg,"A bird, blue"\na\\2.jpg, a branch \n\na/3.jpg,\na/1.jpg,"A bird, blue"\n', encoding="utf-8")
    assert read_captions(file) == {"a/1.jpg": "A bird, blue", "a/2.jpg": "a branch"}
    file.write_text("1.jpg,a bird\n", encoding="utf-8")
    assert read_captions(file) == {"1.jpg": "a bird"}


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        *[(insert_class_name, ("a bird", "Tern", words), "at least one keyword such as 'bird'") for words in ("", [], ["bird", " "])],
        (captions_in_order, ({"a": "one"}, ["a", "b"]), "1 of 2 images have no caption, first 'b'"),
        (captions_in_order, (["one"], ["a", "b"]), "2 images and 1 captions; give one caption per image"),
        (captions_in_order, ("ab", ["a", "b"]), "2 images and a single text"),
        (read_captions, (Path("nowhere.csv"),), r"'nowhere.csv' cannot be read .*no such file"),
    ],
)
def test_captions_and_keywords_that_do_not_fit(call: Callable[..., Any], given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(*given)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"captions 'c.csv' are empty; write a line of path and caption"),
        (b"path,caption\n1.jpg,\n", r"captions 'c.csv' are empty"),
        (b"1.jpg,a bird, blue\n", r"Entry 1 of the captions 'c.csv' has 3 columns; write path and caption, the caption in quotes"),
        (b"1.jpg,a\n1.jpg,b\n", r"give '1.jpg' two captions, 'a' and 'b'; keep one"),
        (b"1.jpg,\xff\n", "is not text in UTF-8"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "c.csv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_captions(tmp_path / "c.csv")
