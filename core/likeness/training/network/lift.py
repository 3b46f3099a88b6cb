"""Embeddings of free length as unit vectors, so that spaces, which compare by angle, show the order of their Euclidean distances."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

# Of the radius, in lengths that 95 % of the embeddings do not exceed.
_REACH = 3.0


class Lift(NamedTuple):
    """Places rows x (n, d) on a cap of the unit sphere in d + 1 dimensions: z = (x - centre) / radius becomes (z, sqrt(1 - |z|^2)).

    The chord between two lifted rows is their distance over the radius, but for the difference of the last coordinates, under 2 % where
    both lie within a third of the radius. Rows beyond the radius are moved to it.

    Attributes:
        centre: (d,).
        radius: (), in the unit of the embeddings.
    """

    centre: Tensor
    radius: Tensor

    def __call__(self, rows: Tensor) -> Tensor:
        """Unit rows (n, d + 1); gradients flow back."""
        flat = (rows - self.centre) / self.radius
        flat = flat / torch.linalg.vector_norm(flat, dim=1, keepdim=True).clamp(min=1)
        height = (1 - flat.square().sum(dim=1, keepdim=True)).clamp(min=1e-12).sqrt()
        return torch.cat([flat, height], dim=1)

    def to(self, device: torch.device) -> "Lift":
        """The same, there."""
        return Lift(self.centre.to(device), self.radius.to(device))


def lift_of(embeddings: NDArray[np.float32]) -> Lift:
    """The lift that suits embeddings (n, d)."""
    centre = embeddings.mean(axis=0)
    length = float(np.quantile(np.linalg.norm(embeddings - centre, axis=1), 0.95))
    return Lift(torch.from_numpy(centre), torch.tensor(_REACH * max(length, 1e-12), dtype=torch.float32))
