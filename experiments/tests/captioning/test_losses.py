"""Cross-entropy against torch's, and the self-critical loss against a hand-written REINFORCE."""

import pytest
import torch
from torch.nn import functional

from experiments.captioning.losses import cross_entropy, self_critical
from experiments.captioning.vocabulary import BEGIN, END, PAD

WORDS = torch.tensor([[4, 5, END, PAD], [6, END, PAD, PAD], [4, 4, 5, 6]])


def log_probs(seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores before the softmax, and its logarithm without padding and beginning."""
    logits = torch.randn(3, 4, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(seed), requires_grad=True)
    barred = torch.zeros(7, dtype=torch.bool)
    barred[[PAD, BEGIN]] = True
    return logits, logits.masked_fill(barred, -torch.inf).log_softmax(2)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_cross_entropy_equals_torch(smoothing: float) -> None:
    """Over the five signs that can be said, with padding ignored."""
    logits, found = log_probs()
    expected = functional.cross_entropy(logits[:, :, 2:].reshape(-1, 5), (WORDS - 2).flatten(), ignore_index=PAD - 2, label_smoothing=smoothing)
    loss = cross_entropy(found, WORDS, smoothing)
    torch.testing.assert_close(loss, expected)
    ours, theirs = torch.autograd.grad(loss, logits, retain_graph=True)[0], torch.autograd.grad(expected, logits)[0]
    torch.testing.assert_close(ours, theirs)


def test_the_self_critical_gradient_is_reinforce() -> None:
    """Eq. 9: (r(w^s) - r(w)) (p(w_t) - 1_{w^s_t}) for every word of every sentence, the mean over sentences."""
    logits, found = log_probs(1)
    rewards, baseline = torch.tensor([1.5, 0.2, 0.7], dtype=torch.float64), torch.tensor([0.5, 0.9, 0.7], dtype=torch.float64)
    picked = found.gather(2, WORDS[:, :, None]).squeeze(2)
    loss = self_critical(picked, WORDS, rewards - baseline)
    gradient = torch.autograd.grad(loss, logits)[0]
    expected = torch.zeros_like(logits)
    for n in range(3):
        for t in range(4):
            if WORDS[n, t] != PAD:
                p = found[n, t].detach().exp()
                p[WORDS[n, t]] -= 1
                expected[n, t] = (rewards[n] - baseline[n]) * p / 3
    torch.testing.assert_close(gradient, expected)
