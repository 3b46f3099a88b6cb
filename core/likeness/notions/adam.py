"""The InDiReCT paper's own procedure: Adam from a random matrix."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.arrays import is_torch
from likeness.notions.descent import Descent, descend

if TYPE_CHECKING:
    import torch

# the authors' arccos is linear where its slope tends to infinity
_EDGE = 1e-7


def random_start(r: int, dim: int, seed: int) -> "torch.Tensor":
    """U (r, dim) as initialized (section 4 of the paper): N(0, 0.1), where 0.1 is the standard deviation in the authors' code."""
    import torch

    return torch.randn(r, dim, generator=torch.Generator().manual_seed(seed)) * 0.1


def safe_arccos(cosines: "torch.Tensor") -> "torch.Tensor":
    """arccos with finite gradients: for |x| > 1 - 1e-7 a line that reaches 0 at 1 and pi at -1, as in the authors' code.

    Rounding can put a cosine above 1, so a loss near 0 can be slightly negative.
    """
    import torch

    inner = torch.arccos(cosines.clamp(-1 + _EDGE, 1 - _EDGE))
    # lines that meet arccos at the edge, and 0 or pi at the end
    slope = float(np.arccos(1 - _EDGE)) / _EDGE
    near_one = (1 - cosines) * slope
    near_minus_one = torch.pi - (1 + cosines) * slope
    return torch.where(cosines > 1 - _EDGE, near_one, torch.where(cosines < -1 + _EDGE, near_minus_one, inner))


def loss(rows: "torch.Tensor", U: "torch.Tensor") -> "torch.Tensor":
    """Mean angle between unit rows (n, r) and their reconstructions, radians (Eq. 2 to 4), differentiable in U (r, dim)."""
    from torch.nn.functional import normalize

    codes = normalize(rows @ U)
    return safe_arccos((rows * normalize(codes @ U.T)).sum(dim=1)).mean()


def fit_adam(rows: Any, start: Any) -> Descent:
    """Trains from U (r, dim) on prompts (n, r), which are normalized here (Eq. 1), in float32, on their device; see `descend`."""
    import torch
    from torch.nn.functional import normalize

    rows = normalize((rows if is_torch(rows) else torch.as_tensor(rows)).detach().float())

    def objective(parameters: "Sequence[torch.Tensor]", gradients: "Sequence[torch.Tensor]") -> "torch.Tensor":
        U = parameters[0].detach().requires_grad_()
        value = loss(rows, U)
        gradients[0].copy_(torch.autograd.grad(value, U)[0])
        return value

    return descend([(start if is_torch(start) else torch.as_tensor(start)).detach().to(rows)], objective)
