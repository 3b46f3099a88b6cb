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
from likeness.training.guidance.guided_loss import LanguageGuidance, VectorTargets
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


def test_a_missing_file_ends_the_run_before_training(content: dict[str, Any], tmp_path: Path) -> None:
    guidance = {"language": "clip:cars", "text": "captions", "captions": str(tmp_path / "nowhere.csv")}
    with pytest.raises(InputError, match=r"captions '.*nowhere.csv' cannot be read"):
        train(config_from(content | {"guidance": guidance}), tmp_path / "run")


def test_guided_runs_come_nearer_to_the_captions_than_unguided_ones(content: dict[str, Any], captions: Path, tmp_path: Path) -> None:
    content |= {"epochs": 20, "evaluate_every": 20}
    guidance, found = {"language": "clip:cars", "text": "captions", "captions": str(captions)}, {}
    for omega in (0.0, 50.0):
        metrics = train(config_from(content | {"guidance": guidance | {"omega": omega}}), tmp_path / str(omega)).metrics()
        found[omega] = metrics["loss_guidance"].tail(10).mean()
    assert found[50.0] < 0.8 * found[0.0]


def test_the_class_name_alone_is_a_primer(content: dict[str, Any]) -> None:
    config = config_from(content | {"guidance": {"language": "clip:cars", "primer": "{}"}})
    built = build_guidance(config, run_images(config.data, 0))
    expected = class_similarities(["class 0", "class 1", "class 2"], "cars", "{}")
    np.testing.assert_allclose(built.targets.table[0].numpy(), expected, atol=1e-6)  # type: ignore[operator, union-attr]


@pytest.mark.parametrize(
    ("guidance", "message"),
    [
        ({"text": "captions"}, "text captions needs captions, a CSV file of path and caption"),
        ({"captions": "c.csv"}, "captions and keywords are read where text is captions"),
        ({"text": "captions+names", "captions": "c.csv"}, "needs keywords that the class name replaces, such as bird"),
        ({"text": "captions", "captions": "c.csv", "keywords": "bird"}, "text captions takes none"),
        ({"text": "captions", "captions": "c.csv", "kind": "plg"}, "text captions goes with kind elg and method match"),
        ({"text": "captions", "captions": "c.csv", "method": "devise"}, "text captions goes with kind elg and method match"),
        ({"text": "captions", "captions": "c.csv", "language": "wordnet"}, "text captions needs a language model that gives vectors, and wordnet"),
        ({"stop_gradient": False, "language": "hierarchy:a.csv"}, "stop_gradient false needs a language model that gives vectors, and hierarchy"),
        ({"stop_gradient": False, "kind": "plg"}, "stop_gradient false goes with kind elg, method match and text names"),
        ({"names": "kind", "kind": "plg"}, "names kind needs class names, kind elg"),
    ],
)
def test_what_does_not_go_together_is_refused(content: dict[str, Any], guidance: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        config_from(content | {"guidance": guidance})


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


def test_vectors_learn_only_where_they_should() -> None:
    rows = torch.nn.functional.normalize(torch.randn(4, 3, generator=torch.Generator().manual_seed(0)), dim=1)
    vectors = np.random.default_rng(0).standard_normal((2, 5)).astype(np.float32)
    labels, numbers = torch.tensor([0, 0, 1, 1]), torch.arange(4)
    for stop in (True, False):
        targets = VectorTargets(vectors, learned=True)
        loss = LanguageGuidance(targets, stop_gradient=stop)(rows, labels, numbers)
        assert loss.requires_grad is not stop
        if not stop:
            loss.backward()
            assert targets.vectors.grad is not None
            assert targets.vectors.grad.abs().sum() > 0


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
