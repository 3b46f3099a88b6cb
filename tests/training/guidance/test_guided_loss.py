from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st

from likeness.errors import InputError
from likeness.language import class_similarities, imagenet_names, pseudolabel_similarities, top_pseudolabels
from likeness.language.pseudolabels import Variant
from likeness.losses import language_match
from likeness.training.config import config_from
from likeness.training.data.run_images import run_images
from likeness.training.guidance.guidance import build_guidance, classifier_outputs, pseudolabels
from likeness.training.guidance.guided_loss import ClassTargets, ImageTargets, LanguageGuidance
from likeness.training.loop.train import train


@pytest.fixture
def batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.nn.functional.normalize(torch.randn(6, 4), dim=1), torch.tensor([2, 0, 0, 1, 2, 1]), torch.tensor([7, 3, 4, 0, 1, 9])


def test_class_targets_are_the_table_at_the_batchs_classes(batch: tuple[torch.Tensor, ...]) -> None:
    rows, labels, numbers = batch
    table = np.random.default_rng(0).random((3, 3)).astype(np.float32)
    found = ClassTargets(table)(labels, numbers)
    assert found.shape == (1, 6, 6)
    for i in range(6):
        for j in range(6):
            assert float(found[0, i, j]) == pytest.approx(float(table[labels[i], labels[j]]))
    guidance = LanguageGuidance(ClassTargets(table), shift=0.5)
    assert float(guidance(rows, labels, numbers)) == pytest.approx(float(language_match(rows @ rows.T, found[0], labels, 0.5, mask_language=True)))


def test_image_targets_follow_each_images_own_pseudolabels(batch: tuple[torch.Tensor, ...]) -> None:
    rows, labels, numbers = batch
    rng = np.random.default_rng(0)
    names, own = rng.random((5, 5)).astype(np.float32), rng.integers(0, 5, (10, 2))
    found = ImageTargets(own, names)(labels, numbers)
    for i, a in enumerate(numbers.tolist()):
        for j, b in enumerate(numbers.tolist()):
            assert float(found[0, i, j]) == pytest.approx((names[own[a, 0], own[b, 0]] + names[own[a, 1], own[b, 1]]) / 2, rel=1e-5)
    guidance = LanguageGuidance(ImageTargets(own, names), masked=False)
    assert float(guidance(rows, labels, numbers)) == pytest.approx(float(language_match(rows @ rows.T, found[0])))


def test_several_targets_are_averaged(batch: tuple[torch.Tensor, ...]) -> None:
    rows, labels, numbers = batch
    tables = np.random.default_rng(0).random((2, 3, 3)).astype(np.float32)
    both = LanguageGuidance(ClassTargets(tables))(rows, labels, numbers)
    each = [float(LanguageGuidance(ClassTargets(table))(rows, labels, numbers)) for table in tables]
    assert float(both) == pytest.approx(np.mean(each))


def _masked_loop(image: np.ndarray, language: np.ndarray, labels: np.ndarray, shift: float) -> float:
    """Eq. 2, with both sides masked within classes, entry by entry."""
    total = 0.0
    for i in range(len(image)):
        rows = []
        for side, moved in ((image, 0.0), (language, shift)):
            row = [1 + shift if labels[i] == labels[j] else side[i, j] + moved for j in range(len(image))]
            rows.append(np.exp(row) / np.exp(row).sum())
        total += float(sum(p * np.log(p / q) for p, q in zip(*rows, strict=True)))
    return total / len(image)


def _class_guidance(shared: Path, variant: Variant) -> tuple[LanguageGuidance, dict[str, Any], np.ndarray]:
    """Guidance in float64 by the reference's pseudolabels of classes, all its arrays, and the table."""
    with np.load(shared / "reference" / "elg_match.npz") as file:
        arrays = dict(file)
    words = arrays["pseudo_class_language_embeddings"].reshape(30, -1)
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    table = np.asarray(pseudolabel_similarities(np.arange(30).reshape(6, 5), words @ words.T, variant))
    targets = ClassTargets(table.astype(np.float32))
    targets.table = torch.tensor(table if table.ndim == 3 else table[None])  # float64, as the reference
    return LanguageGuidance(targets), arrays, table


