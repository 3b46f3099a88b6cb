"""The InDiReCT paper's own procedure: gradient descent with Adam from a random matrix."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.arrays import is_torch
from likeness.errors import InputError

if TYPE_CHECKING:
    import torch

RATE = 0.01
PATIENCE = 100
# The authors' arccos is a straight line where its slope tends to infinity.
_EDGE = 1e-7


@dataclass(frozen=True)
class AdamFit:
    """Result of `fit_adam`.

    Attributes:
        U: (r, dim) tensor of the iteration with the smallest loss.
        loss: that loss, radians.
        n_iter: iterations done, the last `patience` without a new best included.
    """

    U: "torch.Tensor"
    loss: float
    n_iter: int


def random_start(r: int, dim: int, seed: int) -> "torch.Tensor":
    """U (r, dim) as initialised (section 4 of the paper): N(0, 0.1). The paper's 0.1 is a standard deviation in the authors' code."""
    import torch

    return torch.randn(r, dim, generator=torch.Generator().manual_seed(seed)) * 0.1


def safe_arccos(cosines: "torch.Tensor") -> "torch.Tensor":
    """arccos, with straight lines for |x| > 1 - 1e-7 that reach 0 at 1 and pi at -1, as in the authors' code: finite gradients.

    Rounding can put a cosine above 1, so that a loss of about 0 can come out slightly negative.
    """
    import torch

    inner = torch.arccos(cosines.clamp(-1 + _EDGE, 1 - _EDGE))
    slope = float(np.arccos(1 - _EDGE)) / _EDGE
    near_one = (1 - cosines) * slope
    near_minus_one = torch.pi - (1 + cosines) * slope
    return torch.where(cosines > 1 - _EDGE, near_one, torch.where(cosines < -1 + _EDGE, near_minus_one, inner))


def loss(rows: "torch.Tensor", U: "torch.Tensor") -> "torch.Tensor":
    """Mean angle between unit rows (n, r) and their reconstructions, radians (Eq. 2 to 4), differentiable in U (r, dim)."""
    from torch.nn.functional import normalize

    codes = normalize(rows @ U)
    return safe_arccos((rows * normalize(codes @ U.T)).sum(dim=1)).mean()


def fit_adam(
    rows: Any, start: Any, *, patience: int = PATIENCE, max_iter: int = 50_000, on_step: Callable[[int, float], None] | None = None
) -> AdamFit:
    """Adam at rate 0.01 until the loss has had no new best for `patience` iterations; the best matrix is returned.

    Args:
        rows: (n, r) prompts, NumPy or torch, normalised here (Eq. 1). Computed in float32, on the device of the tensor.
        start: U (r, dim) to begin with, see `random_start`.
        max_iter: a bound that the paper does not have.
        on_step: called with (iteration from 1, loss); raise in it to stop.

    Raises:
        InputError: if the loss is never finite.
    """
    import torch
    from torch.nn.functional import normalize

    rows = normalize((rows if is_torch(rows) else torch.as_tensor(rows)).detach().float())
    U = (start if is_torch(start) else torch.as_tensor(start)).detach().to(rows).clone().requires_grad_()
    optimizer = torch.optim.Adam([U], lr=RATE)
    best, best_U, since, step = float("inf"), U.detach().clone(), 0, 0
    while since < patience and step < max_iter:
        step += 1
        optimizer.zero_grad()
        value = loss(rows, U)
        current = value.item()
        if current < best:
            best, best_U, since = current, U.detach().clone(), 0
        else:
            since += 1
        if on_step:
            on_step(step, current)
        value.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    if not np.isfinite(best):
        raise InputError("The loss was not finite in any iteration; check that start and prompts are finite and of usual size.")
    return AdamFit(best_U, best, step)
