"""Tasks as Label Studio documents them, and what `label_studio_sdk.converter` made of the same tasks."""

import json
from pathlib import Path
from typing import Any

import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.io import read_image
from numbered_pictures import numbers, write_pictures


def box(label: str, x: float, y: float, width: float, height: float) -> dict[str, Any]:
    value = {"x": x, "y": y, "width": width, "height": height, "rotation": 0, "rectanglelabels": [label]}
    sizes = {"original_width": 40, "original_height": 20, "image_rotation": 0}
    return {"id": label, "type": "rectanglelabels", "from_name": "box", "to_name": "image", "value": value} | sizes


def answer(name: str, kind: str, given: Any) -> dict[str, Any]:
    return {"id": name, "type": kind, "from_name": name, "to_name": "image", "value": {kind: given}}


def task(number: int, image: str, *results: list[dict[str, Any]]) -> dict[str, Any]:
    annotations = [{"id": 9, "completed_by": 1, "was_cancelled": place > 0, "result": each} for place, each in enumerate(results)]
    return {"id": number, "data": {"image": image, "site": "north"}, "annotations": annotations, "predictions": []}


TASKS = [
    task(
        1, "/data/local-files/?d=images/a.png", [answer("kind", "choices", ["cat"]), box("eye", 25, 50, 10, 20)], [answer("kind", "choices", ["no"])]
    ),
    task(2, "/data/upload/3/1a2b3c4d-b.png", [answer("kind", "choices", ["dog"]), box("eye", 0, 0, 50, 50), box("ear", 50, 50, 25, 25)]),
    task(3, "http://127.0.0.1/data/upload/c%20d.png", [answer("stars", "rating", 4), answer("kind", "choices", ["cat", "dog"])]),
    task(4, "images/e.png"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    root = write_pictures(tmp_path, "images/a.png", "images/1a2b3c4d-b.png", "images/c d.png", "images/e.png")
    (root / "project.json").write_text(json.dumps(TASKS))
    return root / "project.json"


def test_answers_are_attributes_and_rectangles_regions(file: Path) -> None:
    table = lk.read(file)
    assert numbers(table) == [0, 1, 2, 3]
    assert table.frame["kind"].fillna("").tolist() == ["cat", "dog", '["cat", "dog"]', ""]
    assert table.frame["labels"].fillna("").tolist() == ['["eye"]', '["ear", "eye"]', "", ""]
    assert (table.frame["stars"].tolist()[2], table.frame["site"].tolist()) == (4, ["north"] * 4)
    regions = lk.read(file, regions=True)
    assert regions.frame["label"].tolist() == ["eye", "eye", "ear"]
    assert [read_image(path).size for path in regions.paths()] == [(4, 4), (20, 10), (10, 5)]  # the boxes of the converter's COCO file


def test_json_min_as_the_converter_wrote_it(file: Path) -> None:
    own = {"annotator": 1, "annotation_id": 9, "created_at": None, "updated_at": None, "lead_time": 1.5}
    sides = {"x": 25, "y": 50, "width": 10, "height": 20, "rotation": 0, "rectanglelabels": ["eye"], "original_width": 40, "original_height": 20}
    file.write_text(json.dumps([{"image": "/data/local-files/?d=images/a.png", "site": "north", "id": 1, "kind": "cat", "box": [sides]} | own]))
    table = lk.read(file)
    assert table.frame.drop(columns="path").to_dict("records") == [{"site": "north", "kind": "cat", "label": "eye"}]
    assert lk.read(file, regions=True).frame["path"].tolist() == ["images/a.png#xywh=percent:25,50,10,20"]


def test_the_file_of_an_upload_without_its_letters(file: Path) -> None:
    (file.parent / "images/1a2b3c4d-b.png").rename(file.parent / "b.png")
    assert lk.read(file).frame["path"].tolist()[1] == "b.png"


def test_paths_that_lead_elsewhere_stay_missing(file: Path) -> None:
    (file.parent.parent / "secret.png").write_bytes(b"x")
    file.write_text(json.dumps([task(1, "/data/local-files/?d=../secret.png", []), TASKS[3]]))
    assert lk.read(file).frame["path"].tolist() == ["../secret.png", "images/e.png"]
    file.write_text(json.dumps([TASKS[0] | {"annotations": [{"result": [{"value": 3, "from_name": "x"}]}]}]))
    with pytest.raises(InputError, match=r"'project\.json' cannot be read as Label Studio's JSON"):
        lk.read(file)
