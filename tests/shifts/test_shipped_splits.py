"""Shipped splits name the classes as the readers of their datasets do, and the presets train on them."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.data.conftest import save_image, write_cars196, write_cars196_devkit

from likeness.data import image_classes, read_dataset
from likeness.shifts import ClassSplit, SplitFile, read_splits, shipped_splits, write_splits
from likeness.training import read_config, train, with_changes


def names_of(splits: SplitFile) -> list[str]:
    return sorted({name for split in splits for name in (*split.train, *split.test)})


def cars(root: Path) -> str:
    """The 196 models, by their official names, two images of each."""
    names = names_of(read_splits("cars196-oodml"))
    assert len(names) == 196
    assert "Ram C/V Cargo Van Minivan 2012" in names  # as in cars_annos.mat, and in no folder's name
    return f"cars196/all:{write_cars196(root, names, [*range(1, 197)] * 2)}"


def birds(root: Path) -> str:
    folders = [f"{number:03}.{name.replace(' ', '_')}" for number, name in enumerate(names_of(read_splits("cub100-families")), 1)]
    paths = [f"{folder}/{place}.png" for folder in folders for place in (1, 2)]
    for path in paths:
        save_image(root / "images" / path, 1)
    labels = [number for number in range(1, len(folders) + 1) for _ in (1, 2)]
    for file, values in (("images.txt", paths), ("image_class_labels.txt", labels), ("classes.txt", folders)):
        (root / file).write_text("".join(f"{number} {value}\n" for number, value in enumerate(values, 1)), encoding="utf-8")
    return f"cub200/all:{root}"


def photos(root: Path) -> str:
    for name in names_of(read_splits("cifar100-mobilenetv2")):
        save_image(root / name / "1.png", 1)
    return str(root)


SOURCES = {"cars196-oodml": cars, "cub100-families": birds, "cifar100-mobilenetv2": photos, "shipped-cars": lambda root: "cars"}


@pytest.mark.parametrize("name", shipped_splits())
def test_the_reader_of_the_dataset_writes_all_classes_of_the_splits(name: str, tmp_path: Path) -> None:
    splits = read_splits(name)
    found = image_classes(read_dataset(SOURCES[name](tmp_path)), splits.attribute)
    assert set(names_of(splits)) <= set(found.names)


def test_the_names_of_the_photos_are_those_of_their_folders(shared: Path) -> None:
    import zipfile

    with zipfile.ZipFile(shared / "data" / "cifar100_300.zip") as archive:
        folders = {name.split("/")[1] for name in archive.namelist() if name.endswith(".png")}
    assert set(names_of(read_splits("cifar100-mobilenetv2"))) == folders


def test_published_episodes_name_images_as_the_devkit_does() -> None:
    splits = read_splits("cars196-oodml")
    files = [file for split in splits for each in split.episodes for own in each.support for one in own for file in one]
    assert len(files) == 10 * (2 + 5) * sum(len(split.test) for split in splits)
    assert all(re.fullmatch(r"\d{5}(_2)?\.jpg", file) and 1 <= int(file[:5]) <= 8144 for file in files)


def few_images(split: ClassSplit) -> tuple[ClassSplit, dict[str, list[int]]]:
    """The split with an episode of two shots alone, and the numbers of each class's images in cars_train: those of the episode are its first two."""
    [two] = [each for each in split.episodes if each.shots == 2]
    names = [*split.train, *split.test]
    numbers = {name: [3 * place + each for each in (1, 2, 3)] for place, name in enumerate(names)}
    support = tuple((tuple(f"{number:05}.jpg" for number in numbers[name][:2]),) for name in split.test)
    return split.model_copy(update={"episodes": (two.model_copy(update={"support": support}),)}), numbers


@pytest.mark.parametrize("preset", ["oodml-cars196", "oodml-few-shot-cars196"])
def test_the_presets_train_on_the_official_layout(preset: str, tmp_path: Path) -> None:
    splits = read_splits("cars196-oodml")
    split, numbers = few_images(splits.named("removal 66"))
    write_splits(tmp_path / "own.json", splits.model_copy(update={"splits": (split,)}))
    names = list(numbers)
    places = range(1, len(names) + 1)
    root = write_cars196_devkit(tmp_path / "cars", names, [place for place in places for _ in range(3)], [*places] * 2)
    changes: dict[str, Any] = {"data.source": f"cars196/all:{root}", "data.shift": "removal 66", "data.image_size": 16}
    changes |= {"backbone": {"name": "test_resnet", "weights": "none", "dim": 8}, "batch.size": 28, "epochs": 1, "device": "cpu"}
    if "few-shot" in preset:
        changes |= {"data.splits": str(tmp_path / "own.json"), "few_shot.shots": [2], "few_shot.steps": 3, "few_shot.episodes": 1}
    report = train(with_changes(read_config(preset), changes), tmp_path / "run").report() or {}
    assert report["steps"] == (8 if "few-shot" in preset else 11)  # three quarters of the training classes, or all; five images each
    assert ("few_shot_2" in report["best"]) == ("few-shot" in preset)
    assert ("validation_recall_at_1" in report["best"]) == ("few-shot" in preset)
