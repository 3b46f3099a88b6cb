"""Halves of classes."""

from pathlib import Path

import pandas as pd
import pytest

from likeness.data import ImageTable, class_halves
from likeness.data.protocols import zero_shot_half
from likeness.errors import InputError


def table(labels: list[object]) -> ImageTable:
    return ImageTable("Mine", Path("/"), pd.DataFrame({"path": [f"{row}.png" for row in range(len(labels))], "label": labels}))


def test_halves_follow_the_order_given_and_not_the_alphabet() -> None:
    labels = ["b", "a", "d", "c", "b"]
    assert list(zero_shot_half(labels, ["d", "b", "a", "c"], "train")) == [True, False, True, False, True]
    assert list(zero_shot_half(labels, ["d", "b", "a", "c"], "test")) == [False, True, False, True, False]
    assert zero_shot_half(labels, ["d", "b", "a", "c"], "all").all()
    for classes, train in ((196, 98), (200, 100), (5, 2), (1, 0)):
        sizes = [zero_shot_half(range(classes), range(classes), split).sum() for split in ("train", "test")]
        assert sizes == [train, classes - train]


def test_any_table_in_natural_order() -> None:
    train, test = class_halves(table(["class 10", "class 2", "class 1", "class 2", "Class 3"]), "label")
    assert list(train.frame["label"]) == ["class 2", "class 1", "class 2"]
    assert list(test.frame["label"]) == ["class 10", "Class 3"]
    assert (train.name, test.name) == ("Mine (train)", "Mine (test)")
    assert list(test.frame.index) == [0, 1]
    assert [sorted(half.frame["label"]) for half in class_halves(table([10, 9, 1, 100]), "label")] == [[1, 9], [10, 100]]


@pytest.mark.parametrize(
    ("labels", "attribute", "message"),
    [
        (["a", "b"], "color", "'Mine' has no attribute 'color'; it has label"),
        ([None, "(unlabeled)"], "label", "No image of 'Mine' has a label of 'label'; fill it in"),
        (["a", "a"], "label", "All images of 'Mine' have the same 'label', 'a'; at least two values"),
    ],
)
def test_what_cannot_be_split(labels: list[object], attribute: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        class_halves(table(labels), attribute)
