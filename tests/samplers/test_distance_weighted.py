from pathlib import Path

import numpy as np
import pytest
import torch

from likeness.samplers import distance_weighted_triplets, negative_probabilities


@pytest.fixture
def arrays(shared: Path) -> dict[str, np.ndarray]:
    with np.load(shared / "reference" / "distance_weighted.npz") as file:
        return {name: file[name] for name in file.files}


def test_probabilities_equal_the_authors(arrays: dict[str, np.ndarray]) -> None:
    found = negative_probabilities(torch.tensor(arrays["embeddings"]), torch.tensor(arrays["labels"]))
    np.testing.assert_allclose(found.numpy(), arrays["prob_distance_lg"], atol=1e-10)
    np.testing.assert_allclose(found.numpy(), arrays["prob_distance_oodml"], atol=1e-10)


def test_with_an_upper_cutoff_they_equal_pytorch_metric_learning(arrays: dict[str, np.ndarray]) -> None:
    rows, labels = torch.tensor(arrays["embeddings"]), torch.tensor(arrays["labels"])
    np.testing.assert_allclose(negative_probabilities(rows, labels, upper=2.5).numpy(), arrays["prob_pml_nonzero2p5"], atol=1e-10)
    theirs = arrays["prob_pml_nonzero1p4"]
    near = theirs.sum(axis=1) > 0
    np.testing.assert_allclose(negative_probabilities(rows, labels, upper=1.4).numpy()[near], theirs[near], atol=1e-10)


def test_are_the_formula() -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((9, 5))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3])
    found = negative_probabilities(torch.tensor(rows), torch.tensor(labels)).numpy()
    for i in range(9):
        weights = np.zeros(9)
        for j in range(9):
            if labels[i] != labels[j]:
                d = max(float(np.linalg.norm(rows[i] - rows[j])), 0.5)
                weights[j] = d ** (2 - 5) * (1 - d * d / 4) ** (-(5 - 3) / 2)
        np.testing.assert_allclose(found[i], weights / weights.sum(), atol=1e-10)


def test_triplets_are_drawn_by_these_probabilities() -> None:
    torch.manual_seed(0)
    rows = torch.nn.functional.normalize(torch.randn(8, 3), dim=1)
    labels = torch.tensor([0, 0, 0, 1, 1, 2, 2, 3])
    expected, drawn, positives = negative_probabilities(rows, labels), torch.zeros(8, 8), torch.zeros(8, 8)
    generator = torch.Generator().manual_seed(1)
    for _ in range(3000):
        anchors, same, others = distance_weighted_triplets(rows, labels, generator=generator)
        assert anchors.tolist() == list(range(7))  # the last row has no partner
        drawn[anchors, others] += 1
        positives[anchors, same] += 1
    assert (drawn[:7] / 3000 - expected[:7]).abs().max() < 0.04
    assert (positives[0, 1:3] / 3000 - 0.5).abs().max() < 0.04
    assert positives[0].sum() == positives[0, 1:3].sum()


def test_equal_and_opposite_rows_are_finite() -> None:
    rows = torch.tensor([[1.0, 0], [1, 0], [-1, 0], [-1, 0]])
    found = negative_probabilities(rows, torch.tensor([0, 0, 1, 1]))
    assert torch.isfinite(found).all()
    assert found.sum(dim=1).tolist() == pytest.approx([1] * 4)
