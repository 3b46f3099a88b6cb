"""The authors' pickles are read without executing anything."""

import collections
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.shifts import class_aliases, import_official


@pytest.fixture
def content() -> dict[int, dict[str, Any]]:
    """As the benchmark's files are laid out."""
    easy = {"train": ["b", "a", "c", "d"], "test": ["e", "f", "g"], "fid": np.float64(3.5), "split_train": ["a", "b"], "split_val": ["c", "d"]}
    episodes = {2: {0: {"f": ["3.jpg", "4.jpg"], "e": ["1.jpg", "2.jpg"]}, 1: {"e": ["2.jpg", "5.jpg"], "f": ["4.jpg", "6.jpg"]}}}
    hard = {"train": np.array(["a", "b"]), "test": ["e", "f"], "fid": 9.25, "test_episodes": episodes}
    return {2: hard, 1: easy}


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_splits_of_the_benchmark(content: dict[int, dict[str, Any]], tmp_path: Path, protocol: int) -> None:
    file = tmp_path / "cars196_splits.pkl"
    file.write_bytes(pickle.dumps(collections.OrderedDict(content), protocol=protocol))
    found = import_official(file, "cars196", "car_model")
    assert (found.dataset, found.attribute, found.rule) == ("cars196", "car_model", "official")
    first, second = found.splits
    assert (first.name, first.distance, first.train, first.test, first.tuning) == ("split 1", 3.5, ("b", "a", "c", "d"), ("e", "f", "g"), ("c", "d"))
    assert (second.name, second.distance, second.train, second.tuning) == ("split 2", 9.25, ("a", "b"), ())
    assert first.episodes == ()
    [two] = second.episodes
    assert (two.shots, two.support) == (2, ((("1.jpg", "2.jpg"), ("2.jpg", "5.jpg")), (("3.jpg", "4.jpg"), ("4.jpg", "6.jpg"))))


def test_names_of_folders_and_files_become_those_of_the_classes(tmp_path: Path) -> None:
    paths = ["images/001.Black_Bird/Black_Bird_1.jpg", "images/002.Black_Owl/Black_Owl_1.jpg", "images/002.Black_Owl/Black_Owl_2.jpg"]
    birds = class_aliases(paths, ["Black Bird", "Black Owl", "Black Owl"])
    assert birds == {"001.Black_Bird": "Black Bird", "002.Black_Owl": "Black Owl", "Black Bird": "Black Bird", "Black Owl": "Black Owl"}
    assert class_aliases(["car_ims/1.jpg"], ["Ram C/V Van 2012"])["Ram C-V Van 2012"] == "Ram C/V Van 2012"
    products = class_aliases([f"chair_final/{item}_0.JPG" for item in (111, 222, 333, 444)], ["1", "2", "3", "4"])
    file = tmp_path / "x.pkl"
    content = {"train": ["111", "222"], "test": ["333", "444"], "fid": 1.0, "split_val": []}
    file.write_bytes(pickle.dumps({1: content}))
    [split] = import_official(file, "products", "product", products).splits
    assert (split.train, split.test) == (("1", "2"), ("3", "4"))
    four = {"train": ["111", "222", "333", "444"], "test": ["5", "6"], "fid": 1.0, "split_val": [1, 2]}  # tuning classes by their numbers
    file.write_bytes(pickle.dumps({1: four}))
    [split] = import_official(file, "products", "product", products | {"5": "5", "6": "6"}).splits
    assert split.tuning == ("1", "2")
    file.write_bytes(pickle.dumps({1: content | {"test": ["333", "555"]}}))
    with pytest.raises(InputError, match=r"'x\.pkl' names the class '555', but no class, folder or file of the images has this name"):
        import_official(file, "products", "product", products)


class _Evil:
    def __init__(self, action: Any) -> None:
        self.action = action

    def __reduce__(self) -> Any:
        return self.action


@pytest.mark.parametrize(("protocol", "nested"), [(0, False), (2, True), (4, True)])
def test_nothing_is_executed(tmp_path: Path, protocol: int, nested: bool) -> None:
    target = tmp_path / "proof"
    for action in ((os.system, (f"touch {target}",)), (eval, (f"open({str(target)!r}, 'w')",)), (np.load, (str(target),))):
        content: Any = _Evil(action)
        file = tmp_path / "evil.pkl"
        file.write_bytes(pickle.dumps({1: {"train": [content]}} if nested else content, protocol=protocol))
        with pytest.raises(InputError, match="is not a pickle of plain splits: it asks for"):
            import_official(file, "x")
        assert not target.exists()


@pytest.mark.parametrize(
    "data", [b"", b"not a pickle", b"\x80\x04\x95", pickle.dumps({1: {"train": ["a"]}})[:-9], b"\x80\x04K\x01.", b"cposix\nsystem\n."]
)
def test_damaged_files(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "x.pkl"
    file.write_bytes(data)
    with pytest.raises(InputError):
        import_official(file, "x")


def test_other_content(content: dict[int, dict[str, Any]], tmp_path: Path) -> None:
    file = tmp_path / "x.pkl"
    for other, message in (
        ([1, 2], "holds no splits of the ooDML benchmark"),
        ({1: {"train": ["a"], "test": ["b"]}}, "holds no splits"),
        ({1: content[1] | {"test": ["a", "e"]}}, "the class 'a' both in train and in test"),
        ({1: content[1] | {"fid": "far"}}, "a fid that is not a number"),
        ({1: content[2] | {"test_episodes": {2: {0: {"e": ["1.jpg", "2.jpg"]}}}}}, "The test_episodes of 'x.pkl' lack 'f'"),
        ({1: content[2] | {"test_episodes": {3: content[2]["test_episodes"][2]}}}, "the episodes of 3 shots need as many for each class, with 3"),
    ):
        file.write_bytes(pickle.dumps(other))
        with pytest.raises(InputError, match=message):
            import_official(file, "x")
    with pytest.raises(InputError, match="cannot be read"):
        import_official(tmp_path / "nothing.pkl", "x")
