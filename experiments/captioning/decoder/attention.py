"""Additive attention over the places of an image."""

import torch
from torch import Tensor, nn


class AdditiveAttention(nn.Module):
    """alpha = softmax_i(w^T tanh(W_v v_i + W_h h)): Eq. 4 and 5 of the bottom-up and top-down paper, and the attention of the self-critical one.

    Args:
        features: size of v_i.
        hidden: size of h.
        dim: size of what they are compared in.
    """

    def __init__(self, features: int, hidden: int, dim: int) -> None:
        super().__init__()
        self.key, self.query, self.score = nn.Linear(features, dim), nn.Linear(hidden, dim), nn.Linear(dim, 1)

    def keys(self, features: Tensor) -> Tensor:
        """W_v v_i (n, l, dim) of features (n, l, f); the same for every word, so computed once."""
        found: Tensor = self.key(features)
        return found

    def forward(self, hidden: Tensor, features: Tensor, keys: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The weighted mean of the features (n, f), and the weights (n, l), which sum to 1.

        Args:
            hidden: (n, h).
            features: (n, l, f).
            keys: (n, l, dim), of `keys`.
            mask: (n, l), false where there is nothing to see, whose weight is 0.
        """
        scores = self.score(torch.tanh(keys + self.query(hidden)[:, None])).squeeze(2)
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = scores.softmax(1)
        return torch.bmm(weights[:, None], features).squeeze(1), weights
