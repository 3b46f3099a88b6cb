"""Files of splits: what is written is read again, what ships, and one clear error for each that does not fit."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from likeness.errors import InputError
from likeness.shifts import ClassSplit, read_splits, select_evenly, shipped_splits, splits_from, write_splits


@pytest.fixture
def content() -> dict[str, Any]:
    split = {"name": "start", "step": 0, "distance": 1.5, "train": ["a", "b", "c", "d"], "test": ["e", "f"], "tuning": ["c", "d"]}
    other = split | {"name": "swap 1", "step": 1, "distance": 2.5, "train": ["a", "b", "c", "e"], "test": ["d", "f"], "tuning": ["b", "c"]}
    other["episodes"] = [{"shots": 2, "support": [[["1.jpg", "[2\n].jpg"]], [["   3.jpg", "4 ].jpg"]]]}]
    return {"format": "likeness splits", "version": 1, "dataset": "letters", "encoder": "eyes", "splits": [split, other]}


def test_what_is_written_is_read_again_with_its_changes(content: dict[str, Any], tmp_path: Path) -> None:
    splits = splits_from(content)
    write_splits(tmp_path / "ä ö.json", splits)
    assert read_splits(tmp_path / "ä ö.json") == splits
    assert [split.name for split in splits] == ["start", "swap 1"]
    assert '   "train": [ "a", "b", "c", "d" ],\n' in (tmp_path / "ä ö.json").read_text()
    with pytest.raises(InputError, match="the split 'swap 1' has episodes of other than its 2 test classes"):
        splits_from(content | {"splits": [content["splits"][1] | {"episodes": [{"shots": 1, "support": [[["1.jpg"]]]}]}]})
    assert splits.named("swap 1").distance == 2.5
    start, swapped = splits_from(content)
    assert swapped.changes_from(start) == {"to train": ("e",), "to test": ("d",), "removed": (), "added": ()}
    smaller = ClassSplit(name="removal 1", distance=3, train=("a", "b"), test=("d", "f"))
    assert smaller.changes_from(swapped)["removed"] == ("c", "e")
    assert swapped.changes_from(smaller)["added"] == ("c", "e")


@pytest.mark.parametrize(
    ("text", "message"), [("{", "is not valid JSON"), ("[1]", "holds no splits"), ('{"a": 1}', "holds no splits"), ("\x00\xff", "is n")]
)
def test_a_file_that_holds_something_else(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.json").write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=message):
        read_splits(tmp_path / "x.json")


@pytest.mark.parametrize("name", shipped_splits())
def test_what_ships_is_in_the_order_of_its_distances(name: str) -> None:
    splits = read_splits(name)
    distances = [split.distance for split in splits]
    assert distances == sorted(distances)
    if splits.rule:  # made by exchanging classes
        assert any(split.name == "start" for split in splits)


def test_the_published_splits_of_cars196(shared: Path) -> None:
    published = json.loads((shared / "data" / "oodml_cars196_splits.json").read_text())
    ours = read_splits("cars196-oodml")
    classes = [name.replace("C-V", "C/V") for name in published["classes"]]  # they name a folder, which can't hold the slash of the official name
    assert len(ours.splits) == 8
    for split, theirs in zip(ours, published["splits"], strict=True):
        named = {part: [classes[number] for number in theirs[part]] for part in ("train", "test", "tuning_val")}
        assert split.distance == theirs["fid"]
        assert (list(split.train), list(split.test), list(split.tuning)) == (named["train"], named["test"], named["tuning_val"])
        assert set(split.train) - set(split.tuning) == {classes[number] for number in theirs["tuning_train"]}
        assert [(each.shots, {len(own) for own in each.support}) for each in split.episodes] == [(2, {10}), (5, {10})]


@given(st.lists(st.floats(0, 100), min_size=3, max_size=9), st.data())
def test_no_other_choice_is_more_even(distances: list[float], data: st.DataObject) -> None:
    count = data.draw(st.integers(2, len(distances)))
    keep = data.draw(st.none() | st.integers(0, len(distances) - 1))
    targets = np.linspace(min(distances), max(distances), count)

    def cost(choice: "tuple[int, ...] | list[int]") -> float:
        return float(((np.sort([distances[each] for each in choice]) - targets) ** 2).sum())

    chosen = select_evenly(distances, count, keep)
    allowed = [choice for choice in combinations(range(len(distances)), count) if keep is None or keep in choice]
    assert len(set(chosen)) == count
    assert keep is None or keep in chosen
    assert cost(chosen) <= min(map(cost, allowed)) + 1e-9
    assert [distances[each] for each in chosen] == sorted(distances[each] for each in chosen)
