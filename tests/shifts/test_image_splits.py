"""Splits of a table's classes against the steps that they are made of."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.shifts import SplitOptions, build_splits, divisible_classes, list_splits, read_splits, split_steps, start_halves, write_splits

NAMES = list("abcdefgh")


def _table(labels: list[str]) -> ImageTable:
    return ImageTable("few", Path("/"), pd.DataFrame({"path": [f"{row}.png" for row in range(len(labels))], "kind": labels}))


def test_classes_that_can_be_divided() -> None:
    assert divisible_classes(_table(list("aabbccdd")), ["kind"]).names == list("abcd")
    with pytest.raises(InputError, match="By kind there are 3 classes"):
        divisible_classes(_table(list("aabbcc")), ["kind"])
    with pytest.raises(InputError, match="hardly any with two images"):
        divisible_classes(_table(list("aabcde")), ["kind"])


@pytest.mark.parametrize("options", [SplitOptions(), SplitOptions(2, "official", "score", easier=True, random=True)])
def test_splits_are_the_steps_and_say_how_they_were_made(options: SplitOptions) -> None:
    means = np.random.default_rng(0).normal(size=(8, 5))
    splits = build_splits(means, NAMES, options, dataset="few", attribute="kind", encoder="own")
    steps = split_steps(means, *start_halves(8, options.random), options.per_step, options.rule, options.removal, options.easier)
    assert [split.name for split in splits] == [step.name for step in steps]
    for split, step in zip(splits, steps, strict=True):
        assert split.distance == pytest.approx(step.split.distance)
        assert set(split.train) == {NAMES[number] for number in step.split.train}
    assert (splits.rule, splits.removal, splits.per_step, splits.dataset) == (options.rule, options.removal, options.per_step, "few")


def test_some_of_the_splits_cover_the_range_and_have_the_start(tmp_path: Path) -> None:
    splits = build_splits(np.random.default_rng(1).normal(size=(8, 5)), NAMES, SplitOptions(), dataset="few", attribute="kind")
    some = splits.evenly(2)
    assert len(some.splits) == 2
    assert "start" in [split.name for split in some]
    assert set(some.splits) <= set(splits.splits)
    write_splits(tmp_path / "mine.json", some)
    (tmp_path / "notes.txt").write_text("none")
    assert list(list_splits(tmp_path)) == ["mine"]
    assert read_splits(list_splits(tmp_path)["mine"]) == some
