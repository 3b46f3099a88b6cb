"""Unit vectors for embeddings that are not normalized: spaces compare by angle, and this map keeps the order of Euclidean distances."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

# radius, as a multiple of the length that 95 % of the embeddings do not exceed
_RADIUS_FACTOR = 3.0
# names of center and radius in a run's file of weights; the spelling is that of existing runs
MAP_KEYS = ("lift.centre", "lift.radius")  # codespell:ignore


class SphericalMap(NamedTuple):
    """Maps rows x (n, d) onto a cap of the unit sphere in d + 1 dimensions: z = (x - center) / radius becomes (z, sqrt(1 - |z|^2)).

    The chord between two mapped rows is their distance over the radius, except for the difference of the last coordinates, which is below 2 % if both
    lie within a third of the radius. Rows beyond the radius are moved to it. `center` is (d,), `radius` in the unit of the embeddings.
    """

    center: Tensor
    radius: Tensor

    def __call__(self, rows: Tensor) -> Tensor:
        """Unit rows (n, d + 1); differentiable."""
        flat = (rows - self.center) / self.radius
        flat = flat / torch.linalg.vector_norm(flat, dim=1, keepdim=True).clamp(min=1)
        # not exactly 0 at the rim, where the root has an infinite gradient
        height = (1 - flat.square().sum(dim=1, keepdim=True)).clamp(min=1e-12).sqrt()
        return torch.cat([flat, height], dim=1)

    def to(self, device: torch.device) -> "SphericalMap":
        return SphericalMap(self.center.to(device), self.radius.to(device))


def fit_spherical_map(embeddings: NDArray[np.float32]) -> SphericalMap:
    """Fits the map to embeddings (n, d)."""
    center = embeddings.mean(axis=0)
    length = float(np.quantile(np.linalg.norm(embeddings - center, axis=1), 0.95))
    return SphericalMap(torch.from_numpy(center), torch.tensor(_RADIUS_FACTOR * max(length, 1e-12), dtype=torch.float32))
