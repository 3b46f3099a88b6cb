"""Uniform prior: embeddings spread out until no discriminator tells them from even draws (Sinha et al., 2020)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, normalize

from likeness.losses.wrapper_options import require_options


def reversed_gradient(rows: Tensor) -> Tensor:
    """The same values; what flows back through them changes its sign, so that what comes before opposes what comes after."""
    return 2 * rows.detach() - rows


class UniformPrior(nn.Module):
    """An adversarial regularization around any objective ("Uniform Priors for Data-Efficient Transfer").

    loss = objective(embeddings) + weight * A, with A = -mean log D(z) - mean log(1 - D(embedding))

    The discriminator D, a network with two hidden layers, learns to make A small; the embeddings, through reversed gradients, to make it
    large, so that one optimizer serves both. The z are drawn anew for each batch, as many as it has rows, from torch's own generator.

    What differs from the paper: its prior is even in the cube, U(-1, 1)^d. Embeddings here are of unit length, where the even prior is
    that on the sphere, z = g / |g| with g ~ N(0, I). The code of the ooDML authors (Milbich et al., NeurIPS 2021) takes the cube, pieces
    of 128 of the backbone's features in place of the embeddings, a step of D every 10th batch only, and lets the features minimize
    -mean log D instead of maximizing A; its runs have the weight 0.2, and 0.02 on Stanford Online Products.

    Args:
        objective: (embeddings, labels, and what its `reads` names) -> scalar; the same is then read here.
        weight: of the adversarial term.
        hidden: width of D's inner layers.

    Raises:
        InputError: a value outside its bounds.
    """

    def __init__(self, objective: nn.Module, dim: int, weight: float = 0.1, hidden: int = 100) -> None:
        super().__init__()
        require_options("uniform_prior", weight=weight, hidden=hidden)
        self.objective, self.weight, self.dim = objective, weight, dim
        self.reads: tuple[str, ...] = getattr(objective, "reads", ())
        self.discriminator = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    @property
    def networks(self) -> nn.Module:
        return self.discriminator

    def forward(self, embeddings: Tensor, labels: Tensor, *more: Tensor) -> Tensor:
        """The loss of a batch: embeddings (n, d) of unit length, labels (n,), and what the objective reads."""
        loss: Tensor = self.objective(embeddings, labels, *more)
        return loss + self.weight * self.adversarial(embeddings, self.draws(embeddings))

    def draws(self, like: Tensor) -> Tensor:
        return normalize(torch.randn_like(like), dim=1)

    def adversarial(self, embeddings: Tensor, draws: Tensor) -> Tensor:
        """A, whose gradient at the embeddings is reversed."""
        theirs, ours = self.discriminator(draws).squeeze(1), self.discriminator(reversed_gradient(embeddings)).squeeze(1)
        return binary_cross_entropy_with_logits(theirs, torch.ones_like(theirs)) + binary_cross_entropy_with_logits(ours, torch.zeros_like(ours))
