"""Distance-weighted sampling: negatives equally often at all distances (Wu et al., ICCV 2017), some of the own class (Roth et al., ICML 2020)."""

from functools import partial
from math import inf
from typing import TYPE_CHECKING

from likeness.errors import InputError
from likeness.options import Option
from likeness.samplers.miner import Miner

if TYPE_CHECKING:
    import torch
    from torch import Tensor

CUTOFF, RHO = 0.5, 0.2


def negative_probabilities(embeddings: "Tensor", labels: "Tensor", cutoff: float = CUTOFF, upper: float | None = None) -> "Tensor":
    """Probability (n, n) of drawing column j as the negative of row i; rows sum to 1, or are 0 if there is no other class.

    p(j | i) is proportional to 1 / q(d_ij) over the rows of other classes, with q(d) = d^(r-2) (1 - d^2 / 4)^((r-3) / 2) the density of
    distances between points spread evenly on the sphere in r dimensions. Distances below `cutoff` are set to it, or the closest row would
    nearly always be drawn. Rows at `upper` or farther are drawn only if none is nearer: 1.4 in pytorch-metric-learning, None in the code of
    language guidance.
    """
    return inverse_density(embeddings, embeddings, labels[:, None] != labels[None, :], cutoff, upper)


def inverse_density(rows: "Tensor", columns: "Tensor", others: "Tensor", cutoff: float = CUTOFF, upper: float | None = None) -> "Tensor":
    """Weights (n, m) proportional to 1 / q(d), as in `negative_probabilities`, of unit columns (m, r) for unit rows (n, r); without gradient.

    Only columns in the mask `others`, (n, m) or broadcast to it, have a weight; rows sum to 1, or are 0 if there are none.
    """
    import torch

    dim = rows.shape[1]
    with torch.no_grad():
        # of unit rows d^2 = 2 - 2 x.y; below 4, or the second logarithm of the density is infinite
        squares = (2 - 2 * rows @ columns.T).clamp(min=cutoff**2, max=4 - 1e-6)
        # in logarithms: d^(2-r) overflows in high dimensions; the softmax takes off the largest
        logarithms = (2 - dim) / 2 * squares.log() - (dim - 3) / 2 * (1 - squares / 4).log()
        allowed = others if upper is None else others & (squares < upper**2)
        allowed = torch.where(allowed.any(dim=1, keepdim=True), allowed, others)
        # a diverged network makes NaN, which counts as any row: its loss reports it, and on a GPU multinomial fails for good without a weight
        logarithms = logarithms.nan_to_num(0.0).masked_fill(~allowed, -inf)
        return logarithms.softmax(dim=1).nan_to_num(0.0)


def distance_weighted_triplets(
    embeddings: "Tensor", labels: "Tensor", cutoff: float = CUTOFF, generator: "torch.Generator | None" = None
) -> "tuple[Tensor, Tensor, Tensor]":
    """One triplet for each row that has a partner in its class and a row of another: (anchors, positives, negatives), row numbers (t,).

    The negative is drawn by `negative_probabilities`, the positive uniformly from the anchor's class. InputError: labels that do not fit.
    """
    import torch

    check_labels(embeddings, labels)
    same = labels[:, None] == labels[None, :]
    partners = same.fill_diagonal_(False)
    anchors = (partners.any(dim=1) & (labels[:, None] != labels[None, :]).any(dim=1)).nonzero().squeeze(1)
    if not len(anchors):
        return anchors, anchors, anchors
    probabilities = negative_probabilities(embeddings, labels, cutoff)[anchors]
    negatives = torch.multinomial(probabilities, 1, generator=generator).squeeze(1)
    positives = torch.multinomial(partners[anchors].to(embeddings.dtype), 1, generator=generator).squeeze(1)
    return anchors, positives, negatives


def check_labels(embeddings: "Tensor", labels: "Tensor") -> None:
    """InputError: labels that are not one per row of the embeddings."""
    if embeddings.ndim != 2 or labels.shape != (len(embeddings),):
        raise InputError(f"Embeddings of shape {tuple(embeddings.shape)} need one label per row; got labels of shape {tuple(labels.shape)}.")


DISTANCE_WEIGHTED = Miner(
    "distance-weighted",
    "Distance-weighted",
    "One triplet per image, with negatives equally often at all distances.",
    lambda cutoff: partial(distance_weighted_triplets, cutoff=cutoff),
    {"cutoff": Option(CUTOFF, "Smaller distances are set to this one.", 0, 2)},
    paper="Wu et al., ICCV 2017",
)


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
