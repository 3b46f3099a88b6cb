"""Stanford 40 Actions on a miniature of its layout."""

from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.public_benchmarks.datasets.stanford40 import read_stanford40
from likeness.errors import InputError


@pytest.fixture
def root(miniatures: dict[str, Callable[[Path], Path]], tmp_path: Path) -> Path:
    return miniatures["stanford40"](tmp_path)


def test_actions_in_words(root: Path) -> None:
    frame = read_stanford40(root).frame
    assert list(frame["action"]) == ["applauding", "applauding", "riding a bike", "fishing"]
    assert frame["path"][2] == "JPEGImages/riding_a_bike_010.jpg"
    assert len(read_stanford40(root, "all")) == 7


@pytest.mark.parametrize("part", ["train", "test"])
def test_a_missing_list(root: Path, part: str) -> None:
    (root / "ImageSplits" / f"{part}.txt").unlink()
    with pytest.raises(InputError, match=rf"lacks 'ImageSplits/{part}\.txt'; take it from the dataset published at https://vision\.stanford"):
        read_stanford40(root, part)


@pytest.mark.parametrize("line", ["../../etc/applauding_001.jpg", "/applauding_001.jpg", "applauding.jpg", "001.jpg", "applauding_001.txt"])
def test_lines_that_are_damaged(root: Path, line: str) -> None:
    (root / "ImageSplits" / "test.txt").write_text(f"applauding_003.jpg\n{line}\n")
    with pytest.raises(InputError, match=r"In 'test\.txt' of Stanford 40 Actions, line 2 is .*, expected an action, a number and \.jpg"):
        read_stanford40(root)
