"""ArcFace and ProxyAnchor as in the code of ooDML and language guidance."""

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize, one_hot, softplus


class OfficialArcFaceLoss(nn.Module):
    """Cross entropy on scale * cos(theta + margin [target]), with negative cosines set to 0; the margin is in radians.

    As in the code of ooDML (Milbich et al., NeurIPS 2021). The formula, and pytorch-metric-learning, keep the sign of cosines; here negative ones get
    no gradient. The class directions (c, d) start uniform within 1 / sqrt(d) of 0 in each dimension instead of normal; the loss ignores their
    lengths, so the same learning rate turns the shorter ones faster.
    """

    def __init__(self, classes: int, dim: int, margin: float, scale: float) -> None:
        super().__init__()
        self.margin, self.scale = margin, scale
        self.directions = nn.Parameter(torch.empty(classes, dim).uniform_(-(dim**-0.5), dim**-0.5))

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        # the bounds of the authors' code; acos has no finite gradient at 1
        cosines = (embeddings.to(self.directions.dtype) @ normalize(self.directions, dim=1).T).clamp(1e-10, 1 - 1e-10)
        rows = torch.arange(len(labels), device=labels.device)
        logits = cosines.clone()
        logits[rows, labels] = torch.cos(torch.acos(cosines[rows, labels]) + self.margin)
        return cross_entropy(self.scale * logits, labels)


class OfficialProxyAnchorLoss(nn.Module):
    """mean_i log(1 + sum_{x of i's class} exp(-alpha (s(x, p_i) - delta))) + mean_p log(1 + sum_{x not of p} exp(alpha (s(x, p) + delta))).

    p_i is the proxy of the class of row i. The first mean runs over rows, so a class counts once for each of its rows; in the formula (Kim et al.,
    CVPR 2020), and in pytorch-metric-learning, once. Both agree if all classes have the same number of rows. As in the code of language guidance
    (Roth et al., CVPR 2022) and ooDML (Milbich et al., NeurIPS 2021), proxies (c, d) start normal with standard deviation 1/8.
    """

    def __init__(self, classes: int, dim: int, alpha: float, delta: float) -> None:
        super().__init__()
        self.alpha, self.delta = alpha, delta
        self.proxies = nn.Parameter(torch.randn(classes, dim) / 8)

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """Loss of embeddings (n, d) with labels (n,). A proxy whose class has all rows has no second term."""
        sims = normalize(embeddings.to(self.proxies.dtype), dim=1) @ normalize(self.proxies, dim=1).T
        own = one_hot(labels, len(self.proxies)).bool()
        pull = (-self.alpha * (sims - self.delta)).masked_fill(~own, -torch.inf)[:, labels].logsumexp(dim=0)
        push = (self.alpha * (sims + self.delta)).masked_fill(own, -torch.inf)[:, ~own.all(dim=0)].logsumexp(dim=0)
        # softplus(log sum exp x) = log(1 + sum exp x), without overflow
        return softplus(pull).mean() + softplus(push).mean()
