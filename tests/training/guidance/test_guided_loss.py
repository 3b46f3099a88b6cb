import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st

from likeness.errors import InputError
from likeness.language import class_similarities, imagenet_names, top_pseudolabels
from likeness.losses import language_match
from likeness.training.config import RunConfig, config_from
from likeness.training.data.run_images import RunImages, run_images
from likeness.training.guidance.guidance import build_guidance, classifier_outputs, pseudolabels
from likeness.training.guidance.guided_loss import ClassTargets, ImageTargets, LanguageGuidance
from likeness.training.loop.train import train


@pytest.fixture
def batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.nn.functional.normalize(torch.randn(6, 4), dim=1), torch.tensor([2, 0, 0, 1, 2, 1]), torch.tensor([7, 3, 4, 0, 1, 9])


def test_image_targets_follow_each_images_own_pseudolabels(batch: tuple[torch.Tensor, ...]) -> None:
    rows, labels, numbers = batch
    rng = np.random.default_rng(0)
    names, own = rng.random((5, 5)).astype(np.float32), rng.integers(0, 5, (10, 2))
    found = ImageTargets(own, names)(labels, numbers)
    chosen = own[numbers]
    np.testing.assert_allclose(found[0], np.mean([names[np.ix_(rank, rank)] for rank in chosen.T], axis=0), rtol=1e-5)
    guidance = LanguageGuidance(ImageTargets(own, names), masked=False)
    assert float(guidance(rows, labels, numbers)) == pytest.approx(float(language_match(rows @ rows.T, found[0])))


def test_class_targets_are_the_table_at_the_batchs_classes_and_several_are_averaged(batch: tuple[torch.Tensor, ...]) -> None:
    rows, labels, numbers = batch
    tables = np.random.default_rng(0).random((2, 3, 3)).astype(np.float32)
    found = ClassTargets(tables[0])(labels, numbers)
    np.testing.assert_allclose(found, tables[:1, labels][:, :, labels])
    guidance = LanguageGuidance(ClassTargets(tables[0]), shift=0.5)
    assert float(guidance(rows, labels, numbers)) == pytest.approx(float(language_match(rows @ rows.T, found[0], labels, 0.5, mask_language=True)))
    both, *each = (float(LanguageGuidance(ClassTargets(table))(rows, labels, numbers)) for table in (tables, *tables))
    assert both == pytest.approx(np.mean(each))


@given(st.integers(0, 2**32 - 1), st.floats(-1, 1))
def test_what_language_says_within_a_class_changes_nothing(seed: int, within: float) -> None:
    rng = np.random.default_rng(seed)
    rows = torch.nn.functional.normalize(torch.tensor(rng.standard_normal((8, 5))), dim=1)
    labels, table = torch.tensor(rng.integers(0, 4, 8)), rng.uniform(-1, 1, (4, 4)).astype(np.float32)
    other = np.where(np.eye(4, dtype=bool), np.float32(within), table)
    for options in ({}, {"direction": "language||image"}, {"matching": "row-l2", "shift": 0.0}, {"matching": "full"}):
        one, two = (float(LanguageGuidance(ClassTargets(each), **options)(rows, labels, labels)) for each in (table, other))
        assert one == two


@pytest.fixture
def classifier() -> dict[str, Any]:
    return {"name": "test_resnet", "weights": "none"}


def _built(config: RunConfig, images: RunImages | None = None) -> Any:
    """The guidance of a config, whose classifier has always the same random weights."""
    torch.manual_seed(0)
    return build_guidance(config, run_images(config.data, config.seed) if images is None else images)


