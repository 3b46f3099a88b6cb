"""Pseudolabels from files: what is written reads back, the shipped ones fit the shipped images, each fault is one sentence."""

from pathlib import Path

import pytest

from likeness.data import image_classes, read_cars
from likeness.errors import InputError
from likeness.language import imagenet_names, pseudolabels_of, read_pseudolabels, write_pseudolabels


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    labels = {"cat, grey": ["tabby", "Egyptian cat"], "Hund": ["dachshund"]}
    write_pseudolabels(tmp_path / "own.csv", labels)
    assert read_pseudolabels(str(tmp_path / "own.csv")) == labels


def test_the_shipped_ones_name_every_class_of_synthetic_cars_by_imagenet_names() -> None:
    labels = read_pseudolabels("synthetic-cars")
    assert sorted(labels) == sorted(image_classes(read_cars(), ["car_color", "body_type"]).names)
    known = set(imagenet_names())
    assert all(len(set(names)) == 20 and set(names) <= known for names in labels.values())


def test_the_k_best_of_each_class_come_in_the_order_of_the_classes() -> None:
    labels = {"a": ["x", "y", "z"], "b": ["y", "x", "w"]}
    assert pseudolabels_of(["b", "a"], labels, 2) == [["y", "x"], ["x", "y"]]


@pytest.mark.parametrize(("k", "told"), [(4, "'a' has 3"), (1, "'c' has none")])
def test_too_few_names_of_a_class_are_refused(k: int, told: str) -> None:
    with pytest.raises(InputError, match=told):
        pseudolabels_of(["a", "c"], {"a": ["x", "y", "z"]}, k)


@pytest.mark.parametrize(("content", "told"), [("", "empty"), ("a,x\na,y\n", "'a' twice"), ("a\n", "'a' without a name")])
def test_a_damaged_file_is_refused(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "own.csv").write_text(content)
    with pytest.raises(InputError, match=told):
        read_pseudolabels(str(tmp_path / "own.csv"))
    with pytest.raises(InputError, match="cannot be read"):
        read_pseudolabels(str(tmp_path / "none.csv"))
