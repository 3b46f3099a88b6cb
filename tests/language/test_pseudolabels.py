from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from likeness.data import image_classes, read_cars
from likeness.errors import InputError
from likeness.language import (
    batch_similarities,
    cosine_similarities,
    imagenet_names,
    names_in_use,
    pseudolabel_similarities,
    pseudolabels_of,
    read_pseudolabels,
    top_pseudolabels,
    write_pseudolabels,
)

VARIANTS = ["mean", "multi", "dense", "dense+multi"]


@pytest.fixture
def reference(data: Path) -> dict[str, np.ndarray]:
    """Top-k indices by the authors' code."""
    return dict(np.load(data / "pseudolabels.npz"))


def as_names(embeddings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Embeddings (n, k, d) as similarities of n * k names, and the (n, k) indices into them."""
    n, k, d = embeddings.shape
    return cosine_similarities(embeddings.reshape(-1, d)), np.arange(n * k).reshape(n, k)


def loop(topk: np.ndarray, names: np.ndarray, variant: str) -> np.ndarray:
    k = topk.shape[1]
    pairs = [(a, a) for a in range(k)] if variant in ("mean", "multi") else [(a, b) for a in range(k) for b in range(k)]
    matrices = np.array([names[np.ix_(topk[:, a], topk[:, b])] for a, b in pairs])
    return matrices.mean(0) if variant in ("mean", "dense") else matrices


@pytest.mark.parametrize("kind", ["numpy", "torch"])
@pytest.mark.parametrize("average", ["softmax", "logits"])
def test_of_classes_and_of_images_as_the_authors(reference: dict[str, np.ndarray], average: str, kind: str) -> None:
    logits, labels = reference["logits"], reference["labels"]
    if kind == "torch":
        logits, labels = torch.from_numpy(logits), torch.from_numpy(labels)
    topk = top_pseudolabels(logits, labels, k=int(reference["k"]), average=average)
    np.testing.assert_array_equal(topk, reference[f"topk_class_mean_{average}"])
    assert topk.dtype == np.int64
    sound = reference["per_sample_tie_free"]
    assert sound.sum() > 30
    np.testing.assert_array_equal(top_pseudolabels(logits, k=5, average=average)[sound], reference["topk_per_sample"][sound])


def test_a_constant_per_image_and_large_outputs_change_nothing() -> None:
    rng = np.random.default_rng(0)
    logits, labels = rng.normal(size=(20, 9)) * 3, np.arange(20) % 3
    shifted = logits + rng.uniform(-3000, 3000, (20, 1))
    np.testing.assert_array_equal(top_pseudolabels(shifted, labels), top_pseudolabels(logits, labels))
    np.testing.assert_array_equal(top_pseudolabels(np.array([[1.0, 2, 2, 0, 2]]), k=5), [[1, 2, 4, 0, 3]])  # of equal ones the lower index first


def test_matrices_as_the_authors(data: Path) -> None:
    """Eq. 5 and the k matrices, over classes and then gathered for the authors' batch; and over images."""
    guidance = np.load(data / "elg_language.npz")
    names, topk = as_names(guidance["pseudo_class_language_embeddings"])
    mean, multi = (pseudolabel_similarities(topk, names, variant) for variant in ("mean", "multi"))
    rows = guidance["labels"]
    np.testing.assert_allclose(batch_similarities(mean, rows), guidance["language_sims_plg_class"], atol=1e-12)
    np.testing.assert_allclose(batch_similarities(multi, rows), np.moveaxis(guidance["language_sims_plg_class_per_k"], -1, 0), atol=1e-12)
    names, topk = as_names(guidance["pseudo_sample_language_embeddings"])
    np.testing.assert_allclose(pseudolabel_similarities(topk, names), guidance["language_sims_plg_sample"], atol=1e-12)


@pytest.mark.parametrize("kind", ["numpy", "torch"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_equals_a_loop_and_a_batch_from_its_table_the_batch_itself(variant: str, kind: str) -> None:
    rng = np.random.default_rng(1)
    names, topk = cosine_similarities(rng.normal(size=(30, 5))), rng.integers(0, 30, (8, 3))
    given = (torch.from_numpy(topk), torch.from_numpy(names)) if kind == "torch" else (topk, names)
    result, rows = pseudolabel_similarities(*given, variant), rng.integers(0, 8, 17)
    gathered = batch_similarities(result, torch.from_numpy(rows) if kind == "torch" else rows)
    np.testing.assert_allclose(np.asarray(gathered), loop(topk[rows], names, variant), atol=1e-12)
    assert isinstance(result, torch.Tensor if kind == "torch" else np.ndarray)
    np.testing.assert_allclose(np.asarray(result), loop(topk, names, variant), atol=1e-12)
    assert pseudolabel_similarities(topk, names.astype(np.float32), variant).dtype == np.float32


@pytest.mark.parametrize("variant", VARIANTS)
def test_gradients_reach_the_names_and_the_table(variant: str) -> None:
    """For backpropagation into the language model ("No stop grad." of Table 4): each entry counts as often as it is gathered."""
    rng = np.random.default_rng(6)
    names, topk = torch.from_numpy(rng.normal(size=(9, 9))).requires_grad_(), rng.integers(0, 9, (4, 2))
    assert torch.autograd.gradcheck(lambda given: pseudolabel_similarities(topk, given, variant), names)
    table = torch.from_numpy(rng.normal(size=(5, 5))).requires_grad_()
    assert torch.autograd.gradcheck(lambda given: batch_similarities(given, torch.tensor([3, 0, 3])), table)


def test_only_the_names_in_use() -> None:
    rng = np.random.default_rng(5)
    vectors, topk = rng.normal(size=(40, 5)), rng.integers(0, 40, (6, 3))
    used, indices = names_in_use(topk, [str(name) for name in range(40)])
    assert used == [str(name) for name in np.unique(topk)]
    np.testing.assert_array_equal(np.array(used)[indices], topk.astype(str))
    few = cosine_similarities(vectors[np.unique(topk)])
    np.testing.assert_allclose(pseudolabel_similarities(indices, few), pseudolabel_similarities(topk, cosine_similarities(vectors)), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        (top_pseudolabels, (np.zeros(5),), r"shape \(5,\) or are not finite"),
        (top_pseudolabels, (np.zeros((0, 5)),), r"shape \(0, 5\)"),
        (top_pseudolabels, (np.full((2, 5), np.nan),), "not finite"),
        *[(top_pseudolabels, (np.zeros((2, 5)), None, k), f"k between 1 and the 5 names, got {k}") for k in (0, 6)],
        (top_pseudolabels, (np.zeros((2, 5)), None, 2, "median"), "no average 'median'; choose from softmax, logits"),
        (top_pseudolabels, (np.zeros((2, 5)), [1, 2, 3]), r"labels have shape \(3,\), the outputs \(2, 5\)"),
        (pseudolabel_similarities, (np.eye(2, dtype=int), np.eye(3), "median"), r"'median'; choose from mean, multi, dense, dense\+multi"),
        (pseudolabel_similarities, (np.zeros(2, int), np.eye(3)), r"pseudolabels have shape \(2,\)"),
        (pseudolabel_similarities, (np.zeros((2, 2)), np.eye(3)), "type float64; give whole numbers"),
        (pseudolabel_similarities, (np.zeros((2, 0), int), np.eye(3)), r"shape \(2, 0\)"),
        (pseudolabel_similarities, (np.zeros((2, 2), int), np.ones((3, 2))), r"similarities of names have shape \(3, 2\)"),
        *[(pseudolabel_similarities, (np.array([[0, each]]), np.eye(3)), f"A pseudolabel is {each}, but there are 3 names") for each in (3, -1)],
        (names_in_use, (np.array([[0, 2]]), ["a", "b"]), "A pseudolabel is 2, but there are 2 names; give all names"),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[..., Any], given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(*given)


def test_what_is_written_reads_back_and_the_k_best_come_in_the_order_of_the_classes(tmp_path: Path) -> None:
    labels = {"cat, grey": ["tabby", "Egyptian cat"], "Hund": ["dachshund"]}  # codespell:ignore
    write_pseudolabels(tmp_path / "own.csv", labels)
    assert read_pseudolabels(str(tmp_path / "own.csv")) == labels
    labels = {"a": ["x", "y", "z"], "b": ["y", "x", "w"]}
    assert pseudolabels_of(["b", "a"], labels, 2) == [["y", "x"], ["x", "y"]]
    for k, told in ((4, "'a' has 3"), (1, "'c' has none")):
        with pytest.raises(InputError, match=told):
            pseudolabels_of(["a", "c"], labels, k)


def test_the_shipped_ones_name_every_class_of_synthetic_cars_by_imagenet_names() -> None:
    labels = read_pseudolabels("synthetic-cars")
    assert sorted(labels) == sorted(image_classes(read_cars(), ["car_color", "body_type"]).names)
    known = set(imagenet_names())
    assert all(len(set(names)) == 20 and set(names) <= known for names in labels.values())


@pytest.mark.parametrize(("content", "told"), [("", "empty"), ("a,x\na,y\n", "'a' twice"), ("a\n", "'a' without a name")])
def test_a_damaged_file_is_refused(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "own.csv").write_text(content)
    with pytest.raises(InputError, match=told):
        read_pseudolabels(str(tmp_path / "own.csv"))
    with pytest.raises(InputError, match="cannot be read"):
        read_pseudolabels(str(tmp_path / "none.csv"))
