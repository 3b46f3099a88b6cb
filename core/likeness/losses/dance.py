"""Distance-adapted noise contrast, DaNCE: each image against all others, the near ones first (Milbich et al., ECCV 2020, DiVA)."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from likeness.samplers import inverse_density

CUTOFF, UPPER = 0.5, 1.4


def dance(queries: Tensor, keys: Tensor, negatives: Tensor, temperature: float = 0.1, batch_weights: bool = False) -> Tensor:
    """Mean over rows of -log(exp(q.k / T) / (exp(q.k / T) + sum_j exp(w_j q.k_j / T))).

    The weights w_j are the inverse density 1 / q(d_j) of the distances d_j between q and k_j, counted as at least 0.5, 0 beyond 1.4, and
    scaled to the sum 1 over j, so that near negatives count. The paper writes min(lambda, 1 / q(d)), without a value of lambda; the scaling
    is that of its authors' code, which they corrected in 2021 to run over j. Nothing flows back through weights, keys and negatives.

    Args:
        queries: (n, d), unit rows.
        keys: (n, d), unit rows: the same images, seen otherwise.
        negatives: (k, d), unit rows of other images; without any the loss is 0.
        temperature: T.
        batch_weights: the weights are scaled to the sum 1 over the queries, for each negative on its own, as in the ooDML authors' code
            (Milbich et al., NeurIPS 2021), which lacks that correction. A negative beyond 1.4 of all queries weighs equally for each.
    """
    keys, negatives = keys.detach(), negatives.detach()
    every = torch.ones(len(queries), len(negatives), dtype=torch.bool, device=queries.device)
    weights = _over_batch(queries, negatives) if batch_weights else inverse_density(queries, negatives, every, CUTOFF, UPPER)
    logits = torch.cat([(queries * keys).sum(dim=1, keepdim=True), weights * (queries @ negatives.T)], dim=1)
    return cross_entropy(logits / temperature, torch.zeros(len(queries), dtype=torch.int64, device=queries.device))


def _over_batch(queries: Tensor, negatives: Tensor) -> Tensor:
    """Weights (n, k) whose sum over the queries is 1 for each negative; equal ones where a negative lies beyond the upper cutoff of all."""
    near = 2 - 2 * negatives @ queries.T < UPPER**2
    weights = inverse_density(negatives, queries, near, CUTOFF)
    return torch.where(near.any(dim=1, keepdim=True), weights, 1 / len(queries)).T
