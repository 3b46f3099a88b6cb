"""Adam with early stopping, which trains the paper's gradient baselines (section 4.2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import InputError

if TYPE_CHECKING:
    import torch

RATE = 0.01
PATIENCE = 100
# a bound for losses that improve forever in the last digits; the paper has none
_MOST = 50_000
_BETAS = (0.9, 0.999)
_EPSILON = 1e-8

Objective = Callable[["Sequence[torch.Tensor]", "Sequence[torch.Tensor]"], "torch.Tensor"]


@dataclass(frozen=True)
class Descent:
    """Result of `descend`: the parameters with the smallest loss, that loss, and the number of iterations, including those without improvement."""

    best: "list[torch.Tensor]"
    loss: float
    n_iter: int


def descend(start: "Sequence[torch.Tensor]", objective: Objective, *, weight_decay: float = 0.0) -> Descent:
    """Adam with learning rate 0.01 until the loss has not improved for 100 iterations, as in the paper.

    Runs in the precision and on the device of the parameters; `start` is not changed. The objective, (parameters, gradients) -> loss, writes the
    gradients by formula, which is faster than autograd. `weight_decay` times the parameters is added to the gradients (Adam's L2 penalty, not AdamW's
    decoupled decay). InputError: the loss was never finite.
    """
    import torch

    values = torch.cat([value.detach().reshape(-1) for value in start])
    gradients = torch.zeros_like(values)
    parts, slopes = _views(values, start), _views(gradients, start)
    adam, best = _Adam(values, weight_decay), values.clone()
    best_loss, since, step = float("inf"), 0, 0
    while since < PATIENCE and step < _MOST:
        step, since = step + 1, since + 1
        loss = objective(parts, slopes).item()
        if loss < best_loss:
            best_loss, since = loss, 0
            best.copy_(values)
        adam.step(gradients)
    if not np.isfinite(best_loss):
        raise InputError("The loss was not finite in any iteration; check that start and rows are finite and of usual size.")
    return Descent(_views(best, start), best_loss, step)


def _views(flat: "torch.Tensor", shapes: "Sequence[torch.Tensor]") -> "list[torch.Tensor]":
    parts = flat.split([shape.numel() for shape in shapes])  # type: ignore[no-untyped-call]
    return [part.view(shape.shape) for part, shape in zip(parts, shapes, strict=True)]


class _Adam:
    """Adam on one flat vector, in place. The operations and their order are those of torch.optim.Adam without `fused`, so a descent ends where the
    authors' ends; one vector saves the calls per parameter.
    """

    def __init__(self, values: "torch.Tensor", weight_decay: float) -> None:
        self.values, self.weight_decay, self.steps = values, weight_decay, 0
        self.mean, self.square, self.scale = (values.new_zeros(values.shape) for _ in range(3))

    def step(self, gradients: "torch.Tensor") -> None:
        """One step against the gradients, which weight decay changes in place."""
        import torch

        self.steps += 1
        if self.weight_decay:
            gradients.add_(self.values, alpha=self.weight_decay)
        self.mean.lerp_(gradients, 1 - _BETAS[0])
        self.square.mul_(_BETAS[1]).addcmul_(gradients, gradients, value=1 - _BETAS[1])
        torch.sqrt(self.square, out=self.scale).div_((1 - _BETAS[1] ** self.steps) ** 0.5).add_(_EPSILON)
        self.values.addcdiv_(self.mean, self.scale, value=-RATE / (1 - _BETAS[0] ** self.steps))
