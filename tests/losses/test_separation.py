import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from likeness.losses.diva import Separation


def unit(count: int, dim: int, seed: int) -> torch.Tensor:
    return normalize(torch.randn(count, dim, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)), dim=1)


def test_equals_the_formula_and_turns_the_gradients_of_the_embeddings_alone() -> None:
    torch.manual_seed(0)
    loss = Separation(4, 7).double()
    source, target = (unit(6, 4, seed).requires_grad_() for seed in (0, 1))
    value = loss(source, target)
    value.backward()
    turned = [each.grad for each in (source, target, *loss.parameters())]
    arrays = [each.detach().numpy() for each in (source, target, *loss.parameters())]
    hidden = np.maximum(arrays[0] @ arrays[2].T + arrays[3], 0)
    guessed = hidden @ arrays[4].T + arrays[5]
    guessed /= np.linalg.norm(guessed, axis=1, keepdims=True)
    assert value.item() == pytest.approx(-np.mean((arrays[1] * guessed) ** 2), rel=1e-12)

    source, target = (each.detach().requires_grad_() for each in (source, target))
    loss.zero_grad()
    (-((target * normalize(loss.network(source), dim=1)) ** 2).mean()).backward()
    for number, (found, plain) in enumerate(zip(turned, [each.grad for each in (source, target, *loss.parameters())], strict=True)):
        assert found is not None
        assert plain is not None
        torch.testing.assert_close(found, -plain if number < 2 else plain)
