"""Cars196 in its two official layouts, on miniature copies."""

from pathlib import Path
from typing import Any

import pytest
from scipy.io import loadmat, savemat
from tests.data import conftest as parts

from likeness.data.readers.cars196 import read_cars196
from likeness.errors import InputError


def test_labels_of_the_two_halves_of_the_classes(tmp_path: Path) -> None:
    frame = read_cars196(parts.write_cars196(tmp_path)).frame
    assert list(frame["path"]) == [f"car_ims/{name}.jpg" for name in ("000005é", "000006", "000007", "000008", "000009", "000010")]
    assert list(frame["car_model"]) == ["FIAT 500 Abarth 2012"] * 3 + ["Citroën C3 Pluriel Convertible 2012"] * 2 + ["Land Rover LR2 SUV 2012"]
    assert list(frame["car_manufacturer"]) == ["FIAT"] * 3 + ["Citroën"] * 2 + ["Land Rover"]
    assert list(frame["car_type"]) == ["hatchback"] * 3 + ["convertible"] * 2 + ["SUV"]
    table = read_cars196(tmp_path, "train")
    assert list(table.frame["car_manufacturer"]) == ["AM General"] * 2 + ["Acura", "Dodge"]
    assert table.name == "Cars196 (train)"
    # as the field's own readers read the structs: nested arrays of one entry each
    content = loadmat(tmp_path / "cars_annos.mat")
    names = [str(entry[0]) for entry in content["class_names"][0]]
    expected = {str(one["relative_im_path"][0]): names[int(one["class"][0, 0]) - 1] for one in content["annotations"][0]}
    frame = read_cars196(tmp_path, "all").frame
    assert dict(zip(frame["path"], frame["car_model"], strict=True)) == expected


def test_the_devkit_is_split_by_classes_too(tmp_path: Path) -> None:
    frame = read_cars196(parts.write_cars196_devkit(tmp_path)).frame
    assert list(frame["path"]) == [f"cars_{name}.jpg" for name in ("train/00001", "train/00003", "test/00002", "test/00003")]
    assert list(frame["car_manufacturer"]) == ["FIAT", "Land Rover", "FIAT", "Citroën"]
    assert len(read_cars196(tmp_path, "all")) == 6


def test_copies_of_the_devkit_with_nested_folders_and_both_indexes(tmp_path: Path) -> None:
    parts.write_cars196(tmp_path / "other")
    root = parts.write_cars196_devkit(tmp_path / "cars")
    (tmp_path / "other" / "cars_annos.mat").rename(root / "cars_annos.mat")  # its numbers are of images that are not there
    (root / "cars_test_annos_withlabels.mat").rename(root / "devkit" / "cars_test_annos_withlabels.mat")
    (root / "cars_train").rename(root / "x")
    (root / "cars_train").mkdir()
    (root / "x").rename(root / "cars_train" / "cars_train")
    table = read_cars196(root, "all")
    assert len(table) == 6
    assert all(path.is_file() for path in table.paths())


def test_few_images_and_two_classes_and_labels_that_are_none(tmp_path: Path) -> None:
    assert len(read_cars196(parts.write_cars196(tmp_path / "one", ["A Sedan 2000", "B Coupe 2000"], [2]))) == 1
    with pytest.raises(InputError, match=r"The split 'test' of Cars196 in '.*' has no images in 'cars_annos\.mat'; choose another split"):
        read_cars196(parts.write_cars196(tmp_path / "two", ["A Sedan 2000", "B Coupe 2000"], [1, 1]))
    for classes, message in (
        ([1, 7], r"In 'cars_annos\.mat' of Cars196, the class of annotation 2 is '7', expected a class from 1 to 6; take the file anew from https"),
        ([0, 1], r"the class of annotation 1 is '0', expected a class from 1 to 6"),
        ([1, "suv"], r"the class of annotation 2 is 'suv', expected a class from 1 to 6"),
    ):
        with pytest.raises(InputError, match=message):
            read_cars196(parts.write_cars196(tmp_path / "wrong", classes=classes))


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("devkit/cars_train_annos.mat", r"Cars196 in '.*' lacks 'devkit/cars_train_annos\.mat'; get it from the dataset published at https://ai"),
        ("cars_test_annos_withlabels.mat", r"lacks 'cars_test_annos_withlabels\.mat'"),
        ("devkit/cars_meta.mat", r"direct subfolder contains 'cars_annos\.mat' or 'devkit/cars_meta\.mat'; pass the folder"),
    ],
)
def test_missing_files_of_the_devkit(tmp_path: Path, missing: str, message: str) -> None:
    (parts.write_cars196_devkit(tmp_path) / missing).unlink()
    with pytest.raises(InputError, match=message):
        read_cars196(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (200, r"(cannot be read as a MATLAB file|has no variable)"),
        (
            b"no MATLAB file, but long enough to look for a header in it" * 9,
            r"cannot be read as a MATLAB file \(.*\); take the file anew from https://ai",
        ),
        (dict, "has no variable 'annotations'; take the file anew"),
        (lambda: {"annotations": parts.structs(["1.jpg"], [1], "fname")}, "has annotations without the field 'relative_im_path'"),
        (lambda: {"annotations": [1, 2]}, "has annotations without the field 'relative_im_path'"),
    ],
    ids=["cut", "text", "variable", "field", "numbers"],
)
def test_damaged_files(tmp_path: Path, content: Any, message: str) -> None:
    index = parts.write_cars196(tmp_path) / "cars_annos.mat"
    if callable(content):
        savemat(index, {"class_names": parts.cell(["a", "b"])} | content())
    else:
        index.write_bytes(index.read_bytes()[:content] if isinstance(content, int) else content)
    with pytest.raises(InputError, match=rf"'cars_annos\.mat' of Cars196 {message}"):
        read_cars196(tmp_path)
