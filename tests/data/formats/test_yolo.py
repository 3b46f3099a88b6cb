"""Detection data in the layouts that Ultralytics documents, and as Label Studio's converter writes it."""

from pathlib import Path

import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.io import read_image
from numbered_pictures import numbers, write_pictures

YAML = "path: {path}\ntrain: images/train\nval: images/val\nnames:\n  0: eye\n  1: ear\n"
LABELS = {"train/a": "0 0.3 0.6 0.1 0.2\n1 0.25 0.25 0.5 0.5\n", "val/c": "1 0.1 0.1 0.4 0.1 0.4 0.6 0.2 0.3\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """images/train and images/val, as COCO8 lies on a disk; b has no objects, c an outline."""
    root = write_pictures(tmp_path / "yolo", "images/train/a.png", "images/train/b.png", "images/val/c.png")
    for name, text in LABELS.items():
        (root / "labels" / name).with_suffix(".txt").parent.mkdir(parents=True, exist_ok=True)
        (root / "labels" / name).with_suffix(".txt").write_text(text)
    (root / "data.yaml").write_text(YAML.format(path="../nowhere"))
    return root


def test_images_have_the_names_of_their_objects(folder: Path) -> None:
    for source in (folder, folder / "data.yaml"):
        table = lk.read(source)
        assert numbers(table) == [0, 1, 2]
        assert table.frame["split"].tolist() == ["train", "train", "val"]
        assert table.frame["labels"].fillna("").tolist() == ['["ear", "eye"]', "", '["ear"]']
    assert "Read as YOLO" in lk.read(folder).notes[0]


def test_a_region_is_the_box_or_what_encloses_the_outline(folder: Path) -> None:
    table = lk.read(folder, regions=True)
    assert table.frame["label"].tolist() == ["eye", "ear", "ear"]
    assert table.frame["split"].tolist() == ["train", "train", "val"]
    assert [read_image(path).size for path in table.paths()] == [(4, 4), (20, 10), (12, 10)]  # of 40 x 20
    (folder / "data.yaml").write_text(YAML.format(path=".") + "kpt_shape: [2, 2]\n")
    (folder / "labels/train/a.txt").write_text("0 0.3 0.6 0.1 0.2 0.9 0.9 0.8 0.8\n")  # a box and two points
    assert read_image(lk.read(folder, regions=True).paths()[0]).size == (4, 4)


def test_a_split_with_a_folder_of_its_own_and_a_list_of_names(tmp_path: Path) -> None:
    root = write_pictures(tmp_path / "r", "train/images/a.png", "valid/images/b.png")
    for split, name in (("train", "a"), ("valid", "b")):
        (root / split / "labels").mkdir()
        (root / split / "labels" / f"{name}.txt").write_text("0 0.5 0.5 1 1\n")
    (root / "data.yaml").write_text("train: ../train/images\nnames: [eye]\nnc: 1\n")
    table = lk.read(root)
    assert (table.frame["split"].tolist(), table.frame["label"].tolist()) == (["train", "valid"], ["eye", "eye"])


def test_names_in_classes_txt(tmp_path: Path) -> None:
    root = write_pictures(tmp_path / "s", "images/a.png", "images/b.png")
    (root / "labels").mkdir()
    # as label_studio_sdk.converter.Converter.convert_to_yolo wrote it
    (root / "classes.txt").write_text("cat\ndog\near\neye\n")
    (root / "labels" / "a.txt").write_text("3 0.3 0.6 0.1 0.2\n")
    (root / "labels" / "b.txt").write_text("3 0.25 0.25 0.5 0.5\n2 0.625 0.625 0.25 0.25\n")
    table = lk.read(root, regions=True)
    assert table.frame["label"].tolist() == ["eye", "eye", "ear"]
    assert [read_image(path).size for path in table.paths()] == [(4, 4), (20, 10), (10, 5)]


@pytest.mark.parametrize("line", ["7 0.5 0.5 1 1", "0 0.5", "a b c d e", "0 nan nan 1 1 x"])
def test_damaged_labels(folder: Path, line: str) -> None:
    (folder / "labels/train/a.txt").write_text(f"{line}\n")
    with pytest.raises(InputError, match=rf"'a\.txt' has the line '{line}', expected one of the classes and the sides of a box"):
        lk.read(folder)


def test_a_damaged_index(folder: Path) -> None:
    (folder / "data.yaml").write_text("names: 3\ntrain: x")
    with pytest.raises(InputError, match="'yolo' cannot be read as YOLO"):
        lk.read(folder)
