"""Distance-adapted noise contrast, DaNCE: each image against all others, the near ones first (Milbich et al., ECCV 2020, DiVA)."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from likeness.samplers import inverse_density

CUTOFF, UPPER = 0.5, 1.4


def dance(queries: Tensor, keys: Tensor, negatives: Tensor, temperature: float = 0.1) -> Tensor:
    """Mean over rows of -log(exp(q.k / T) / (exp(q.k / T) + sum_j exp(w_j q.k_j / T))).

    The weights w_j are the inverse density 1 / q(d_j) of the distances d_j between q and k_j, counted as at least 0.5, 0 beyond 1.4, and
    scaled to the sum 1 over j, so that near negatives count. The paper writes min(lambda, 1 / q(d)), without a value of lambda; the scaling
    is that of its authors' code, which they corrected in 2021 to run over j. Nothing flows back through weights, keys and negatives.

    Args:
        queries: (n, d), unit rows.
        keys: (n, d), unit rows: the same images, seen otherwise.
        negatives: (k, d), unit rows of other images; without any the loss is 0.
        temperature: T.
    """
    keys, negatives = keys.detach(), negatives.detach()
    weights = inverse_density(queries, negatives, torch.ones(len(queries), len(negatives), dtype=torch.bool, device=queries.device), CUTOFF, UPPER)
    logits = torch.cat([(queries * keys).sum(dim=1, keepdim=True), weights * (queries @ negatives.T)], dim=1)
    return cross_entropy(logits / temperature, torch.zeros(len(queries), dtype=torch.int64, device=queries.device))
