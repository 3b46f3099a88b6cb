"""COCO by pycocotools, YOLO folders by torchvision's ImageFolder (which Ultralytics uses), folders of links by what lies in them."""

import contextlib
import io
import json
import os
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from PIL import Image

import likeness as lk
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.exports.image_files import FreeNames, safe_name

BREEDS = ["cat/dog", "..", "cat/dog", "..", "Pug", "pug", "Pug", "pug", "..", "", "cat/dog", ""]


def test_coco_is_read_by_pycocotools(table: ImageTable, tmp_path: Path) -> None:
    import pycocotools.mask
    from pycocotools.coco import COCO

    lk.export(table, "coco", tmp_path / "out.json", label="breed")
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO(str(tmp_path / "out.json"))
    names = {each["id"]: each["name"] for each in coco.loadCats(coco.getCatIds())}
    assert sorted(names.values()) == sorted({"..", "Pug", "cat/dog", "pug"})
    for row, (image, path) in enumerate(zip(coco.loadImgs(coco.getImgIds()), table.frame["path"], strict=True)):
        assert image["file_name"] == path
        assert (image["width"], image["height"]) == (10 + row, 8)
        found = coco.loadAnns(coco.getAnnIds(imgIds=[image["id"]]))
        expected = table.frame["breed"].astype(object).iloc[row]
        assert [names[each["category_id"]] for each in found] == ([] if pd.isna(expected) or expected == "(unlabeled)" else [expected])
        assert all(each["bbox"] == [0, 0, image["width"], image["height"]] for each in found)
        assert image["attributes"]["count"] == row
        assert image["attributes"]["note"] == table.frame["note"].iloc[row]
        assert ("weight" in image["attributes"]) == (row != 1)
    assert pycocotools.mask.area(coco.annToRLE(coco.loadAnns([1])[0])) == 80


def test_coco_without_a_label_has_every_class_and_tag(table: ImageTable, tmp_path: Path) -> None:
    written = lk.export(table, "coco", tmp_path / "out.json")
    assert written.note == "5 categories of breed, good"
    found = pd.read_json(tmp_path / "out.json", typ="series")
    assert [each["name"] for each in found["categories"]] == ["breed: ..", "breed: Pug", "breed: cat/dog", "breed: pug", "good"]
    assert sum(each["category_id"] == 5 for each in found["annotations"]) == 6


def test_yolo_folders_are_read_by_image_folder(table: ImageTable, files: dict[str, bytes], tmp_path: Path) -> None:
    from torchvision.datasets import ImageFolder

    written = lk.export(table, "yolo", tmp_path / "out", label="breed", val=0.5)
    assert (written.n, written.note.split(";")[0][:40]) == (10, "2 images without a 'breed' were skipped.")
    train, val = (ImageFolder(str(tmp_path / "out" / part)) for part in ("train", "val"))
    names = yaml.safe_load((tmp_path / "out" / "data.yaml").read_text())["names"]
    assert train.classes == val.classes == [names[number] for number in range(4)] == ["Pug", "_", "cat_dog", "pug-2"]
    listed = pd.read_csv(tmp_path / "out" / "metadata.csv", keep_default_na=False)
    folder_of = {"cat/dog": "cat_dog", "..": "_", "Pug": "Pug", "pug": "pug-2"}
    for part, dataset in (("train", train), ("val", val)):
        lines = (tmp_path / "out" / f"{part}.txt").read_text().splitlines()
        assert sorted(lines) == sorted(f"./{part}/{os.path.relpath(path, tmp_path / 'out' / part)}" for path, _ in dataset.samples)
    for path, source, breed in zip(listed["file_name"], listed["source"], listed["breed"], strict=True):
        assert path.split("/")[1] == folder_of[breed]
        assert (tmp_path / "out" / path).read_bytes() == files[os.path.relpath(source, table.root)]
    assert len({path.rsplit("/", 1)[1].lower() for path in listed["file_name"]}) == 10
    counts = pd.Series([path.split("/")[0] for path in listed["file_name"]]).groupby(listed["breed"].to_numpy()).value_counts()
    assert counts["..", "val"] == 2 or counts["..", "val"] == 1
    assert counts["Pug", "val"] == counts["pug", "val"] == 1


