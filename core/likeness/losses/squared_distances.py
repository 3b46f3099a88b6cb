"""Squared Euclidean distances between rows, exact where rows lie close together, with a gradient that needs no third dimension."""

from typing import Any

import torch
from torch import Tensor


class _SquaredDistances(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, rows: Tensor, columns: Tensor) -> Tensor:
        context.save_for_backward(rows, columns)
        # differences before squares: |x|^2 + |y|^2 - 2 x.y would lose the digits of small distances, whose logarithms count most
        found: Tensor = torch.cdist(rows, columns, compute_mode="donot_use_mm_for_euclid_dist").square()
        return found

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        (rows, columns), gradient = context.saved_tensors, gradients[0]
        # the products below lose digits far from the origin
        center = columns.mean(dim=0)
        rows, columns = rows - center, columns - center
        ours = rows * gradient.sum(dim=1, keepdim=True) - gradient @ columns
        theirs = columns * gradient.sum(dim=0).unsqueeze(1) - gradient.T @ rows
        return 2 * ours, 2 * theirs


def squared_distances(rows: Tensor, columns: Tensor) -> Tensor:
    """D(x, y) = |x - y|^2 of rows (a, d) and columns (n, d): (a, n)."""
    found: Tensor = _SquaredDistances.apply(rows, columns)
    return found
