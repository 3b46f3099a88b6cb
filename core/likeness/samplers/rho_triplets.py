"""Triplets that sometimes push a row of the anchor's own class away (Roth et al., ICML 2020)."""

from functools import partial
from typing import TYPE_CHECKING

from likeness.errors import InputError
from likeness.options import Option
from likeness.samplers.distance_weighted import distance_weighted_triplets
from likeness.samplers.miner import Miner

if TYPE_CHECKING:
    import torch
    from torch import Tensor

RHO = 0.2


def rho_triplets(
    embeddings: "Tensor", labels: "Tensor", rho: float = RHO, generator: "torch.Generator | None" = None
) -> "tuple[Tensor, Tensor, Tensor]":
    """Distance-weighted triplets, each switched with probability rho: (anchors, positives, negatives), row numbers (t,).

    A switched triplet has the anchor as its positive and another row of the anchor's class, drawn uniformly, as its negative, so that rows of a class
    do not collapse (ρ-regularization of "Revisiting Training Strategies and Generalization Performance in Deep Metric Learning"). Rows that are alone
    in their class have no triplet. ooDML (Milbich et al., NeurIPS 2021) trains R-margin with rho 0.4 and beta 0.6 on CUB200-2011, 0.35 and 0.6 on
    Cars196, 0.15 and 0.9 on Stanford Online Products.

    Embeddings are unit rows (n, r). InputError: rho outside 0 to 1, or labels that do not fit.
    """
    import torch

    if not 0 <= rho <= 1:
        raise InputError(f"rho is {rho}, but it must be a share of the triplets; choose 0 to 1.")
    anchors, partners, negatives = distance_weighted_triplets(embeddings, labels, generator=generator)
    switched = torch.rand(len(anchors), generator=generator, device=anchors.device) < rho
    return anchors, torch.where(switched, anchors, partners), torch.where(switched, partners, negatives)


RHO_TRIPLETS = Miner(
    "rho-triplets",
    "Distance-weighted, some switched",
    "Distance-weighted triplets that sometimes push an image of the anchor's own class away.",
    lambda rho: partial(rho_triplets, rho=rho),
    {"rho": Option(RHO, "Share of triplets whose negative is of the same class.", 0, 1)},
    paper="Roth et al., ICML 2020",
)
