"""Captions of single images as the language side of a run."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.language import class_similarities
from likeness.training.config import config_from
from likeness.training.data.run_images import RunImages, run_images
from likeness.training.guidance.guidance import build_guidance
from likeness.training.guidance.guided_loss import LanguageGuidance
from likeness.training.loop.train import train

WORDS = ("red", "green", "blue", "yellow", "white", "gray")


@pytest.fixture
def captions(photos: Path, tmp_path: Path) -> Path:
    """A caption for each of the six images of each of the six classes, the same six in every class."""
    file = tmp_path / "captions.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        rows = [(f"class {number}/{image}.png", f"a {WORDS[image]} car, parked") for number in range(6) for image in range(6)]
        csv.writer(out).writerows([("path", "caption"), *rows])
    return file


def told(images: RunImages, row: int, name: str) -> str:
    """What is said of the image in this row."""
    return f"a {WORDS[int(Path(images.table.frame['path'][row]).stem)]} {name}, parked"


@pytest.mark.parametrize("text", ["captions", "captions+names"])
@pytest.mark.parametrize("language", [["cars"], ["clip:cars", "minilm"]])
def test_targets_are_similarities_of_the_images_own_captions(content: dict[str, Any], captions: Path, text: str, language: list[str]) -> None:
    guidance = {"language": language, "text": text, "captions": str(captions)} | ({"keywords": "car"} if "names" in text else {})
    config = config_from(content | {"guidance": guidance})
    images = run_images(config.data, 0)
    built = build_guidance(config, images)
    assert isinstance(built, LanguageGuidance)
    assert not built.masked
    rows = images.train[[0, 1, 7, 13, 12]]
    found = built.targets(torch.from_numpy(images.labels[rows]), torch.from_numpy(rows))
    names = [images.names[label] if "names" in text else "car" for label in images.labels[rows]]
    expected = class_similarities([told(images, row, name) for row, name in zip(rows, names, strict=True)], language, "{}")
    np.testing.assert_allclose(found[0].numpy(), expected, atol=1e-5)
    assert found.shape == (1, 5, 5)


def test_only_training_images_need_captions(content: dict[str, Any], captions: Path) -> None:
    lines = captions.read_text(encoding="utf-8").splitlines()
    captions.write_text("\n".join(line for line in lines if not line.startswith("class 5")), encoding="utf-8")
    guidance = {"language": "clip:cars", "text": "captions", "captions": str(captions)}
    config = config_from(content | {"guidance": guidance})
    build_guidance(config, run_images(config.data, 0))
    captions.write_text("\n".join(line for line in lines if "class 1/3" not in line), encoding="utf-8")
    with pytest.raises(InputError, match=r"1 of 18 images have no caption, the first is 'class 1/3.png'; add captions or leave these out"):
        build_guidance(config, run_images(config.data, 0))


def test_without_stop_gradient_the_names_vectors_learn(content: dict[str, Any], tmp_path: Path) -> None:
    losses = {}
    for stop in (True, False):
        config = config_from(
            content | {"guidance": {"language": "clip:cars", "stop_gradient": stop, "omega": 10.0}, "epochs": 10, "evaluate_every": 10}
        )
        run = train(config, tmp_path / str(stop))
        learned = [name for name in torch.load(run.checkpoint, weights_only=True)["state_dict"] if name.startswith("guidance")]
        assert learned == ([] if stop else ["guidance.targets.vectors"])
        losses[stop] = run.metrics()["loss_guidance"].dropna()
    assert losses[False].iloc[0] == pytest.approx(losses[True].iloc[0], rel=1e-4)
    assert losses[False].iloc[-1] < losses[True].iloc[-1]


@pytest.fixture
def products(photos: Path, tmp_path: Path) -> Path:
    """The photos as a table of numbered products, each of a kind, as Stanford Online Products are."""
    file = photos / "products.csv"
    kinds = ["bicycle", "chair", "bicycle", "chair", "chair", "bicycle"]
    rows = [(f"class {number}/{image}.png", number, kinds[number]) for number in range(6) for image in range(6)]
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([("path", "product", "product_kind"), *rows])
    return file


def test_another_attribute_names_the_classes(content: dict[str, Any], products: Path) -> None:
    content["data"] |= {"source": str(products), "attribute": "product"}
    config = config_from(content | {"guidance": {"language": "clip:cars", "names": "product_kind"}})
    built = build_guidance(config, run_images(config.data, 0))
    expected = class_similarities(["bicycle", "chair", "bicycle"], "cars")
    np.testing.assert_allclose(built.targets.table[0].numpy(), expected, atol=1e-6)  # type: ignore[operator, union-attr]


def test_an_attribute_that_names_no_class_is_refused(content: dict[str, Any], products: Path) -> None:
    content["data"] |= {"source": str(products), "attribute": "product_kind", "train_classes": 0.5}
    products.write_text(products.read_text(encoding="utf-8").replace(",5,bicycle", ",5,table").replace(",4,chair", ",4,lamp"), encoding="utf-8")
    for names, message in (
        ("product", r"The class 'bicycle' has no single 'product' \('0', '2'\)"),
        ("kind", "has no attribute 'kind'; it has product,"),
    ):
        config = config_from(content | {"guidance": {"language": "clip:cars", "names": names}})
        with pytest.raises(InputError, match=message):
            build_guidance(config, run_images(config.data, 0))