@pytest.mark.parametrize("variant", ["mean", "dense", "dense+multi"])
def test_pseudolabels_of_classes_are_masked_on_both_sides(shared: Path, variant: Variant) -> None:
    """As in the authors' code, whose figures the reference has for matched ranks; by a loop for all pairings, which are below 1 within a class."""
    guidance, arrays, table = _class_guidance(shared, variant)
    labels, rows = arrays["labels"], torch.tensor(arrays["embeddings"], requires_grad=True)
    image = arrays["embeddings"] @ arrays["embeddings"].T
    tables = table if table.ndim == 3 else table[None]
    expected = np.mean([_masked_loop(image, each[labels][:, labels], labels, 1.0) for each in tables])
    found = guidance(rows, torch.tensor(labels), torch.arange(24))
    assert found.item() == pytest.approx(expected, rel=1e-10)
    found.backward()
    if variant == "mean":
        assert found.item() == pytest.approx(float(arrays["plgclass_shift1_T1_backward_masked_loss"]), rel=1e-10)
        np.testing.assert_allclose(rows.grad, arrays["plgclass_shift1_T1_backward_masked_grad_embeddings"], atol=1e-12)
    else:
        assert np.diagonal(tables, axis1=1, axis2=2).min() < 0.9


@given(st.integers(0, 2**32 - 1), st.floats(-1, 1))
def test_what_language_says_within_a_class_changes_nothing(seed: int, within: float) -> None:
    rng = np.random.default_rng(seed)
    rows = torch.nn.functional.normalize(torch.tensor(rng.standard_normal((8, 5))), dim=1)
    labels, table = torch.tensor(rng.integers(0, 4, 8)), rng.uniform(-1, 1, (4, 4)).astype(np.float32)
    other = np.where(np.eye(4, dtype=bool), np.float32(within), table)
    for options in ({}, {"direction": "language||image"}, {"matching": "row-l2", "shift": 0.0}, {"matching": "full"}):
        one, two = (float(LanguageGuidance(ClassTargets(each), **options)(rows, labels, labels)) for each in (table, other))
        assert one == two


def test_class_names_are_cleaned_and_primed(content: dict[str, Any]) -> None:
    config = config_from(content | {"guidance": {"language": "clip:cars"}})
    guidance = build_guidance(config, run_images(config.data, 0))
    expected = class_similarities(["class 0", "class 1", "class 2"], "cars", "A photo of a {}")
    np.testing.assert_allclose(guidance.targets.table[0].numpy(), expected, atol=1e-6)  # type: ignore[operator]


@pytest.fixture
def classifier() -> dict[str, Any]:
    """Random weights, but 1,000 outputs."""
    return {"name": "test_resnet", "weights": "none"}


@pytest.mark.parametrize(("variant", "targets"), [("mean", 1), ("multi", 3), ("dense", 1), ("dense+multi", 9)])
def test_pseudolabels_of_classes(content: dict[str, Any], classifier: dict[str, Any], variant: str, targets: int) -> None:
    guidance_config = {"kind": "plg", "k": 3, "language": "clip:cars", "classifier": classifier, "variant": variant}
    config = config_from(content | {"guidance": guidance_config})
    images = run_images(config.data, 0)
    torch.manual_seed(0)
    guidance = build_guidance(config, images)
    table: torch.Tensor = guidance.targets.table  # type: ignore[assignment]
    assert table.shape == (targets, 3, 3)
    assert guidance.masked
    torch.manual_seed(0)
    chosen = pseudolabels(config, images)
    torch.manual_seed(0)
    outputs = classifier_outputs(config.guidance.classifier, images, 16)  # type: ignore[union-attr, arg-type]
    np.testing.assert_array_equal(chosen, top_pseudolabels(outputs, images.labels[images.train], 3))
    if variant == "mean":
        names = [imagenet_names()[each] for each in chosen[:, 0]], [imagenet_names()[each] for each in chosen[:, 1]]
        one = class_similarities([names[0][0], names[0][1]], "cars")[0, 1], class_similarities([names[1][0], names[1][1]], "cars")[0, 1]
        third = class_similarities([imagenet_names()[chosen[0, 2]], imagenet_names()[chosen[1, 2]]], "cars")[0, 1]
        assert float(table[0, 0, 1]) == pytest.approx(float(np.mean([*one, third])), abs=1e-5)


def test_pseudolabels_keep_to_their_classes_where_others_validate(content: dict[str, Any], classifier: dict[str, Any]) -> None:
    config = config_from(content | {"guidance": {"kind": "plg", "k": 3, "language": "clip:cars", "classifier": classifier}})
    tables = {}
    for validation in (0, 2):
        images = run_images(config.data.model_copy(update={"train_classes": 0.7, "validation": validation}), 0)
        torch.manual_seed(0)
        table = build_guidance(config, images).targets.table[0].numpy()  # type: ignore[union-attr, operator]
        tables |= {
            (validation, a, b): value
            for a, row in zip(images.train_classes, table, strict=True)
            for b, value in zip(images.train_classes, row, strict=True)
        }
    fewer = [key[1:] for key in tables if key[0] == 2]
    assert len(fewer) == 4
    assert [tables[2, *pair] for pair in fewer] == pytest.approx([tables[0, *pair] for pair in fewer], abs=1e-6)


