"""A loss on the tuples that a miner picks."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from likeness.samplers import Mine


class Mined(nn.Module):
    """(embeddings (n, d), labels (n,)) -> scalar, of a loss as pytorch-metric-learning has them: (embeddings, labels, tuples) -> scalar.

    Args:
        miner: (embeddings, labels) -> tuples of row numbers; None: the loss takes all that a batch has.
        pairs: it compares rows, so that a batch without two of one class has nothing to compare.
    """

    def __init__(self, loss: Callable[..., Any], miner: Mine | None = None, *, pairs: bool = False) -> None:
        super().__init__()
        self.loss, self.miner, self.pairs = loss, miner, pairs

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """The loss of a batch, in float32 at least; 0, with a gradient of 0, where it has no tuple."""
        embeddings = embeddings.float() if embeddings.dtype.itemsize < 4 else embeddings
        tuples = self.miner(embeddings, labels) if self.miner else None
        if (tuples is not None and not len(tuples[0])) or (self.pairs and tuples is None and bool(labels.sort().values.diff().all())):
            return 0 * embeddings.sum()
        found: Tensor = self.loss(embeddings, labels, tuples)
        return found


class FunctionLoss(nn.Module):
    """(embeddings (n, d), labels) -> scalar; the labels are what the function reads, class numbers (n,) or label distances (a, n)."""

    def __init__(self, loss: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.loss = loss

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        return self.loss(embeddings, labels)


class OfficialMarginLoss(nn.Module):
    """sum over triplets of max(d_ap - beta + margin, 0) + max(beta - d_an + margin, 0), divided by the triplets where either is above 0.

    With d the root of the squared distance plus 1e-8. The formula, and pytorch-metric-learning, divide by the number of terms above 0: the
    code adds two boolean masks, which PyTorch takes as "or". Beta is that of the anchor's class; None classes: one that stays.
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
        """The loss of embeddings (n, d), labels (n,) and (anchors, positives, negatives), row numbers (t,); 0 where no term is above 0."""
        anchors, positives, negatives = triplets
        near, far = (((embeddings[anchors] - embeddings[other]).square().sum(dim=1) + 1e-8).sqrt() for other in (positives, negatives))
        beta = self.beta[labels[anchors]] if len(self.beta) > 1 else self.beta
        pull, push = (near - beta + self.margin).relu(), (beta - far + self.margin).relu()
        active = ((pull > 0) | (push > 0)).sum()
        loss: Tensor = (pull + push).sum() / active.clamp(min=1)
        return loss
