"""Clevr-4 on a miniature of its layout."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiments.public_benchmarks.datasets.clevr4 import read_clevr4
from likeness.data import read_dataset
from likeness.errors import InputError


@pytest.fixture
def root(miniatures: dict[str, Callable[[Path], Path]], tmp_path: Path) -> Path:
    return miniatures["clevr4"](tmp_path)


def test_four_labels_as_text(root: Path) -> None:
    frame = read_clevr4(root).frame
    assert list(frame.columns) == ["path", "texture", "color", "shape", "count", "split"]
    assert list(frame["count"]) == ["1", "2", "1", "2", "2"]
    assert list(frame["color"]) == ["red", "blue", "red", "red", "blue"]
    assert frame["path"][0] == "images/CLEVR_new_000000.png"
    assert list(read_clevr4(root, "train").frame["texture"]) == ["rubber", "metal"]
    assert len(read_dataset(f"clevr4:{root}")) == 5  # published figures are on all of them
    assert read_dataset(f"clevr4:{root}").attributes == ["texture", "color", "shape", "count", "split"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": {"texture": "metal"}}, r"the image 'a' is .*, expected texture, color, shape, count and the split train or val"),
        ({"a": {"texture": 1, "color": 1, "shape": 1, "count": 1, "split": "best"}}, r"the image 'a' is"),
        ({"a": [1, 2]}, r"the image 'a' is '\[1, 2\]', expected"),
        ({"../../a": {"texture": 1, "color": 1, "shape": 1, "count": 1, "split": "val"}}, r"expected a path inside of the dataset's folder"),
        ({}, r"has no entries by name; take the file anew from https://www\.robots"),
        ([1], r"has no entries by name"),
    ],
)
def test_annotations_that_are_damaged(root: Path, change: Any, message: str) -> None:
    (root / "clevr_4_annots.json").write_text(json.dumps(change), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_clevr4(root)
    assert len(str(caught.value).splitlines()) == 1