@pytest.mark.parametrize("kind", ["elg", "plg"])
def test_controls_take_the_meaning_away(content: dict[str, Any], classifier: dict[str, Any], kind: str) -> None:
    own: dict[str, Any] = {"classifier": classifier} if kind == "plg" else {}
    targets = {}
    for control in ("none", "shuffled", "flat"):
        asked = content | {
            "guidance": {"kind": kind, "language": "clip:cars", "control": control} | own,
            "data": content["data"] | {"train_classes": 0.7},
        }
        config = config_from(asked | {"seed": 2})
        torch.manual_seed(0)
        targets[control] = build_guidance(config, run_images(config.data, 2)).targets.table[0].numpy()  # type: ignore[union-attr, operator]
    true, other = targets["none"], ~np.eye(4, dtype=bool)
    order = np.random.default_rng([2, 3]).permutation(4)
    assert not np.array_equal(order, np.arange(4))
    np.testing.assert_allclose(targets["shuffled"], true[np.ix_(order, order)], atol=1e-6)
    assert targets["flat"][other] == pytest.approx(np.full(12, true[other].mean()), abs=1e-6)
    np.testing.assert_allclose(np.diag(targets["flat"]), np.diag(true))


@pytest.mark.parametrize("masked", [False, True])
def test_pseudolabels_of_images_are_known_for_all_and_masked_where_the_config_says_so(
    content: dict[str, Any], classifier: dict[str, Any], masked: bool
) -> None:
    plg = {"kind": "plg", "k": 2, "level": "sample", "language": "clip:cars", "classifier": classifier, "mask_language": masked}
    config = config_from(content | {"guidance": plg})
    guidance = build_guidance(config, run_images(config.data, 0))
    assert guidance.masked == masked
    assert guidance.targets.pseudolabels.shape == (36, 2)  # type: ignore[union-attr]


@pytest.mark.parametrize("masked", [False, True])
def test_guidance_by_single_images_equals_the_reference(shared: Path, masked: bool) -> None:
    """The authors' code masks both sides; unmasked is the paper's form."""
    with np.load(shared / "reference" / "elg_match.npz") as arrays:
        rows, labels = torch.tensor(arrays["embeddings"]), torch.tensor(arrays["labels"])
        language = arrays["language_sims_plg_sample"]
        expected = float(arrays[f"plgsample_shift1_T1_backward_{'masked' if masked else 'unmasked'}_loss"])
    targets = ImageTargets(np.arange(24)[:, None], language)  # each image has a name of its own
    targets.names = torch.tensor(language)  # float64, as the reference
    guidance = LanguageGuidance(targets, masked=masked)
    assert float(guidance(rows, labels, torch.arange(24))) == pytest.approx(expected, rel=1e-10)


def test_outputs_are_computed_once(content: dict[str, Any], classifier: dict[str, Any], cache: Path) -> None:
    config = config_from(content | {"guidance": {"kind": "plg", "classifier": classifier}})
    images, told = run_images(config.data, 0), []
    for _ in range(2):
        torch.manual_seed(0)
        classifier_outputs(config.guidance.classifier, images, 16, lambda *each: told.append(each))  # type: ignore[union-attr, arg-type]
    assert told == [(18, 18, "Computing pseudolabels")]
    assert len(list((cache / "outputs").iterdir())) == 1


def test_what_gives_no_pseudolabels_is_refused(content: dict[str, Any]) -> None:
    for classifier, message in (
        ({"name": "clip:cars"}, "Pseudolabels come from an ImageNet classifier"),
        ({"name": "test_resnet", "weights": "none", "options": {"num_classes": 10}}, "has 10 classes, not ImageNet's 1,000"),
    ):
        config = config_from(content | {"guidance": {"kind": "plg", "classifier": classifier, "language": "clip:cars"}})
        with pytest.raises(InputError, match=message):
            build_guidance(config, run_images(config.data, 0))


def test_guided_runs_come_nearer_to_the_language_than_unguided_ones(content: dict[str, Any], tmp_path: Path) -> None:
    content |= {"epochs": 30, "evaluate_every": 30}
    found = {}
    for omega in (0.0, 50.0):
        metrics = train(config_from(content | {"guidance": {"language": "clip:cars", "omega": omega}}), tmp_path / str(omega)).metrics()
        np.testing.assert_allclose(metrics["loss"], metrics["loss_objective"] + omega * metrics["loss_guidance"], rtol=1e-4)
        found[omega] = metrics["loss_guidance"].tail(10).mean()
    assert found[50.0] < 0.8 * found[0.0]
