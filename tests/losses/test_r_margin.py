"""R-margin: the margin loss where triplets may have the anchor as their positive."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from likeness.losses import make_objective
from likeness.samplers import rho_triplets


def formula(rows: torch.Tensor, triplets: tuple[torch.Tensor, ...], beta: float, margin: float) -> torch.Tensor:
    """Sum of the hinges divided by how many are above 0, triplet by triplet; the distance of a row to itself is the number 0."""
    hinges = []
    for a, p, n in zip(*(each.tolist() for each in triplets), strict=True):
        near = (rows[a] - rows[p]).norm() if a != p else rows.new_zeros(())
        hinges += [(near - beta + margin).relu(), (beta - (rows[a] - rows[n]).norm() + margin).relu()]
    active = sum(bool(each > 0) for each in hinges)
    return torch.stack(hinges).sum() / max(active, 1)


@pytest.mark.parametrize("count", [10, 40])  # above 25 rows torch computes distances another way
@pytest.mark.parametrize(("beta", "margin"), [(1.2, 0.2), (0.6, 0.2), (0.1, 0.3)])
def test_equals_the_formula_in_value_and_gradient(gradient: Any, count: int, beta: float, margin: float) -> None:
    rows = normalize(torch.randn(count, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0)), dim=1).numpy()
    labels, objective = torch.arange(count) // 5, make_objective("r-margin", count // 5, 6, beta=beta, margin=margin, rho=0.5)
    torch.manual_seed(1)
    triplets = rho_triplets(torch.tensor(rows), labels, 0.5)
    assert 0 < int((triplets[0] == triplets[1]).sum()) < count
    torch.manual_seed(1)
    value, slope = gradient(lambda free: objective(normalize(free, dim=1), labels), rows)
    expected, its_slope = gradient(lambda free: formula(normalize(free, dim=1), triplets, beta, margin), rows)
    assert np.isfinite(slope).all()
    assert value == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(slope, its_slope, atol=1e-7)
