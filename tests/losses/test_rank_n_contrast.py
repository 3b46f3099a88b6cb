import math
from typing import Any

import numpy as np
import pytest
import torch

from likeness.losses import make_objective, rank_n_contrast


def plain(rows: np.ndarray, known: np.ndarray, temperature: float) -> float:
    """Equations 1 to 3 of arXiv 2210.01189, pair by pair; row i of `known` belongs to anchor i."""
    costs = []
    for i in range(len(known)):
        near = [-math.dist(rows[i], other) / temperature for other in rows]
        for j in range(len(rows)):
            farther = [math.exp(near[k]) for k in range(len(rows)) if k != i and known[i, k] >= known[i, j]]
            if j != i:
                costs.append(-math.log(math.exp(near[j]) / sum(farther)))
    return float(np.mean(costs))


def drawn(seed: int, ties: bool, n: int = 9) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, (n, 2)).astype(float) if ties else rng.standard_normal((n, 3))
    return rng.standard_normal((n, 5)), np.linalg.norm(labels[:, None] - labels[None], axis=2)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("anchors", "temperature"), [(1, 2.0), (4, 0.1), (9, 2.0)])
def test_is_the_equation_for_any_number_of_anchors(anchors: int, temperature: float, ties: bool) -> None:
    rows, known = drawn(anchors, ties)
    found = rank_n_contrast(rows, known[:anchors], temperature)
    assert found == pytest.approx(plain(rows, known[:anchors], temperature), rel=1e-12)
    single = torch.tensor(rows, dtype=torch.float32)
    assert float(make_objective("rank-n-contrast", temperature=temperature)(single, known[:anchors])) == pytest.approx(found, rel=1e-5)


@pytest.mark.parametrize(
    ("temperature", "loss", "length", "first"),
    [
        (2, 1.8926362719490075, 0.054784281264169024, [0.0027583328168736456, 0.0014065417706420357, 0.004853153960126045, -0.006831366290051743]),
        (0.5, 2.5365119962361584, 0.516761999188415, [0.0028080182939514697, 0.0524679509389004, 0.04125338227485913, -0.07819760085959415]),
    ],
)
def test_equals_the_authors_code(gradient: Any, temperature: float, loss: float, length: float, first: list[float]) -> None:
    """RnCLoss of kaiwenzha/Rank-N-Contrast at eca433b, in float64, on two views of each of six images; some labels are equally far."""
    views = torch.sin(torch.arange(48, dtype=torch.float64).square()).reshape(6, 2, 4)
    labels = torch.tensor([[0, 0], [1, 0], [0, 1], [2, 1], [3, 3], [1, 1]], dtype=torch.float64).repeat(2, 1)
    rows = torch.cat([views[:, 0], views[:, 1]]).numpy()
    value, slope = gradient(lambda leaf: rank_n_contrast(leaf, torch.cdist(labels, labels, p=1), temperature), rows)
    assert value == pytest.approx(loss, rel=1e-12)
    assert np.linalg.norm(slope) == pytest.approx(length, rel=1e-12)
    np.testing.assert_allclose(slope[0], first, rtol=1e-10)


def test_gradients_are_the_finite_differences() -> None:
    rows, known = drawn(5, ties=True)
    assert torch.autograd.gradcheck(lambda leaf: rank_n_contrast(leaf, torch.tensor(known)), torch.tensor(rows, requires_grad=True))


def test_only_the_order_of_labels_counts_and_a_right_order_far_apart_costs_nothing(gradient: Any) -> None:
    rows, known = drawn(3, ties=False)
    assert rank_n_contrast(rows, known**3) == pytest.approx(rank_n_contrast(rows, known), rel=1e-14)
    line = 1000.0 * np.array([[0.0], [1.0], [2.5], [4.5]])
    assert rank_n_contrast(line, np.array([1.0, 2.0, 3.0])) == 0
    value, slope = gradient(lambda leaf: rank_n_contrast(leaf, torch.tensor(known[:1])), np.zeros((9, 5)))
    assert value == pytest.approx(math.lgamma(9) / 8)  # all rows in one place: the mean of log 1 to log 8
    assert not slope.any()
