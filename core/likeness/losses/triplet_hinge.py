"""The hinge over all triplets of many anchors, a few anchors at a time."""

from typing import Any

import torch
from torch import Tensor

_ENTRIES = 4_000_000


class _TripletHinge(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, distances: Tensor, ranks: Tensor, others: Tensor, margin: float, least: float) -> Tensor:
        total, count, slopes = distances.new_zeros(()), 0, torch.zeros_like(distances)
        size = max(1, _ENTRIES // distances.shape[1] ** 2)
        for start in range(0, len(distances), size):
            part = slice(start, start + size)
            costs = distances[part, :, None] - distances[part, None, :] + margin
            triplets = (ranks[part, :, None] < ranks[part, None, :]) & others[part, :, None] & others[part, None, :]
            paid = triplets & (costs > least)
            total += costs.masked_fill(~paid, 0).sum() + least * (triplets.sum() - paid.sum())
            count += int(triplets.sum())
            slopes[part] = (paid.sum(dim=2) - paid.sum(dim=1)).to(distances)
        context.save_for_backward(slopes / max(1, count))
        return total / max(1, count)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None, None]:
        (slopes,) = context.saved_tensors
        return slopes * gradients[0], None, None, None, None


def triplet_hinge(distances: Tensor, ranks: Tensor, others: Tensor, margin: float, least: float = 0.0) -> Tensor:
    """The mean of max(x_ai - x_aj + margin, least) over all i, j of an anchor a with r_ai < r_aj; 0 where there is no such triplet.

    Args:
        distances: x, (a, n) distances in the embedding.
        ranks: r, (a, n), by which i is nearer than j; nothing flows back to it.
        others: (a, n), the columns that take part.
        margin: of the hinge.
        least: what a triplet costs at least.
    """
    found: Tensor = _TripletHinge.apply(distances, ranks, others, margin, least)
    return found
