"""Triplets for what classes share and for what differs within a class (DiVA; Milbich et al., ECCV 2020)."""

from typing import TYPE_CHECKING

from likeness.samplers.distance_weighted import check_labels, distance_weighted_triplets, inverse_density

if TYPE_CHECKING:
    import torch
    from torch import Tensor


def shared_triplets(embeddings: "Tensor", labels: "Tensor", generator: "torch.Generator | None" = None) -> "tuple[Tensor, Tensor, Tensor]":
    """One triplet of three classes for each row: (anchors, positives, negatives), row numbers (t,).

    Positive and negative are drawn one after the other by the inverse density of their distance to the anchor, as in `negative_probabilities`.
    A batch with fewer than three classes has no triplets.

    InputError: labels that do not fit the embeddings.
    """
    import torch

    check_labels(embeddings, labels)
    anchors = torch.arange(len(labels), device=labels.device)
    others = labels[:, None] != labels[None, :]
    if len(set(labels.tolist())) < 3:
        return anchors[:0], anchors[:0], anchors[:0]
    positives = torch.multinomial(inverse_density(embeddings, embeddings, others), 1, generator=generator).squeeze(1)
    others = others & (labels[positives][:, None] != labels[None, :])
    negatives = torch.multinomial(inverse_density(embeddings, embeddings, others), 1, generator=generator).squeeze(1)
    return anchors, positives, negatives


def intra_triplets(embeddings: "Tensor", labels: "Tensor", generator: "torch.Generator | None" = None) -> "tuple[Tensor, Tensor, Tensor]":
    """One triplet within its class for each row of a class of at least three rows: (anchors, positives, negatives), row numbers (t,).

    Positive and negative are drawn uniformly from the class; all three differ. InputError: labels that do not fit.
    """
    import torch

    check_labels(embeddings, labels)
    partners = (labels[:, None] == labels[None, :]).fill_diagonal_(False)
    anchors = (partners.sum(dim=1) >= 2).nonzero().squeeze(1)
    if not len(anchors):
        return anchors, anchors, anchors
    # two draws without replacement, so positive and negative differ
    positives, negatives = torch.multinomial(partners[anchors].to(embeddings.dtype), 2, generator=generator).unbind(dim=1)
    return anchors, positives, negatives


def random_label_triplets(embeddings: "Tensor", labels: "Tensor", generator: "torch.Generator | None" = None) -> "tuple[Tensor, Tensor, Tensor]":
    """Distance-weighted triplets by randomly permuted labels: (anchors, positives, negatives), row numbers (t,).

    The code of ooDML (Milbich et al., NeurIPS 2021), where this is random_distance, trains the class-shared and intra-class parts of DiVA with them:
    the three rows may be of one, two or three true classes. InputError: labels that do not fit.
    """
    import torch

    order = torch.randperm(len(labels), generator=generator, device=labels.device)
    return distance_weighted_triplets(embeddings, labels[order], generator=generator)