def test_class_names_are_cleaned_and_primed_or_places_in_a_tree(content: dict[str, Any], tmp_path: Path) -> None:
    guidance = _built(config_from(content | {"guidance": {"language": "clip:cars"}}))
    expected = class_similarities(["class 0", "class 1", "class 2"], "cars", "A photo of a {}")
    np.testing.assert_allclose(guidance.targets.table[0].numpy(), expected, atol=1e-6)
    file = tmp_path / "tree.csv"
    file.write_text("child,parent\nclass 0,warm\nclass 1,warm\nclass 2,cold\nwarm,color\ncold,color\n", encoding="utf-8")
    tree = _built(config_from(content | {"guidance": {"language": f"hierarchy:{file}"}}))
    np.testing.assert_allclose(tree.targets.table[0].numpy(), [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize(("variant", "targets"), [("mean", 1), ("multi", 3), ("dense", 1), ("dense+multi", 9)])
def test_pseudolabels_of_classes(content: dict[str, Any], classifier: dict[str, Any], variant: str, targets: int) -> None:
    guidance_config = {"kind": "plg", "k": 3, "language": "clip:cars", "classifier": classifier, "variant": variant}
    config = config_from(content | {"guidance": guidance_config})
    images = run_images(config.data, 0)
    guidance = _built(config, images)
    table = guidance.targets.table
    assert table.shape == (targets, 3, 3)
    assert guidance.masked
    torch.manual_seed(0)
    chosen = pseudolabels(config, images)
    torch.manual_seed(0)
    outputs = classifier_outputs(config.guidance.classifier, images, 16)  # type: ignore[union-attr, arg-type]
    np.testing.assert_array_equal(chosen, top_pseudolabels(outputs, images.labels[images.train], 3))
    if variant == "mean":
        ranks = [[imagenet_names()[each] for each in rank] for rank in chosen[:2].T]
        assert float(table[0, 0, 1]) == pytest.approx(float(np.mean([class_similarities(rank, "cars")[0, 1] for rank in ranks])), abs=1e-5)


def test_pseudolabels_keep_to_their_classes_where_others_validate(content: dict[str, Any], classifier: dict[str, Any]) -> None:
    config = config_from(content | {"guidance": {"kind": "plg", "k": 3, "language": "clip:cars", "classifier": classifier}})
    whole, fewer = (run_images(config.data.model_copy(update={"train_classes": 0.7, "validation": validation}), 0) for validation in (0, 2))
    tables = [_built(config, images).targets.table[0].numpy() for images in (whole, fewer)]
    kept = [whole.train_classes.index(name) for name in fewer.train_classes]
    assert len(kept) == 2
    np.testing.assert_allclose(tables[1], tables[0][np.ix_(kept, kept)], atol=1e-6)


@pytest.mark.parametrize("kind", ["elg", "plg"])
def test_controls_take_the_meaning_away(content: dict[str, Any], classifier: dict[str, Any], kind: str) -> None:
    own: dict[str, Any] = {"kind": kind, "language": "clip:cars"} | ({"classifier": classifier} if kind == "plg" else {})
    four = content | {"data": content["data"] | {"train_classes": 0.7}, "seed": 2}
    made = [_built(config_from(four | {"guidance": own | {"control": control}})) for control in ("none", "shuffled", "flat")]
    true, shuffled, flat = (each.targets.table[0].numpy() for each in made)
    order, other = np.random.default_rng([2, 3]).permutation(4), ~np.eye(4, dtype=bool)
    assert not np.array_equal(order, np.arange(4))
    np.testing.assert_allclose(shuffled, true[np.ix_(order, order)], atol=1e-6)
    assert flat[other] == pytest.approx(np.full(12, true[other].mean()), abs=1e-6)
    np.testing.assert_allclose(np.diag(flat), np.diag(true))


@pytest.mark.parametrize("masked", [False, True])
def test_pseudolabels_of_images_are_known_for_all_and_masked_where_the_config_says_so(
    content: dict[str, Any], classifier: dict[str, Any], masked: bool
) -> None:
    plg = {"kind": "plg", "k": 2, "level": "sample", "language": "clip:cars", "classifier": classifier, "mask_language": masked}
    guidance = _built(config_from(content | {"guidance": plg}))
    assert guidance.masked == masked
    assert guidance.targets.pseudolabels.shape == (36, 2)


def test_outputs_are_computed_once_and_what_gives_none_is_refused(content: dict[str, Any], classifier: dict[str, Any], cache: Path) -> None:
    config = config_from(content | {"guidance": {"kind": "plg", "classifier": classifier}})
    images, told = run_images(config.data, 0), []
    for _ in range(2):
        torch.manual_seed(0)
        classifier_outputs(config.guidance.classifier, images, 16, lambda *each: told.append(each))  # type: ignore[union-attr, arg-type]
    assert told == [(18, 18, "Computing pseudolabels")]
    assert len(list((cache / "outputs").iterdir())) == 1
    for other, message in (
        ({"name": "clip:cars"}, "Pseudolabels need an ImageNet classifier"),
        (classifier | {"options": {"num_classes": 10}}, "has 10 classes, not ImageNet's 1,000"),
    ):
        with pytest.raises(InputError, match=message):
            _built(config_from(content | {"guidance": {"kind": "plg", "classifier": other, "language": "clip:cars"}}), images)


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


def test_without_a_file_the_captions_are_the_first_ones_of_the_dataset(content: dict[str, Any]) -> None:
    config = config_from(content | {"guidance": {"language": "clip:cars", "text": "captions"}})
    images = run_images(config.data, 0)
    with pytest.raises(InputError, match="has no captions, only the columns"):
        build_guidance(config, images)
    frame = images.table.frame
    frame["captions"] = [json.dumps([f"a {WORDS[row % 6]} car", "another"]) for row in range(len(frame))]
    built = build_guidance(config, images)
    assert isinstance(built, LanguageGuidance)
    rows = images.train[[0, 1, 7]]
    found = built.targets(torch.from_numpy(images.labels[rows]), torch.from_numpy(rows))
    np.testing.assert_allclose(found[0].numpy(), class_similarities([f"a {WORDS[row % 6]} car" for row in rows], ["clip:cars"], "{}"), atol=1e-5)


def test_only_training_images_need_captions(content: dict[str, Any], captions: Path) -> None:
    lines = captions.read_text(encoding="utf-8").splitlines()
    captions.write_text("\n".join(line for line in lines if not line.startswith("class 5")), encoding="utf-8")
    guidance = {"language": "clip:cars", "text": "captions", "captions": str(captions)}
    config = config_from(content | {"guidance": guidance})
    build_guidance(config, run_images(config.data, 0))
    captions.write_text("\n".join(line for line in lines if "class 1/3" not in line), encoding="utf-8")
    with pytest.raises(InputError, match=r"1 of 18 images have no caption, first 'class 1/3.png'; add captions or remove the images"):
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


def test_another_attribute_names_the_classes_but_none_that_names_no_class(content: dict[str, Any], products: Path) -> None:
    content["data"] |= {"source": str(products), "attribute": "product"}

    def built(names: str) -> Any:
        config = config_from(content | {"guidance": {"language": "clip:cars", "names": names}})
        return build_guidance(config, run_images(config.data, 0))

    expected = class_similarities(["bicycle", "chair", "bicycle"], "cars")
    np.testing.assert_allclose(built("product_kind").targets.table[0].numpy(), expected, atol=1e-6)
    content["data"] |= {"attribute": "product_kind", "train_classes": 0.5}
    products.write_text(products.read_text(encoding="utf-8").replace(",5,bicycle", ",5,table").replace(",4,chair", ",4,lamp"), encoding="utf-8")
    for names, message in (("product", r"'bicycle' has no single 'product' \('0', '2'\)"), ("kind", "has no attribute 'kind'; it has product,")):
        with pytest.raises(InputError, match=message):
            built(names)
