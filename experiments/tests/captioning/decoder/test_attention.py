"""Additive attention: a loop over places, masks."""

import torch

from experiments.captioning.decoder import AdditiveAttention


def test_equals_a_loop_over_places() -> None:
    torch.manual_seed(0)
    attention = AdditiveAttention(5, 4, 3).double()
    hidden, features = torch.randn(2, 4).double(), torch.randn(2, 6, 5).double()
    seen, weights = attention(hidden, features, attention.keys(features))
    for n in range(2):
        scores = torch.stack([attention.score(torch.tanh(attention.key(features[n, i]) + attention.query(hidden[n])))[0] for i in range(6)])
        expected = scores.exp() / scores.exp().sum()
        torch.testing.assert_close(weights[n], expected)
        torch.testing.assert_close(seen[n], sum(expected[i] * features[n, i] for i in range(6)))


def test_what_is_masked_has_no_weight_and_no_gradient() -> None:
    torch.manual_seed(0)
    attention = AdditiveAttention(5, 4, 3)
    hidden, features = torch.randn(1, 4), torch.randn(1, 6, 5, requires_grad=True)
    mask = torch.tensor([[True, True, False, True, False, False]])
    seen, weights = attention(hidden, features, attention.keys(features), mask)
    assert weights[~mask].tolist() == [0, 0, 0]
    torch.testing.assert_close(weights.sum(1), torch.ones(1))
    seen.sum().backward()
    assert features.grad is not None
    assert features.grad[~mask].abs().sum() == 0
    kept = features[:, mask[0]].detach()
    torch.testing.assert_close(attention(hidden, kept, attention.keys(kept))[0], seen)
