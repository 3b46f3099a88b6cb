"""COCO by pycocotools, YOLO folders by torchvision's ImageFolder (which Ultralytics uses), folders of links by what lies in them."""

import contextlib
import io
import os
from pathlib import Path

import pandas as pd
import pytest
import yaml

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
    listed = pd.read_csv(tmp_path / "out" / "images.csv", keep_default_na=False)
    folder_of = {"cat/dog": "cat_dog", "..": "_", "Pug": "Pug", "pug": "pug-2"}
    for part, dataset in (("train", train), ("val", val)):
        lines = (tmp_path / "out" / f"{part}.txt").read_text().splitlines()
        assert sorted(lines) == sorted(f"./{part}/{os.path.relpath(path, tmp_path / 'out' / part)}" for path, _ in dataset.samples)
    for path, source, breed in zip(listed["path"], listed["source"], listed["breed"], strict=True):
        assert path.split("/")[1] == folder_of[breed]
        assert (tmp_path / "out" / path).read_bytes() == files[os.path.relpath(source, table.root)]
    assert len({path.rsplit("/", 1)[1].lower() for path in listed["path"]}) == 10
    counts = pd.Series([path.split("/")[0] for path in listed["path"]]).groupby(listed["breed"].to_numpy()).value_counts()
    assert counts["..", "val"] == 2 or counts["..", "val"] == 1
    assert counts["Pug", "val"] == counts["pug", "val"] == 1


def test_yolo_takes_a_split_that_is_given(table: ImageTable, tmp_path: Path) -> None:
    table.frame["part"] = ["train", "train", "val", "val", "train", "train", "val", "val", "train", None, "train", None]
    lk.export(table, "yolo", tmp_path / "out", label="breed", split="part")
    listed = pd.read_csv(tmp_path / "out" / "images.csv")
    assert [path.split("/")[0] for path in listed["path"]] == listed["part"].tolist()
    for name in ("a", "b"):
        lk.export(table, "yolo", tmp_path / name, label="breed", val=0.5, seed=3)
    assert (tmp_path / "a" / "val.txt").read_text() == (tmp_path / "b" / "val.txt").read_text()


@pytest.mark.parametrize("link", ["symlink", "hard", "copy"])
def test_links_lead_to_the_images(link: str, table: ImageTable, files: dict[str, bytes], tmp_path: Path) -> None:
    lk.export(table, "links", tmp_path / "out", link=link)
    listed = lk.read(tmp_path / "out" / "images.csv")
    assert len(listed) == 12
    for row, path in enumerate(table.frame["path"]):
        assert listed.file(row).read_bytes() == files[path]
        assert listed.file(row).is_symlink() == (link == "symlink")
        assert os.path.samefile(listed.file(row), table.file(row)) == (link != "copy")
    assert sorted(name for name in os.listdir(tmp_path / "out") if name != "images.csv") == sorted(
        [*(f"{number}.png" for number in range(6)), *(f"{number}-2.png" for number in range(6))]
    )


def test_links_lie_in_a_folder_for_each_class_and_nowhere_else(table: ImageTable, tmp_path: Path) -> None:
    written = lk.export(table, "links", tmp_path / "in" / "out", label="breed")
    assert written.note == "2 images without a 'breed' are in the top folder."
    assert os.listdir(tmp_path / "in") == ["out"]
    lk.export(table, "links", tmp_path / "tag", label="good")
    assert sorted(os.listdir(tmp_path / "tag")) == ["good", "images.csv", "not good"]
    folders = [path.split("/")[0] if "/" in path else "" for path in pd.read_csv(tmp_path / "in" / "out" / "images.csv")["path"]]
    assert folders == [{"cat/dog": "cat_dog", "..": "_", "Pug": "Pug", "pug": "pug-2", "": ""}[breed] for breed in BREEDS]


def test_odd_names_of_files_are_linked(odd_names: Path, tmp_path: Path) -> None:
    table = lk.read(odd_names)
    lk.export(table, "links", tmp_path / "out")
    for row, file in enumerate(sorted(pd.read_csv(tmp_path / "out" / "images.csv")["path"])):
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