def test_yolo_takes_a_split_that_is_given(table: ImageTable, tmp_path: Path) -> None:
    table.frame["part"] = ["train", "train", "val", "val", "train", "train", "val", "val", "train", None, "train", None]
    lk.export(table, "yolo", tmp_path / "out", label="breed", split="part")
    listed = pd.read_csv(tmp_path / "out" / "metadata.csv")
    assert [path.split("/")[0] for path in listed["file_name"]] == listed["part"].tolist()
    for name in ("a", "b"):
        lk.export(table, "yolo", tmp_path / name, label="breed", val=0.5, seed=3)
    assert (tmp_path / "a" / "val.txt").read_text() == (tmp_path / "b" / "val.txt").read_text()


@pytest.mark.parametrize("link", ["symlink", "hard", "copy"])
def test_links_lead_to_the_images(link: str, table: ImageTable, files: dict[str, bytes], tmp_path: Path) -> None:
    lk.export(table, "links", tmp_path / "out", link=link)
    listed = lk.read(tmp_path / "out" / "metadata.csv")
    assert len(listed) == 12
    for row, path in enumerate(table.frame["path"]):
        assert listed.file(row).read_bytes() == files[path]
        assert listed.file(row).is_symlink() == (link == "symlink")
        assert os.path.samefile(listed.file(row), table.file(row)) == (link != "copy")
    assert sorted(name for name in os.listdir(tmp_path / "out") if name != "metadata.csv") == sorted(
        [*(f"{number}.png" for number in range(6)), *(f"{number}-2.png" for number in range(6))]
    )


def test_links_lie_in_a_folder_for_each_class_and_nowhere_else(table: ImageTable, tmp_path: Path) -> None:
    written = lk.export(table, "links", tmp_path / "in" / "out", label="breed")
    assert written.note == "2 images without a 'breed' are in the top folder."
    assert os.listdir(tmp_path / "in") == ["out"]
    lk.export(table, "links", tmp_path / "tag", label="good")
    assert sorted(os.listdir(tmp_path / "tag")) == ["good", "metadata.csv", "not good"]
    folders = [path.split("/")[0] if "/" in path else "" for path in pd.read_csv(tmp_path / "in" / "out" / "metadata.csv")["file_name"]]
    assert folders == [{"cat/dog": "cat_dog", "..": "_", "Pug": "Pug", "pug": "pug-2", "": ""}[breed] for breed in BREEDS]


def test_odd_names_of_files_are_linked(odd_names: Path, tmp_path: Path) -> None:
    table = lk.read(odd_names)
    lk.export(table, "links", tmp_path / "out")
    for row, file in enumerate(sorted(pd.read_csv(tmp_path / "out" / "metadata.csv")["file_name"])):
        assert (tmp_path / "out" / file).is_file(), row
    lk.export(table, "coco", tmp_path / "out.json")


def test_names_are_safe_and_handed_out_once() -> None:
    texts = ["a/b", "a\\b", "..", ".", "", " ", "a\0b", "con", "CON.txt", "x" * 300, "é" * 200, "a?b", "-a", "trailing.", "\ud800"[:0] or "z"]
    names = FreeNames()
    found = [names.of(text) for text in texts]
    assert len({name.casefold() for name in found}) == len(texts)
    for name in found:
        assert not set(name) & set('/\\<>:"|?*\0')
        assert name not in (".", "..")
        assert 0 < len(name.encode()) <= 160
        assert not name.endswith((".", " "))
    assert safe_name("con") == "_con"


