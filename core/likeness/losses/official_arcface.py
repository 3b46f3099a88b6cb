"""ArcFace as the code of ooDML has it."""

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize


class OfficialArcFaceLoss(nn.Module):
    """Cross entropy on scale * cos(theta + margin [target]), with cosines below 0 counted as 0.

    So the code of ooDML (Milbich et al., NeurIPS 2021). In the formula, and in pytorch-metric-learning, cosines keep their sign; here
    nothing flows back from negative ones. The class directions begin within 1 / sqrt(d) of 0 in each dimension, rather than normally
    distributed: as their lengths do not count, the same rate turns the shorter ones faster.

    Args:
        classes, dim: c and d.
        margin: in radians.
        scale: s.

    Attributes:
        directions: (c, d), not of unit length.
    """

    def __init__(self, classes: int, dim: int, margin: float, scale: float) -> None:
        super().__init__()
        self.margin, self.scale = margin, scale
        self.directions = nn.Parameter(torch.empty(classes, dim).uniform_(-(dim**-0.5), dim**-0.5))

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """The loss of unit embeddings (n, d) with labels (n,)."""
        cosines = (embeddings @ normalize(self.directions, dim=1).T).clamp(1e-10, 1 - 1e-10)
        rows = torch.arange(len(labels), device=labels.device)
        logits = cosines.clone()
        logits[rows, labels] = torch.cos(torch.acos(cosines[rows, labels]) + self.margin)
        return cross_entropy(self.scale * logits, labels)
