"""GeneCIS on a miniature of its layout."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiments.public_benchmarks.datasets.genecis import genecis_tasks, read_genecis, read_templates
from likeness.errors import InputError


@pytest.fixture
def root(miniatures: dict[str, Callable[[Path], Path]], tmp_path: Path) -> Path:
    return miniatures["genecis"](tmp_path)


def test_images_and_templates(root: Path) -> None:
    frame = read_genecis(root).frame
    assert len(frame) == frame["path"].nunique() == 7
    assert dict(zip(frame["path"], frame["tasks"], strict=True))["VG_100K_all/7.jpg"] == "change_attribute"
    assert len(read_genecis(root, "focus_object")) == 4
    assert genecis_tasks(root) == ("change_attribute", "focus_object")
    first, second = read_templates(root, "focus_object")
    assert (first.reference.path, first.condition, first.target.path) == ("val2017/000000000001.jpg", "wall", "val2017/000000000022.jpg")
    assert [picture.path for picture in second.gallery] == ["val2017/000000000001.jpg", "val2017/000000004444.jpg"]
    assert read_templates(root, "change_attribute")[0].target.box == (2.0, 2.0, 10.0, 6.0)
    (root / "VG_100K_all").rename(root / "VG_100K")
    (root / "VG_100K_2").mkdir()
    (root / "VG_100K" / "8.jpg").rename(root / "VG_100K_2" / "8.jpg")
    template = read_templates(root, "change_attribute")[0]
    assert (template.reference.path, template.target.path) == ("VG_100K/7.jpg", "VG_100K_2/8.jpg")
    with pytest.raises(InputError, match=r"GeneCIS in '.*' lacks 'genecis/change_object\.json'; take it from .*https://github\.com/facebookresearch"):
        read_genecis(root, "change_object")


COCO = {"val_image_id": 1}


@pytest.mark.parametrize(
    "entry",
    [
        {"condition": "wall", "reference": COCO, "target": COCO},
        {"condition": " ", "reference": COCO, "target": COCO, "gallery": [COCO]},
        {"condition": 3, "reference": COCO, "target": COCO, "gallery": [COCO]},
        {"condition": "wall", "reference": COCO, "target": COCO, "gallery": []},
        {"condition": "wall", "reference": {"val_image_id": "../x"}, "target": COCO, "gallery": [COCO]},
        {"condition": "wall", "reference": {"image_id": 7}, "target": COCO, "gallery": [COCO]},
        {"condition": "wall", "reference": {"image_id": 7, "instance_bbox": [0, 0, 0, 5]}, "target": COCO, "gallery": [COCO]},
        {"condition": "wall", "reference": {"image_id": 7, "instance_bbox": [0, 0, float("nan"), 5]}, "target": COCO, "gallery": [COCO]},
        {"condition": "wall", "reference": 7, "target": COCO, "gallery": [COCO]},
        [],
    ],
)
def test_templates_that_are_damaged(root: Path, entry: Any) -> None:
    (root / "genecis" / "focus_object.json").write_text(json.dumps([entry]), encoding="utf-8")
    with pytest.raises(InputError, match=r"(template 1 is .*, expected a condition and images)|(is no JSON)"):
        read_genecis(root, "focus_object")


@pytest.mark.parametrize(("text", "message"), [("[", "is no JSON"), ("{}", "has no list of entries"), ("[]", "has no list of entries")])
def test_no_list(root: Path, text: str, message: str) -> None:
    (root / "genecis" / "focus_object.json").write_text(text)
    with pytest.raises(InputError, match=rf"'focus_object\.json' of GeneCIS {message}"):
        read_genecis(root)
