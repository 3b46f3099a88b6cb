"""Losses on tuples that a miner picks."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from likeness.samplers import Mine


class Mined(nn.Module):
    """Wraps a loss (embeddings, labels, tuples) -> scalar of pytorch-metric-learning as (embeddings (n, d), labels (n,)) -> scalar.

    Args:
        miner: (embeddings, labels) -> tuples of row numbers; None: the loss uses the whole batch.
        pairs: the loss compares rows and needs two of one class in a batch.
    """

    def __init__(self, loss: Callable[..., Any], miner: Mine | None = None, *, pairs: bool = False) -> None:
        super().__init__()
        self.loss, self.miner, self.pairs = loss, miner, pairs

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """Loss of a batch, in float32 or higher; 0, with a gradient of 0, if there is no tuple."""
        embeddings = embeddings.float() if embeddings.dtype.itemsize < 4 else embeddings
        tuples = self.miner(embeddings, labels) if self.miner else None
        # sorted labels that all differ: no class has two rows
        if (tuples is not None and not len(tuples[0])) or (self.pairs and tuples is None and bool(labels.sort().values.diff().all())):
            # still part of the graph, so that backward runs and processes agree on their gradients
            return 0 * embeddings.sum()
        found: Tensor = self.loss(embeddings, labels, tuples)
        return found


class FunctionLoss(nn.Module):
    """Wraps a function (embeddings (n, d), labels) -> scalar as a module; labels are class numbers (n,) or label distances (a, n)."""

    def __init__(self, loss: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.loss = loss

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        return self.loss(embeddings, labels)


class OfficialMarginLoss(nn.Module):
    """Sum over triplets of max(d_ap - beta + margin, 0) + max(beta - d_an + margin, 0), divided by the number of triplets where either is above 0.

    d is the root of the squared distance plus 1e-8. The formula, and pytorch-metric-learning, divide by the number of terms above 0; the authors'
    code adds two boolean masks, which PyTorch evaluates as "or". Beta is learned for each class, by the anchor's; fixed if `classes` is None.
    """

    def __init__(self, beta: float, margin: float, classes: int | None) -> None:
        super().__init__()
        self.margin = margin
        start = torch.full((classes or 1,), beta)
        if classes is None:
            self.register_buffer("beta", start, persistent=False)
        else:
            self.beta = nn.Parameter(start)

    def forward(self, embeddings: Tensor, labels: Tensor, triplets: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        """Loss of embeddings (n, d), labels (n,) and row numbers (t,) of anchors, positives, negatives; 0 if no term is above 0."""
        anchors, positives, negatives = triplets
        near, far = (((embeddings[anchors] - embeddings[other]).square().sum(dim=1) + 1e-8).sqrt() for other in (positives, negatives))
        beta = self.beta[labels[anchors]] if len(self.beta) > 1 else self.beta
        pull, push = (near - beta + self.margin).relu(), (beta - far + self.margin).relu()
        active = ((pull > 0) | (push > 0)).sum()
        loss: Tensor = (pull + push).sum() / active.clamp(min=1)
        return loss
