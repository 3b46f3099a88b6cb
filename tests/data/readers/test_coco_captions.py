"""COCO's captions on a miniature in Karpathy's layout."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from likeness.data.captions_column import read_captions
from likeness.data.readers.coco_captions import read_coco_captions
from likeness.errors import InputError

PARTS = [("train", "train2014"), ("restval", "val2014"), ("val", "val2014"), ("test", "val2014"), ("train", "train2014")]


def entries() -> list[dict[str, Any]]:
    found = []
    for number, (split, place) in enumerate(PARTS):
        sentences = [{"raw": f"Sentence {i} of {number}.", "tokens": ["sentence"], "imgid": number, "sentid": i} for i in range(5)]
        name = f"COCO_{place}_{number:012}.jpg"
        found.append({"filename": name, "filepath": place, "split": split, "sentences": sentences, "cocoid": 100 + number, "imgid": number})
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "coco"
    for entry in entries():
        file = folder / entry["filepath"] / entry["filename"]
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 6)).save(file)
    write(folder, entries())
    return folder


def write(folder: Path, images: Any) -> None:
    (folder / "dataset_coco.json").write_text(json.dumps({"images": images, "dataset": "coco"}), encoding="utf-8")


def test_images_captions_and_parts(root: Path) -> None:
    table = read_coco_captions(root)
    assert table.frame["split"].tolist() == ["train", "train", "validation", "test", "train"]
    assert table.frame["cocoid"].tolist() == [100, 101, 102, 103, 104]
    assert table.frame["path"][1] == "val2014/COCO_val2014_000000000001.jpg"
    assert all(path.is_file() for path in table.paths())
    assert read_captions(table)[3] == [f"Sentence {i} of 3." for i in range(5)]


def test_one_part_and_the_folder_around(root: Path) -> None:
    assert len(read_coco_captions(root.parent, "train")) == 3
    assert read_coco_captions(root, "test").frame["cocoid"].tolist() == [103]


def without(key: str) -> list[dict[str, Any]]:
    found = entries()
    del found[1][key]
    return found


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (None, "'dataset_coco.json' of COCO captions has no list 'images'"),
        ([], "has no list 'images'"),
        (without("filename"), "In 'dataset_coco.json' of COCO captions, image 1 is"),
        (without("sentences"), "expected a filename, one of the splits train, restval, val, test, and sentences with raw text"),
        (without("split"), "image 1 is"),
        ([*entries(), 3], "image 5 is '3'"),
        ([*entries(), entries()[0] | {"split": "validate"}], "image 5 is"),
        (
            [*entries(), entries()[0] | {"sentences": []}],
            "The image 'COCO_train2014_000000000000.jpg' in 'dataset_coco.json' of COCO captions",
        ),
        ([*entries(), entries()[0] | {"sentences": [{"raw": " "}]}], "has no caption"),
    ],
)
def test_a_damaged_file_is_told(root: Path, images: Any, message: str) -> None:
    write(root, images)
    with pytest.raises(InputError, match=re.escape(message)):
        read_coco_captions(root)


def test_other_files_and_places_are_told(root: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no split 'val'; choose from test, train, validation, all"):
        read_coco_captions(root, "val")
    (root / "dataset_coco.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=re.escape("'dataset_coco.json' of COCO captions is no JSON")):
        read_coco_captions(root)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="There is no COCO captions in"):
        read_coco_captions(tmp_path / "empty")
