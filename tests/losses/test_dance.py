from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from likeness.losses.diva import dance


def unit(count: int, seed: int, dim: int = 6) -> torch.Tensor:
    return normalize(torch.randn(count, dim, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)), dim=1)


def plain(queries: np.ndarray, keys: np.ndarray, negatives: np.ndarray, temperature: float) -> tuple[float, np.ndarray]:
    """The formula in loops, and the weights."""
    dim, losses, weights = queries.shape[1], [], np.zeros((len(queries), len(negatives)))
    for i, q in enumerate(queries):
        for j, k in enumerate(negatives):
            d = max(float(np.linalg.norm(q - k)), 0.5)
            weights[i, j] = d ** (2 - dim) * (1 - d * d / 4) ** (-(dim - 3) / 2) if d < 1.4 else 0
        weights[i] /= weights[i].sum()
        own = np.exp(q @ keys[i] / temperature)
        losses.append(-np.log(own / (own + sum(np.exp(weights[i, j] * (q @ k) / temperature) for j, k in enumerate(negatives)))))
    return float(np.mean(losses)), weights


@pytest.mark.parametrize("temperature", [0.1, 1.0])
def test_equals_the_formula_in_value_and_gradient(gradient: Any, temperature: float) -> None:
    queries, keys, negatives = unit(5, 0), unit(5, 1), unit(30, 2)
    value, slope = gradient(lambda rows: dance(rows, keys, negatives, temperature), queries.numpy())
    expected, weights = plain(queries.numpy(), keys.numpy(), negatives.numpy(), temperature)
    assert (weights == 0).any()
    assert value == pytest.approx(expected, rel=1e-10)
    own = queries @ keys.T
    logits = torch.cat([own.diagonal()[:, None], torch.tensor(weights) * (queries @ negatives.T)], dim=1) / temperature
    shares = logits.softmax(dim=1)  # the gradient by hand, in which the weights are constants
    by_hand = ((shares[:, :1] - 1) * keys + (shares[:, 1:] * torch.tensor(weights)) @ negatives) / temperature / 5
    np.testing.assert_allclose(slope, by_hand.numpy(), atol=1e-10)


def test_weights_over_the_batch_sum_to_1_for_each_negative(gradient: Any) -> None:
    queries, keys, negatives = unit(5, 0), unit(5, 1), unit(30, 2)
    dim, far, weights = 6, 0, np.zeros((5, 30))
    for j, k in enumerate(negatives.numpy()):
        for i, q in enumerate(queries.numpy()):
            d = max(float(np.linalg.norm(q - k)), 0.5)
            weights[i, j] = d ** (2 - dim) * (1 - d * d / 4) ** (-(dim - 3) / 2) if d < 1.4 else 0
        far += not weights[:, j].any()
        weights[:, j] = weights[:, j] / weights[:, j].sum() if weights[:, j].any() else 1 / 5
    assert 0 < far < 30
    losses = []
    for i, q in enumerate(queries.numpy()):
        own = np.exp(q @ keys[i].numpy() / 0.1)
        losses.append(-np.log(own / (own + sum(np.exp(weights[i, j] * (q @ k) / 0.1) for j, k in enumerate(negatives.numpy())))))
    value, _ = gradient(lambda rows: dance(rows, keys, negatives, batch_weights=True), queries.numpy())
    assert value == pytest.approx(np.mean(losses), rel=1e-10)
    assert value != pytest.approx(float(dance(queries, keys, negatives)), rel=1e-3)


def test_nothing_flows_back_to_keys() -> None:
    queries, keys, negatives = (unit(4, seed).requires_grad_() for seed in range(3))
    dance(queries, keys, negatives).backward()
    assert queries.grad is not None
    assert keys.grad is None
    assert negatives.grad is None


def test_without_negatives_it_is_0() -> None:
    queries = unit(4, 0).requires_grad_()
    loss = dance(queries, unit(4, 1), unit(0, 2))
    loss.backward()
    assert loss.item() == 0
    assert queries.grad.abs().sum() == 0
