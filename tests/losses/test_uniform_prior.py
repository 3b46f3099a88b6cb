from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import normalize

from likeness.losses import S2SD, UniformPrior, make_objective
from likeness.losses.uniform_prior import reversed_gradient


class Sum(nn.Module):
    def forward(self, rows: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (rows[:, 0] * labels).sum()


def discriminator(loss: UniformPrior, rows: np.ndarray) -> np.ndarray:
    """D, from its weights, in NumPy."""
    for number in (0, 2, 4):
        layer: Any = loss.discriminator[number]
        rows = rows @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()
        rows = rows if number == 4 else np.maximum(rows, 0)
    return 1 / (1 + np.exp(-rows[:, 0]))


def test_reversal_keeps_values_and_turns_gradients() -> None:
    rows = torch.randn(50, 7, requires_grad=True)
    found = reversed_gradient(rows)
    assert torch.equal(found, rows)
    (found**2).sum().backward()
    assert rows.grad is not None
    assert torch.equal(rows.grad, -2 * rows.detach())


def test_equals_the_formula_and_turns_the_gradient_of_the_embeddings_alone(gradient: Any) -> None:
    torch.manual_seed(0)
    loss, labels = UniformPrior(Sum(), 5, weight=0.3, hidden=6).double(), torch.arange(8.0, dtype=torch.float64)
    rows = normalize(torch.randn(8, 5, dtype=torch.float64), dim=1)
    torch.manual_seed(1)
    value, slope = gradient(lambda free: loss(free, labels), rows.numpy())
    learned = [parameter.grad.clone() for parameter in loss.discriminator.parameters()]
    torch.manual_seed(1)
    draws = loss.draws(rows)
    adversarial = -np.log(discriminator(loss, draws.numpy())).mean() - np.log(1 - discriminator(loss, rows.numpy())).mean()
    assert value == pytest.approx(float((rows[:, 0] * labels).sum()) + 0.3 * adversarial, rel=1e-12)

    step, expected = 1e-6, np.zeros((8, 5))
    for place in np.ndindex(8, 5):  # finite differences of log(1 - D), which the embeddings maximize
        moved = np.zeros((8, 5))
        moved[place] = step
        ends = [-np.log(1 - discriminator(loss, rows.numpy() + sign * moved)).mean() for sign in (1, -1)]
        expected[place] = -0.3 * (ends[0] - ends[1]) / (2 * step)
    expected[:, 0] += labels.numpy()
    np.testing.assert_allclose(slope, expected, atol=1e-8)

    def plain(free: torch.Tensor) -> torch.Tensor:
        return -0.3 * (loss.discriminator(draws).sigmoid().log().mean() + (1 - loss.discriminator(free).sigmoid()).log().mean())

    loss.zero_grad()
    plain(rows).backward()
    for found, parameter in zip(learned, loss.discriminator.parameters(), strict=True):
        torch.testing.assert_close(found, parameter.grad)


def test_draws_are_even_on_the_sphere_and_the_seed_decides() -> None:
    loss = UniformPrior(Sum(), 3)
    torch.manual_seed(0)
    points = loss.draws(torch.zeros(20000, 3, dtype=torch.float64))
    assert points.norm(dim=1).numpy() == pytest.approx(1)
    assert points.mean(dim=0).abs().max() < 0.02
    torch.testing.assert_close(points.T @ points / 20000, torch.eye(3, dtype=torch.float64) / 3, atol=0.01, rtol=0)
    assert (points[:, 0] < 0.5).double().mean().item() == pytest.approx(0.75, abs=0.01)  # Archimedes: even along an axis of the 2-sphere
    torch.manual_seed(0)
    assert torch.equal(points, loss.draws(points))


def test_it_wraps_objectives_that_read_more() -> None:
    torch.manual_seed(0)
    inner = S2SD([make_objective("margin", 2, dim) for dim in (4, 6)], 5, [6])
    loss, rows = UniformPrior(inner, 4, weight=0.0), normalize(torch.randn(8, 4), dim=1)
    features, labels = torch.randn(8, 5), torch.tensor([0, 0, 0, 0, 1, 1, 1, 1])
    assert loss.reads == inner.reads == ("features",)
    torch.manual_seed(1)
    found = loss(rows, labels, features)
    torch.manual_seed(1)
    assert found.item() == inner(rows, labels, features).item()
    assert UniformPrior(make_objective("margin", 2, 4), 4).reads == ()
