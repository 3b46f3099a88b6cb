"""ProxyAnchor as the code of language guidance and of ooDML has it."""

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize, one_hot, softplus


class OfficialProxyAnchorLoss(nn.Module):
    """mean_i log(1 + sum_{x of i's class} exp(-alpha (s(x, p_i) - delta))) + mean_p log(1 + sum_{x not of p} exp(alpha (s(x, p) + delta))).

    The first mean is over the rows i of the batch with p_i the proxy of i's class, so that a class counts once for each of its rows; in the
    formula (Kim et al., CVPR 2020), and in pytorch-metric-learning, once. Both agree where all classes have equally many rows. So the code
    of language guidance (Roth et al., CVPR 2022) and of ooDML (Milbich et al., NeurIPS 2021), in which proxies begin as normal draws
    with the deviation 1/8.

    Args:
        classes, dim: c and d.
        alpha: factor on the similarities.
        delta: margin.

    Attributes:
        proxies: (c, d), not of unit length.
    """

    def __init__(self, classes: int, dim: int, alpha: float, delta: float) -> None:
        super().__init__()
        self.alpha, self.delta = alpha, delta
        self.proxies = nn.Parameter(torch.randn(classes, dim) / 8)

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """The loss of embeddings (n, d) with labels (n,). A proxy whose class has all rows has no second term."""
        sims = normalize(embeddings, dim=1) @ normalize(self.proxies, dim=1).T
        own = one_hot(labels, len(self.proxies)).bool()
        pull = (-self.alpha * (sims - self.delta)).masked_fill(~own, -torch.inf)[:, labels].logsumexp(dim=0)
        push = (self.alpha * (sims + self.delta)).masked_fill(own, -torch.inf)[:, ~own.all(dim=0)].logsumexp(dim=0)
        return softplus(pull).mean() + softplus(push).mean()
