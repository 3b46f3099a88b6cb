"""The margin loss as the code of the language guidance paper has it."""

import torch
from torch import Tensor, nn


class OfficialMarginLoss(nn.Module):
    """sum over triplets of max(d_ap - beta + margin, 0) + max(beta - d_an + margin, 0), divided by the triplets where either is above 0.

    With d the root of the squared distance plus 1e-8. The formula, and pytorch-metric-learning, divide by the number of terms above 0: the
    code adds two boolean masks, which PyTorch takes as "or". Beta is that of the anchor's class.

    Args:
        beta: where each class begins.
        margin: gamma.
        classes: how many learn a beta of their own; None: it stays.
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
