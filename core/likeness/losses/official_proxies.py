"""ArcFace and ProxyAnchor as the code of ooDML and of language guidance has them."""

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize, one_hot, softplus


class OfficialArcFaceLoss(nn.Module):
    """Cross entropy on scale * cos(theta + margin [target]), with cosines below 0 counted as 0; the margin is in radians.

    So the code of ooDML (Milbich et al., NeurIPS 2021). In the formula, and in pytorch-metric-learning, cosines keep their sign; here
    nothing flows back from negative ones. The class directions (c, d) begin within 1 / sqrt(d) of 0 in each dimension, rather than normally
    distributed: as their lengths do not count, the same rate turns the shorter ones faster.
    """

    def __init__(self, classes: int, dim: int, margin: float, scale: float) -> None:
        super().__init__()
        self.margin, self.scale = margin, scale
        self.directions = nn.Parameter(torch.empty(classes, dim).uniform_(-(dim**-0.5), dim**-0.5))

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        cosines = (embeddings.to(self.directions.dtype) @ normalize(self.directions, dim=1).T).clamp(1e-10, 1 - 1e-10)
        rows = torch.arange(len(labels), device=labels.device)
        logits = cosines.clone()
        logits[rows, labels] = torch.cos(torch.acos(cosines[rows, labels]) + self.margin)
        return cross_entropy(self.scale * logits, labels)


class OfficialProxyAnchorLoss(nn.Module):
    """mean_i log(1 + sum_{x of i's class} exp(-alpha (s(x, p_i) - delta))) + mean_p log(1 + sum_{x not of p} exp(alpha (s(x, p) + delta))).

    The first mean is over the rows i of the batch with p_i the proxy of i's class, so that a class counts once for each of its rows; in the
    formula (Kim et al., CVPR 2020), and in pytorch-metric-learning, once. Both agree where all classes have equally many rows. So the code
    of language guidance (Roth et al., CVPR 2022) and of ooDML (Milbich et al., NeurIPS 2021), in which proxies (c, d) begin as normal draws
    with the deviation 1/8.
    """

    def __init__(self, classes: int, dim: int, alpha: float, delta: float) -> None:
        super().__init__()
        self.alpha, self.delta = alpha, delta
        self.proxies = nn.Parameter(torch.randn(classes, dim) / 8)

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """The loss of embeddings (n, d) with labels (n,). A proxy whose class has all rows has no second term."""
        sims = normalize(embeddings.to(self.proxies.dtype), dim=1) @ normalize(self.proxies, dim=1).T
        own = one_hot(labels, len(self.proxies)).bool()
        pull = (-self.alpha * (sims - self.delta)).masked_fill(~own, -torch.inf)[:, labels].logsumexp(dim=0)
        push = (self.alpha * (sims + self.delta)).masked_fill(own, -torch.inf)[:, ~own.all(dim=0)].logsumexp(dim=0)
        return softplus(pull).mean() + softplus(push).mean()
