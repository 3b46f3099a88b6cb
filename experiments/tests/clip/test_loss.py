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


def test_equals_a_plain_loop(logits: torch.Tensor, truth: torch.Tensor) -> None:
    losses = []
    for row, true in zip(logits.tolist(), truth.tolist(), strict=True):
        total = math.log(sum(math.exp(value) for value in row))
        positive = [total - value for value, flag in zip(row, true, strict=True) if flag]
        if positive:
            losses.append(sum(positive) / len(positive))
    assert len(losses) == 4
    assert multi_positive_loss(logits, truth).item() == pytest.approx(sum(losses) / 4, rel=1e-12)


def test_one_true_column_is_cross_entropy(logits: torch.Tensor) -> None:
    labels = torch.tensor([0, 6, 3, 3, 1])
    truth = torch.nn.functional.one_hot(labels, 7).bool()
    torch.testing.assert_close(multi_positive_loss(logits, truth), torch.nn.functional.cross_entropy(logits, labels))


def test_never_below_the_entropy_of_its_targets(truth: torch.Tensor) -> None:
    counts = truth.sum(dim=1)[truth.any(dim=1)]
    perfect = torch.where(truth, 50.0, -50.0)
    assert multi_positive_loss(perfect, truth).item() == pytest.approx(counts.double().log().mean().item(), rel=1e-5)


def test_nothing_true_is_no_loss(logits: torch.Tensor) -> None:
    assert multi_positive_loss(logits, torch.zeros(5, 7, dtype=torch.bool)).item() == 0


def test_gradient(logits: torch.Tensor, truth: torch.Tensor) -> None:
    assert torch.autograd.gradcheck(lambda x: caption_loss(x, truth, [slice(0, 3), slice(3, 7)], 2.0), (logits.requires_grad_(),))


def test_caption_loss_is_its_parts(logits: torch.Tensor, truth: torch.Tensor) -> None:
    both = (multi_positive_loss(logits, truth) + multi_positive_loss(logits.T, truth.T)) / 2
    sets = (multi_positive_loss(logits[:, :3], truth[:, :3]) + multi_positive_loss(logits[:, 3:], truth[:, 3:])) / 2
    torch.testing.assert_close(caption_loss(logits, truth, [slice(0, 3), slice(3, 7)], 0.5), both + 0.5 * sets)
