"""COCO's captions on a miniature in Karpathy's layout."""

import json
from pathlib import Path

import pytest

from likeness.data import read_captions
from likeness.data.readers.coco_captions import read_coco_captions
from likeness.errors import InputError

DATASET = "coco-captions"


def test_images_captions_and_parts(root: Path) -> None:
    table = read_coco_captions(root)
    assert table.frame["split"].tolist() == ["train", "train", "validation", "test", "test"]
    assert table.frame["cocoid"].tolist() == [0, 1, 2, 3, 4]
    assert table.frame["path"][1] == "val2014/COCO_val2014_000000000001.jpg"
    assert read_captions(table)[3] == [f"Sentence {i} of 3." for i in range(5)]
    assert len(read_coco_captions(root.parent, "train")) == 2
    assert read_coco_captions(root, "test").frame["cocoid"].tolist() == [3, 4]


@pytest.mark.parametrize("sentences", [[], [{"raw": " "}]])
def test_an_image_without_a_sentence_is_named(root: Path, sentences: list[dict[str, str]]) -> None:
    images = json.loads((root / "dataset_coco.json").read_text())["images"]
    images[0]["sentences"] = sentences
    (root / "dataset_coco.json").write_text(json.dumps({"images": images}))
    with pytest.raises(InputError, match=r"'dataset_coco\.json' of COCO captions has no caption of the image 'COCO_train2014_000000000000\.jpg'"):
        read_coco_captions(root)