@pytest.mark.parametrize("target", ["links", "yolo", "coco"])
def test_missing_files_are_named_before_anything_is_written(target: str, table: ImageTable, tmp_path: Path) -> None:
    table.file(4).unlink()
    place = tmp_path / ("out.json" if target == "coco" else "out")
    with pytest.raises(InputError, match=r"There are 1 images whose file is missing, first 'one/4.png'; export the others"):
        lk.export(table, target, place, **({"label": "breed"} if target != "coco" else {}))
    assert sorted(os.listdir(tmp_path)) == ["photos"]
    lk.export(table, target, place, rows=[0, 1, 2, 3], **({"label": "breed"} if target != "coco" else {}))


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("links", {"label": "nope"}, "There is no attribute 'nope'; there are breed, good"),
        ("links", {"label": "breed,good"}, "'breed,good' lists 2 attributes, but folders need one"),
        ("links", {"link": "move"}, "There is no link 'move'; choose from symlink, hard, copy"),
        ("yolo", {}, "Pass the class attribute as label"),
        ("yolo", {"label": "breed", "val": 1.5}, "val is 1.5, but must be a share"),
        ("yolo", {"label": "breed", "rows": [0, 1, 2, 3, 5]}, "The class 'pug' would have no image in 'train'"),
        ("yolo", {"label": "breed", "rows": [9, 11]}, "No image has a 'breed'"),
        ("yolo", {"label": "breed", "split": "good"}, "'good' has the value 'true', expected one of train, val, test"),
        ("yolo", {"label": "breed", "split": "nope"}, "There is no attribute 'nope'"),
    ],
)
def test_wrong_input_is_answered(target: str, options: dict[str, object], message: str, table: ImageTable, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        lk.export(table, target, tmp_path / "out", **options)  # type: ignore[arg-type]
    assert sorted(os.listdir(tmp_path)) == ["photos"]


def test_a_link_that_fails_leaves_nothing(table: ImageTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("likeness.exports.image_files.os.link", refuse)
    with pytest.raises(InputError, match=r"cannot be put into the folder as hard \(invalid cross-device link\); use the link 'copy'"):
        lk.export(table, "links", tmp_path / "out", link="hard")
    assert sorted(os.listdir(tmp_path)) == ["photos"]


BOXES = [[4.25, 2.5, 8.0, 10.13], [20, 5, 20, 15], [0, 0, 40, 20], [1.1, 2.2, 3.3, 4.4]]
CLASSES = ["dog", "cat", "dog", "cat"]


@pytest.fixture
def coco_file(tmp_path: Path) -> Path:
    """Four boxes in three images, one of them rotated by its EXIF data, as COCO has them."""
    exif = Image.Exif()
    exif[0x0112] = 6
    for name, size in (("a.png", (40, 20)), ("b.png", (40, 20)), ("c.jpg", (20, 40))):
        Image.new("RGB", size, "red").save(tmp_path / name, exif=exif if name == "c.jpg" else None)
    images = [{"id": 10 + number, "file_name": name, "width": 40, "height": 20} for number, name in enumerate(("a.png", "b.png", "c.jpg"))]
    categories = [{"id": 7, "name": "dog"}, {"id": 3, "name": "cat"}]
    annotations = [
        {"id": number, "image_id": image, "bbox": box, "area": box[2] * box[3], "iscrowd": 0, "category_id": 7 if name == "dog" else 3}
        for number, (image, box, name) in enumerate(zip((10, 10, 11, 12), BOXES, CLASSES, strict=True), 1)
    ]
    (tmp_path / "coco.json").write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))
    return tmp_path / "coco.json"


def boxes_of(file: Path) -> list[tuple[str, str, list[float]]]:
    """File name, category and box of each annotation, by pycocotools."""
    from pycocotools.coco import COCO

    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO(str(file))
    found = coco.loadAnns(coco.getAnnIds())
    return [(coco.imgs[each["image_id"]]["file_name"], coco.cats[each["category_id"]]["name"], each["bbox"]) for each in found]


def regions_of(file: Path) -> ImageTable:
    frame = pd.DataFrame(boxes_of(file), columns=["path", "label", "bbox"])
    frame.to_csv(file.with_suffix(".csv"), index=False)
    return lk.read(file.with_suffix(".csv"))


def test_boxes_of_coco_come_back_as_they_were(coco_file: Path, tmp_path: Path) -> None:
    found = regions_of(coco_file)
    lk.export(found, "coco", tmp_path / "out.json", label="label")
    assert boxes_of(tmp_path / "out.json") == boxes_of(coco_file)
    written = json.loads((tmp_path / "out.json").read_text())
    assert [(image["file_name"], image["width"], image["height"]) for image in written["images"]] == [
        ("a.png", 40, 20),
        ("b.png", 40, 20),
        ("c.jpg", 40, 20),
    ]
    assert [each["attributes"]["bbox"] for each in written["annotations"]] == [str(box) for box in BOXES]


