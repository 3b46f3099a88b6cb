"""Squared distances and the triplet hinge over them, with gradients of their own that never hold all triplets at once."""

from typing import Any

import torch
from torch import Tensor

_ENTRIES = 300_000  # triplets per chunk, which bounds the memory and stays in a processor's cache


class _SquaredDistances(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, rows: Tensor, columns: Tensor) -> Tensor:
        context.save_for_backward(rows, columns)
        # differences before squares: |x|^2 + |y|^2 - 2 x.y would lose the digits of small distances, which weigh most under a logarithm
        found: Tensor = torch.cdist(rows, columns, compute_mode="donot_use_mm_for_euclid_dist").square()
        return found

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        (rows, columns), gradient = context.saved_tensors, gradients[0]
        # d/dx_i sum_j g_ij |x_i - y_j|^2 = 2 sum_j g_ij (x_i - y_j); distances do not change with the origin, and products lose digits far from it
        center = columns.mean(dim=0)
        rows, columns = rows - center, columns - center
        ours = rows * gradient.sum(dim=1, keepdim=True) - gradient @ columns
        theirs = columns * gradient.sum(dim=0).unsqueeze(1) - gradient.T @ rows
        return 2 * ours, 2 * theirs


def squared_distances(rows: Tensor, columns: Tensor) -> Tensor:
    """Squared distances D(x, y) = |x - y|^2 between rows (a, d) and columns (n, d), as (a, n)."""
    found: Tensor = _SquaredDistances.apply(rows, columns)
    return found


class _TripletHinge(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, distances: Tensor, ranks: Tensor, others: Tensor, margin: float, least: float) -> Tensor:
        total, count, slopes = distances.new_zeros(()), 0, torch.empty_like(distances)
        size = max(1, _ENTRIES // distances.shape[1] ** 2)
        ranks = ranks.masked_fill(~others, torch.nan)  # which is not less than anything
        for start in range(0, len(distances), size):
            part = slice(start, start + size)
            triplets = ranks[part, :, None] < ranks[part, None, :]
            active = (triplets & (distances[part, :, None] - distances[part, None, :] > least - margin)).to(distances)
            # d cost / d x_ai = 1 and d cost / d x_aj = -1 where the hinge is active, so row and column counts are the gradient
            slopes[part] = active.sum(dim=2) - active.sum(dim=1)
            total += (slopes[part] * distances[part]).sum() + (margin - least) * active.sum()
            count += int(triplets.count_nonzero())
        total += least * count
        context.save_for_backward(slopes / max(1, count))
        return total / max(1, count)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None, None]:
        (slopes,) = context.saved_tensors
        return slopes * gradients[0], None, None, None, None


def triplet_hinge(distances: Tensor, ranks: Tensor, others: Tensor, margin: float, least: float = 0.0) -> Tensor:
    """Mean of max(x_ai - x_aj + margin, least) over all triplets (a, i, j) with r_ai < r_aj; 0 if there is none.

    Distances x, ranks r and the mask `others` of the columns that take part are (a, n); ranks get no gradient.
    """
    found: Tensor = _TripletHinge.apply(distances, ranks, others, margin, least)
    return found
