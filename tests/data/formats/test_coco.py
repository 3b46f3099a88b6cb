"""COCO's files, as pycocotools reads them, and as Label Studio, Roboflow, and our own export write them."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from pycocotools.coco import COCO

import likeness as lk
from likeness.data import absolute_source, is_published_source
from likeness.errors import InputError
from likeness.io import read_image
from numbered_pictures import numbers, write_pictures

BOXES = [(0, 3, [4, 5, 6, 7]), (1, 3, [0, 0, 20, 10]), (1, 2, [20, 10, 10, 5])]


def content(*names: str, **more: Any) -> dict[str, Any]:
    images = [{"id": number, "file_name": name, "width": 40, "height": 20} for number, name in enumerate(names)]
    boxes = [box for box in BOXES if box[0] < len(names)]
    annotations = [{"id": row, "image_id": i, "category_id": c, "bbox": box, "area": 1, "iscrowd": 0} for row, (i, c, box) in enumerate(boxes)]
    return {"images": images, "annotations": annotations, "categories": [{"id": 2, "name": "ear"}, {"id": 3, "name": "eye"}]} | more


def write(file: Path, what: dict[str, Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(what))
    return file


def test_images_and_objects_are_those_of_pycocotools(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "x", "images/a.png", "images/b.png", "images/c.png")
    file = write(folder / "labels.json", content("a.png", "b.png", "c.png"))
    with contextlib.redirect_stdout(io.StringIO()):
        theirs = COCO(str(file))
    table, regions = lk.read(file), lk.read(file, regions=True)
    assert numbers(table) == [0, 1, 2]
    expected = [sorted({theirs.cats[each["category_id"]]["name"] for each in theirs.imgToAnns[number]}) for number in range(3)]
    assert [json.loads(each) if isinstance(each, str) else [] for each in table.frame["labels"]] == expected == [["eye"], ["ear", "eye"], []]
    assert regions.frame["label"].tolist() == [theirs.cats[each["category_id"]]["name"] for each in theirs.dataset["annotations"]]
    for path, each in zip(regions.paths(), theirs.dataset["annotations"], strict=True):
        assert read_image(path).size == tuple(each["bbox"][2:])
    assert regions.frame["path"][0] == "images/a.png#xywh=4,5,6,7"


def test_a_folder_as_coco_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = write_pictures(tmp_path / "coco", "train2017/a.png", "train2017/b.png", "val2017/a.png")
    write(folder / "annotations" / "instances_train2017.json", content("a.png", "b.png"))
    write(folder / "annotations" / "instances_val2017.json", content("a.png"))
    said = [{"id": 1, "image_id": 0, "caption": "an eye "}, {"id": 2, "image_id": 0, "caption": "one"}]
    write(folder / "annotations" / "captions_train2017.json", content("a.png", "b.png") | {"annotations": said})
    table = lk.read(folder)
    assert table.frame["path"].tolist() == ["train2017/a.png", "train2017/b.png", "val2017/a.png"]
    assert table.frame["split"].tolist() == ["train2017", "train2017", "val2017"]
    assert table.frame["captions"][0] == '["an eye", "one"]'
    assert table.notes[0] == "Read as COCO; 'folder:coco' takes all of its images, and the names of its folders."
    assert lk.read(folder, as_="folder").attributes == ["split"] or lk.read(folder, as_="folder").attributes == ["class"]
    assert len(lk.read(folder, regions=True)) == 4
    source = absolute_source(f"boxes:{folder.name}/")
    assert (source, len(lk.read(source)), is_published_source(source)) == (f"boxes:{folder}", 4, False)
    assert lk.read(f"folder:{folder}").frame["path"].tolist() == lk.read(folder, as_="folder").frame["path"].tolist()


def test_a_folder_as_roboflow_has_it(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "r", "train/a.png", "train/b.png", "valid/a.png")
    write(folder / "train" / "_annotations.coco.json", content("a.png", "b.png"))
    write(folder / "valid" / "_annotations.coco.json", content("a.png"))
    assert lk.read(folder).frame["split"].tolist() == ["train", "train", "valid"]
    assert numbers(lk.read(folder)) == [0, 1, 2]


def test_our_own_export_comes_back(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "own", "cat/a.png", "cat/b.png", "dog/a.png", "dog/b.png")
    table = lk.read(folder)
    lk.export(table, "coco", tmp_path / "elsewhere.json")
    again = lk.read(tmp_path / "elsewhere.json")
    assert again.paths() == table.paths()
    assert again.frame["class"].tolist() == again.frame["label"].tolist() == ["cat"] * 2 + ["dog"] * 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"images": [{"id": 0, "file_name": "../none/a.png"}]}, r"None of the 1 images that 'x\.json' lists is in"),
        ({"categories": []}, r"'x\.json' cannot be read as COCO \(3\)"),
        ({"images": [{"id": 0}]}, r"'x\.json' cannot be read as COCO \('file_name'\)"),
        ({"images": 3}, r"'x\.json' cannot be read as COCO"),
        ({"annotations": [{"image_id": 0, "category_id": 3, "bbox": ["a", 1, 2, 3]}]}, r"'x\.json' cannot be read as COCO"),
    ],
)
def test_damaged_files(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    write_pictures(tmp_path, "a.png")
    file = write(tmp_path / "x.json", content("a.png") | change)
    with pytest.raises(InputError, match=message):
        lk.read(file, as_="coco")


def test_without_boxes_there_are_no_regions(tmp_path: Path) -> None:
    write_pictures(tmp_path, "a.png")
    with pytest.raises(InputError, match=r"'x\.json' has no boxes; read its images without `regions`"):
        lk.read(write(tmp_path / "x.json", content("a.png") | {"annotations": []}), regions=True)


def test_regions_come_back_from_our_exports(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "own", "a.png", "b.png")
    boxes = [("a.png", 4, 5, 6, 8, "eye", "left"), ("a.png", 0, 0, 20, 10, "ear", "right"), ("b.png", 20, 10, 10, 5, "eye", "left")]
    (folder / "t.csv").write_text("path,x,y,w,h,kind,side\n" + "\n".join(",".join(map(str, box)) for box in boxes * 2) + "\n")
    table = lk.read(folder / "t.csv")
    assert len(table) == 3
    lk.export(table, "coco", tmp_path / "x.json", label="kind")
    again = lk.read(tmp_path / "x.json", regions=True)
    assert [read_image(path).tobytes() for path in again.paths()] == [read_image(path).tobytes() for path in table.paths()]
    assert again.frame["side"].tolist() == table.frame["side"].tolist()
    lk.export(table, "yolo", tmp_path / "yolo", label="kind", val=0.0, link="copy")
    yolo = lk.read(tmp_path / "yolo", regions=True)
    assert sorted(yolo.frame["label"]) == sorted(table.frame["kind"])
    assert sorted(read_image(path).tobytes() for path in yolo.paths()) == sorted(read_image(path).tobytes() for path in table.paths())
