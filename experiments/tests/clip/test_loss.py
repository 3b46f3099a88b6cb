"""The multi-positive loss against a plain loop, cross-entropy and finite differences."""

import math

import pytest
import torch

from experiments.clip.loss import caption_loss, multi_positive_loss


@pytest.fixture
def logits() -> torch.Tensor:
    return torch.randn(5, 7, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.fixture
def truth() -> torch.Tensor:
    truth = torch.rand(5, 7, generator=torch.Generator().manual_seed(1)) < 0.4
    truth[2] = False
    truth[3, 1] = True
    return truth


def test_equals_a_plain_loop_and_is_its_parts(logits: torch.Tensor, truth: torch.Tensor) -> None:
    losses = []
    for row, true in zip(logits.tolist(), truth.tolist(), strict=True):
        total = math.log(sum(math.exp(value) for value in row))
        positive = [total - value for value, flag in zip(row, true, strict=True) if flag]
        if positive:
            losses.append(sum(positive) / len(positive))
    assert len(losses) == 4
    assert multi_positive_loss(logits, truth).item() == pytest.approx(sum(losses) / 4, rel=1e-12)
    assert multi_positive_loss(logits, torch.zeros(5, 7, dtype=torch.bool)).item() == 0
    both = (multi_positive_loss(logits, truth) + multi_positive_loss(logits.T, truth.T)) / 2
    sets = (multi_positive_loss(logits[:, :3], truth[:, :3]) + multi_positive_loss(logits[:, 3:], truth[:, 3:])) / 2
    torch.testing.assert_close(caption_loss(logits, truth, [slice(0, 3), slice(3, 7)], 0.5), both + 0.5 * sets)