def test_a_region_without_a_class_keeps_its_box(coco_file: Path, tmp_path: Path) -> None:
    found = regions_of(coco_file)
    found.frame.loc[1, "label"] = None
    found.frame.loc[2, "path"] = "b.png"  # a whole image beside regions
    lk.export(found, "coco", tmp_path / "out.json", label="label")
    assert sorted(boxes_of(tmp_path / "out.json")) == sorted(
        [("a.png", "dog", BOXES[0]), ("a.png", "object", BOXES[1]), ("b.png", "dog", [0, 0, 40, 20]), ("c.jpg", "cat", BOXES[3])]
    )


@pytest.mark.parametrize("split", [None, "part"])
def test_yolo_has_the_boxes_beside_their_images(split: str | None, coco_file: Path, tmp_path: Path) -> None:
    found = regions_of(coco_file)
    found.frame["part"] = ["train", "train", "val", "train"]
    written = lk.export(found, "yolo", tmp_path / "out", label="label", val=0.34, split=split, link="copy")
    assert written.n == 3
    assert written.note == f"Train with: yolo detect train data={tmp_path / 'out'}/data.yaml"
    about = yaml.safe_load((tmp_path / "out" / "data.yaml").read_text())
    assert about == {"path": ".", "train": "images/train", "val": "images/val", "nc": 2, "names": {0: "cat", 1: "dog"}}
    lines = []
    for file in sorted((tmp_path / "out" / "images").rglob("*.*")):
        width, height = 40, 20
        labels = Path(str(file).replace("/images/", "/labels/")).with_suffix(".txt")  # as Ultralytics finds them
        for number, *shares in (line.split() for line in labels.read_text().splitlines()):
            x, y, w, h = map(float, shares)
            box = [(x - w / 2) * width, (y - h / 2) * height, w * width, h * height]
            lines.append((file.name, about["names"][int(number)], [round(each, 6) for each in box]))
    assert sorted(lines) == sorted((name, label, [float(each) for each in box]) for name, label, box in boxes_of(coco_file))
    assert len(list((tmp_path / "out" / "images" / "val").iterdir())) == 1
    again = lk.read(tmp_path / "out" / "metadata.csv")
    assert [path.partition("#")[2] for path in again.frame["path"]] == [path.partition("#")[2] for path in found.frame["path"]]
    assert all(again.file(row).parent.is_dir() for row in range(4))


def test_an_image_in_two_parts_is_refused(coco_file: Path, tmp_path: Path) -> None:
    found = regions_of(coco_file)
    found.frame["part"] = ["train", "val", "val", "train"]
    with pytest.raises(InputError, match=r"The regions of 'a\.png' are in several parts by 'part'; put all of an image into one"):
        lk.export(found, "yolo", tmp_path / "out", label="label", split="part")


def test_two_images_of_one_stem_have_labels_of_their_own(tmp_path: Path) -> None:
    for name, size in (("a.png", (40, 20)), ("a.jpg", (20, 20))):
        Image.new("RGB", size, "red").save(tmp_path / name)
    frame = pd.DataFrame({"path": ["a.png#xywh=0,0,10,10", "a.jpg#xywh=0,0,10,10"], "label": ["dog", "dog"]})
    lk.export(ImageTable("two", tmp_path, frame), "yolo", tmp_path / "out", label="label", val=0)
    found = {str(file.relative_to(tmp_path / "out")): file.read_text().split()[3] for file in (tmp_path / "out").rglob("a.txt")}
    assert found == {"labels/train/a.txt": "0.250000000", "labels/train/2/a.txt": "0.500000000"}


def test_targets_that_need_files_refuse_regions_and_entries(coco_file: Path, tmp_path: Path) -> None:
    found = regions_of(coco_file)
    message = "There are 4 regions, seconds, pages, or images in archives or tables, which have no file of their own, first 'a.png#xywh="
    for target in ("links", "fiftyone"):
        with pytest.raises(InputError, match=re.escape(message)):
            lk.export(found, target, tmp_path / target)
    found.frame["path"] = [f"a.zip#entry={path.replace('#', '&')}" for path in found.frame["path"]]
    with pytest.raises(InputError, match=r"have no file of their own, first .a\.zip#entry=a\.png&xywh="):
        lk.export(found, "coco", tmp_path / "out.json")
