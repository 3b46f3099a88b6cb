"""Images of a run whose classes are divided by a file of splits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from likeness.errors import InputError
from likeness.labels import LabelsConfig
from likeness.shifts import splits_from, write_splits
from likeness.training.config import DataConfig
from likeness.training.data.run_images import run_images


@pytest.fixture
def splits(tmp_path: Path) -> Path:
    easy = {"name": "start", "distance": 1.0, "train": [f"class {n}" for n in (5, 0, 2, 4)], "test": ["class 1", "class 3"]}
    hard = {"name": "removal 1", "distance": 2.0, "train": ["class 0", "class 4"], "test": ["class 3", "class 5"]}
    content = {"version": 1, "dataset": "photos", "splits": [easy | {"tuning": ["class 4", "class 0"]}, hard]}
    write_splits(tmp_path / "splits.json", splits_from(content))
    return tmp_path / "splits.json"


def _config(photos: Path, file: Path, **more: Any) -> DataConfig:
    return DataConfig(**({"source": str(photos), "split": "file", "splits": str(file), "shift": "start"} | more))


def _sides(images: Any) -> tuple[list[str], list[str]]:
    names = np.array(images.names)
    return [sorted(set(names[images.labels[rows]])) for rows in (images.train, images.test)]  # type: ignore[return-value]


def test_classes_are_divided_as_the_file_says(photos: Path, splits: Path) -> None:
    images = run_images(_config(photos, splits), 0)
    assert images.names == [f"class {n}" for n in (0, 2, 4, 5, 1, 3)]
    assert images.train_classes == images.names[:4]
    assert (len(images.train), len(images.test)) == (24, 12)
    for row in range(36):
        assert images.table.frame["class"][row] == images.names[images.labels[row]]


def test_classes_that_take_no_part_stay_in_the_table(photos: Path, splits: Path) -> None:
    images = run_images(_config(photos, splits, shift="removal 1"), 0)
    assert len(images.table) == 36
    assert sorted(images.used) == sorted([*images.train, *images.test])
    assert _sides(images) == [["class 0", "class 4"], ["class 3", "class 5"]]
    assert set(images.table.frame["class"].iloc[images.labels == -1]) == {"class 1", "class 2"}


def test_fewer_images_of_each_class_in_the_same_table(photos: Path, splits: Path) -> None:
    images = run_images(_config(photos, splits, per_class=3), 0)
    assert len(images.table) == 36
    assert np.bincount(images.labels[images.used]).tolist() == [3] * 6


def test_tuning_tests_on_training_classes(photos: Path, splits: Path) -> None:
    images = run_images(_config(photos, splits, tuning=True), 0)
    assert _sides(images) == [["class 2", "class 5"], ["class 0", "class 4"]]
    with pytest.raises(InputError, match="holds no classes out for tuning"):
        run_images(_config(photos, splits, shift="removal 1", tuning=True), 0)


def test_errors(photos: Path, splits: Path) -> None:
    with pytest.raises(InputError, match="no split 'end' of photos; there are start, removal 1"):
        run_images(_config(photos, splits, shift="end"), 0)
    with pytest.raises(
        InputError, match=r"has no class 'AM General Hummer SUV 2000', which the split 'start' of 'cars196-oodml' names, and 195 more"
    ):
        run_images(_config(photos, splits, splits="cars196-oodml"), 0)


@pytest.mark.parametrize(("test", "other"), [("test", "val"), ("validation", None), ("Testing", None)])
def test_folders_of_parts_divide_images_that_have_no_classes(tmp_path: Path, test: str, other: str | None) -> None:
    for part, count in (("train", 5), (test, 4), *([(other, 3)] if other else [])):
        (tmp_path / part).mkdir()
        for number in range(count):
            Image.new("RGB", (8, 8)).save(tmp_path / part / f"{number}.png")
    np.save(tmp_path / "distances.npy", np.zeros((12, 12) if other else (9, 9)))
    labels = LabelsConfig(kind="matrix", file=str(tmp_path / "distances.npy"))
    images = run_images(DataConfig(source=str(tmp_path), split="images", labels=labels), 0)
    parts = images.table.frame["split"]
    assert (parts[images.test] == test).all()
    assert len(images.test) == 4
    assert (parts[np.concatenate([images.train, images.validation])] == "train").all()


def _of_sizes(folder: Path, sizes: list[int]) -> DataConfig:
    """Images of classes 0, 1 ... of so many images; the first half trains."""
    for name, size in enumerate(sizes):
        (folder / str(name)).mkdir()
        for number in range(size):
            Image.new("RGB", (8, 8)).save(folder / str(name) / f"{number}.png")
    return DataConfig(source=str(folder))


def test_test_classes_of_one_image_each_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Each of the 3 test classes of '.*' has one image only, so no image has another to be found"):
        run_images(_of_sizes(tmp_path, [3, 3, 3, 1, 1, 1]), 0)


def test_validation_classes_of_one_image_each_are_refused(tmp_path: Path) -> None:
    config = _of_sizes(tmp_path, [1, 1, 1, 1, 1, 2, 2, 2, 2, 2]).model_copy(update={"validation": 2})
    with pytest.raises(InputError, match="Each of the 2 validation classes"):
        run_images(config, 0)


@pytest.mark.parametrize(
    ("sizes", "note"),
    [
        ([2, 2, 2, 2], ""),
        ([1, 2, 2, 2], ""),
        ([2, 2, 1, 3], "1 of 4 test images is the only one of its class: no other is to be found, so that recall counts a miss, and"),
        ([2, 2, 2, 1, 3, 1], "2 of 5 test images are the only ones of their classes"),
    ],
)
def test_test_images_that_are_alone_in_their_class_are_counted(tmp_path: Path, sizes: list[int], note: str) -> None:
    found = run_images(_of_sizes(tmp_path, sizes), 0).lone_note
    assert found.startswith(note)
    assert bool(found) == bool(note)
