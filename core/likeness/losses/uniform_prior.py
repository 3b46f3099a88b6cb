"""Uniform prior: spreads embeddings until a discriminator cannot tell them from uniform draws (Sinha et al., 2020)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, normalize

from likeness.losses.wrapper_options import require_options


def reversed_gradient(rows: Tensor) -> Tensor:
    """Identity with a reversed gradient: layers before it maximize what layers after it minimize."""
    # the value is 2x - x = x, its derivative -1
    return 2 * rows.detach() - rows


class UniformPrior(nn.Module):
    """An adversarial regularization around any objective ("Uniform Priors for Data-Efficient Transfer").

    loss = objective(embeddings) + weight * A, with A = -mean log D(z) - mean log(1 - D(embedding))

    The discriminator D, a network with two hidden layers, minimizes A; reversed gradients make the embeddings maximize it, so one optimizer serves
    both. Each batch draws as many new z as it has rows, from torch's global generator.

    Unlike the paper, whose prior is uniform in the cube, U(-1, 1)^d, the prior here is uniform on the sphere, where the embeddings are: z = g / |g|
    with g ~ N(0, I). The code of ooDML (Milbich et al., NeurIPS 2021) uses the cube, pieces of 128 backbone features instead of the embeddings, a
    step of D every 10th batch, and features that minimize -mean log D instead of maximizing A, with weight 0.2, or 0.02 on Stanford Online Products.

    Args:
        objective: (embeddings, labels, inputs named in its `reads`) -> scalar; this module reads the same.
        weight: of the adversarial term.
        hidden: width of D's hidden layers.

    Raises:
        InputError: a value out of bounds.
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
        """Loss of a batch: embeddings (n, d) of unit length, labels (n,), and the further inputs of the objective."""
        loss: Tensor = self.objective(embeddings, labels, *more)
        return loss + self.weight * self.adversarial(embeddings, self.draws(embeddings))

    def draws(self, like: Tensor) -> Tensor:
        return normalize(torch.randn_like(like), dim=1)

    def adversarial(self, embeddings: Tensor, draws: Tensor) -> Tensor:
        """A, with a reversed gradient at the embeddings."""
        theirs, ours = self.discriminator(draws).squeeze(1), self.discriminator(reversed_gradient(embeddings)).squeeze(1)
        # -log sigmoid from logits: finite also where D is sure
        return binary_cross_entropy_with_logits(theirs, torch.ones_like(theirs)) + binary_cross_entropy_with_logits(ours, torch.zeros_like(ours))
