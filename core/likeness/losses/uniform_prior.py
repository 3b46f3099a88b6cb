"""Uniform prior: spreads embeddings until a discriminator cannot tell them from uniform draws (Sinha et al., 2020)."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, normalize

from likeness.errors import InputError
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
    with g ~ N(0, I). `OfficialUniformPrior` is that of the code of ooDML.

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


class OfficialUniformPrior(UniformPrior):
    """The uniform prior of the code of ooDML (Milbich et al., NeurIPS 2021): it spreads the backbone's features, in pieces, over the cube.

    loss = objective(embeddings) - weight * mean log D(pieces of the features)

    Every `every` training steps, before that, D takes a step down A, with as many draws from U(-1, 1)^piece as there are pieces, by an Adam of its
    own with betas (0.5, 0.999) and without weight decay; the optimizer of the run leaves D alone. The state of that Adam is saved with the module's.

    Args:
        feature_dim: f, a multiple of `piece`.
        weight: 0.2 in the authors' scripts, 0.02 on Stanford Online Products.
        hidden: width of D's hidden layers; 100, or 50.
        every: steps between those of D; 10, or 200.
        piece: features in a piece.
        rate: of D's Adam, that of the network in the scripts.

    Raises:
        InputError: a value out of bounds, or features that do not divide into pieces.
    """

    steps: Tensor

    def __init__(
        self, objective: nn.Module, feature_dim: int, weight: float = 0.1, hidden: int = 100, every: int = 10, piece: int = 128, rate: float = 1e-5
    ) -> None:
        require_options("uniform_prior", every=every, piece=piece, rate=rate)
        if feature_dim % piece:
            raise InputError(f"{feature_dim} features do not divide into pieces of {piece}; set objective.uniform_prior.piece to a divisor.")
        super().__init__(objective, piece, weight, hidden)
        self.reads = ("features", *self.reads)
        self.every, self.rate = every, rate
        self.discriminator.requires_grad_(False)
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self._optimizer: torch.optim.Adam | None = None  # built at its first step, when the device is known
        self._state: dict[str, Any] | None = None

    def get_extra_state(self) -> dict[str, Any] | None:
        return self._state if self._optimizer is None else self._optimizer.state_dict()

    def set_extra_state(self, state: dict[str, Any] | None) -> None:
        self._optimizer, self._state = None, state

    def forward(self, embeddings: Tensor, labels: Tensor, *more: Tensor) -> Tensor:
        """Loss of a batch: embeddings (n, d), labels (n,), features (n, f), and the further inputs of the objective."""
        features, *rest = more
        pieces = features.reshape(-1, self.dim)
        if self.training:
            if int(self.steps) % self.every == 0:
                self._teach(pieces.detach())
            self.steps += 1
        judged = self.discriminator(pieces)
        loss: Tensor = self.objective(embeddings, labels, *rest)
        return loss + self.weight * binary_cross_entropy_with_logits(judged, torch.ones_like(judged))

    def draws(self, like: Tensor) -> Tensor:
        return 2 * torch.rand_like(like) - 1

    def _teach(self, pieces: Tensor) -> None:
        """A step of D."""
        learned = list(self.discriminator.parameters())
        if self._optimizer is None:
            self._optimizer = torch.optim.Adam(learned, lr=self.rate, betas=(0.5, 0.999))
            if self._state is not None:
                self._optimizer.load_state_dict(self._state)
        self.discriminator.requires_grad_(True)
        with torch.enable_grad():
            gradients = torch.autograd.grad(self.adversarial(pieces, self.draws(pieces)), learned)
        self.discriminator.requires_grad_(False)
        for parameter, gradient in zip(learned, gradients, strict=True):
            parameter.grad = gradient
        self._optimizer.step()
        self._optimizer.zero_grad()
