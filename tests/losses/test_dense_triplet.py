"""Triplet losses on continuous labels: the authors' numbers, plain loops, and memory."""

from typing import Any

import numpy as np
import pytest
import torch

from likeness.losses import binary_triplet, dense_triplet, triplet_hinge as hinge


def drawn(seed: int, n: int = 10, ties: bool = False) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, 4))
    labels = rng.integers(0, 3, (n, 2)).astype(float) if ties else rng.standard_normal((n, 2))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), np.linalg.norm(labels[:, None] - labels[None], axis=2)


def plain(rows: np.ndarray, known: np.ndarray, margin: float) -> float:
    costs = [
        max(0.0, ((rows[a] - rows[i]) ** 2).sum() - ((rows[a] - rows[j]) ** 2).sum() + margin)
        for a in range(len(known))
        for i in range(len(rows))
        for j in range(len(rows))
        if a not in (i, j) and known[a, i] < known[a, j]
    ]
    return float(np.mean(costs))


@pytest.mark.parametrize("case", ["raw", "unit", "ties"])
def test_equals_the_reference(reference: Any, gradient: Any, case: str) -> None:
    arrays = reference("log_ratio")
    known = torch.tensor(arrays[f"{case}_label_distances"])
    for variant, name, relative in (("paper", "paper_dense_mean", 1e-12), ("official", "official_dense_loss", 1e-7)):
        value, slope = gradient(lambda rows, variant=variant: dense_triplet(rows, known, variant=variant), arrays[f"{case}_embeddings"])
        assert value == pytest.approx(float(arrays[f"{case}_{name}"]), rel=relative)
        expected = arrays[f"{case}_{name.removesuffix('_loss')}_grad"]
        np.testing.assert_allclose(slope, expected, atol=relative * np.abs(expected).max())


def test_binary_labels_equal_the_reference(reference: Any, gradient: Any) -> None:
    arrays = reference("log_ratio")
    known = torch.tensor(arrays["unit_label_distances"])
    value, slope = gradient(lambda rows: binary_triplet(rows, known, positives=5), arrays["unit_embeddings"])
    assert value == pytest.approx(float(arrays["naive_exact_loss"]), rel=1e-12)
    np.testing.assert_allclose(slope, arrays["naive_exact_grad"], atol=1e-12 * np.abs(slope).max())
    assert value == pytest.approx(float(arrays["naive_official_loss"]), rel=1e-3)  # theirs accumulates in single precision


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("anchors", [1, 3, 10])
def test_is_the_equation_for_any_number_of_anchors(anchors: int, ties: bool) -> None:
    rows, known = drawn(anchors, ties=ties)
    assert dense_triplet(rows, known[:anchors], margin=0.1) == pytest.approx(plain(rows, known[:anchors], 0.1), rel=1e-12)


def test_binary_labels_are_the_nearest_against_the_rest() -> None:
    rows, known = drawn(3)
    quantized = np.zeros_like(known)
    for anchor in range(10):
        far = [each for each in np.argsort(known[anchor]) if each != anchor][4:]
        quantized[anchor, far] = 1
    assert binary_triplet(rows, known, positives=4) == pytest.approx(plain(rows, quantized, 0.2), rel=1e-12)


def test_gradients_are_the_finite_differences() -> None:
    rows, known = drawn(5)
    for loss in (lambda leaf: dense_triplet(leaf, torch.tensor(known), 0.1), lambda leaf: binary_triplet(leaf, torch.tensor(known), 3)):
        assert torch.autograd.gradcheck(loss, torch.tensor(rows, requires_grad=True))


def test_a_few_anchors_at_a_time_give_the_same(monkeypatch: pytest.MonkeyPatch, gradient: Any) -> None:
    rows, known = drawn(6)
    at_once = gradient(lambda leaf: dense_triplet(leaf, torch.tensor(known)), rows)
    monkeypatch.setattr(hinge, "_ENTRIES", 1)
    one_by_one = gradient(lambda leaf: dense_triplet(leaf, torch.tensor(known)), rows)
    assert at_once[0] == pytest.approx(one_by_one[0], rel=1e-12)
    np.testing.assert_allclose(at_once[1], one_by_one[1], rtol=1e-12)


def test_without_triplets_nothing_is_to_learn(gradient: Any) -> None:
    rows, _ = drawn(0)
    value, slope = gradient(lambda leaf: dense_triplet(leaf, torch.tensor(1 - np.eye(10))), rows)
    assert value == 0
    assert not slope.any()


def test_a_satisfied_order_leaves_no_gradient(gradient: Any) -> None:
    """Section 3.1: unlike the log-ratio loss."""
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    value, slope = gradient(lambda leaf: dense_triplet(leaf, torch.tensor([1.0, 4.0])), rows)
    assert value == 0
    assert not slope.any()
