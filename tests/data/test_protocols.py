"""Halves of classes, and the sets of retrieval benchmarks."""

import pytest

from likeness.data.protocols import retrieval_sets, zero_shot_half
from likeness.errors import InputError


def test_halves_follow_the_order_given_and_not_the_alphabet() -> None:
    labels = ["b", "a", "d", "c", "b"]
    assert list(zero_shot_half(labels, ["d", "b", "a", "c"], "train")) == [True, False, True, False, True]
    assert list(zero_shot_half(labels, ["d", "b", "a", "c"], "test")) == [False, True, False, True, False]
    assert zero_shot_half(labels, ["d", "b", "a", "c"], "all").all()
    for classes, train in ((196, 98), (200, 100), (5, 2), (1, 0)):
        sizes = [zero_shot_half(range(classes), range(classes), split).sum() for split in ("train", "test")]
        assert sizes == [train, classes - train]


def test_the_sets_of_a_split() -> None:
    expected = {"test": ("query", "gallery"), "all": ("train", "query", "gallery"), **{name: (name,) for name in ("train", "query", "gallery")}}
    assert {split: retrieval_sets(split) for split in expected} == expected
    assert [retrieval_sets(split, ("train", "test")) for split in ("test", "train", "all")] == [("test",), ("train",), ("train", "test")]
    assert retrieval_sets("test", ("query", "gallery")) == retrieval_sets("all", ("query", "gallery")) == ("query", "gallery")
    with pytest.raises(InputError, match="There is no split 'train'; choose from test, query, gallery, all"):
        retrieval_sets("train", ("query", "gallery"))
