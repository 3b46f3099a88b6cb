"""Files of splits: what is written is read again, what ships, and one clear error for each that does not fit."""

import json
from pathlib import Path
from typing import Any

import pytest

from likeness.errors import InputError
from likeness.shifts import ClassSplit, SplitFile, read_splits, shipped_splits, splits_from, write_splits


@pytest.fixture
def content() -> dict[str, Any]:
    split = {"name": "start", "step": 0, "distance": 1.5, "train": ["a", "b", "c", "d"], "test": ["e", "f"], "tuning": ["c", "d"]}
    other = split | {"name": "swap 1", "step": 1, "distance": 2.5, "train": ["a", "b", "c", "e"], "test": ["d", "f"], "tuning": ["b", "c"]}
    return {"format": "likeness splits", "version": 1, "dataset": "letters", "encoder": "eyes", "splits": [split, other]}


def test_what_is_written_is_read_again(content: dict[str, Any], tmp_path: Path) -> None:
    splits = splits_from(content)
    write_splits(tmp_path / "ä ö.json", splits)
    assert read_splits(tmp_path / "ä ö.json") == splits
    assert [split.name for split in splits] == ["start", "swap 1"]
    assert splits.named("swap 1").distance == 2.5


def test_changes_from_one_split_to_the_next(content: dict[str, Any]) -> None:
    start, swapped = splits_from(content)
    assert swapped.changes_from(start) == {"to train": ("e",), "to test": ("d",), "removed": (), "added": ()}
    smaller = ClassSplit(name="removal 1", distance=3, train=("a", "b"), test=("d", "f"))
    assert smaller.changes_from(swapped)["removed"] == ("c", "e")
    assert swapped.changes_from(smaller)["added"] == ("c", "e")


@pytest.mark.parametrize(
    ("text", "message"), [("{", "is no JSON"), ("[1]", "holds no splits"), ('{"a": 1}', "holds no splits"), ("\x00\xff", "is n")]
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
    assert len(ours.splits) == 8
    for split, theirs in zip(ours, published["splits"], strict=True):
        named = {part: [published["classes"][number] for number in theirs[part]] for part in ("train", "test", "tuning_val")}
        assert split.distance == theirs["fid"]
        assert (list(split.train), list(split.test), list(split.tuning)) == (named["train"], named["test"], named["tuning_val"])
        assert set(split.train) - set(split.tuning) == {published["classes"][number] for number in theirs["tuning_train"]}


def test_a_file_is_whole_or_not_there(content: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "splits.json"
    write_splits(file, splits_from(content))
    before = file.read_bytes()
    monkeypatch.setattr("os.fsync", lambda number: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        write_splits(file, SplitFile(dataset="x", splits=splits_from(content).splits[:1]))
    assert file.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["splits.json"]
