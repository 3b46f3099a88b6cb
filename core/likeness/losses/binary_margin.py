"""Margin loss on continuous labels that are quantized to near and far, a baseline of the log-ratio paper (Kim et al., CVPR 2019)."""

from functools import partial
from typing import TYPE_CHECKING

from likeness.losses.anchors import checked_anchors
from likeness.losses.dense_triplet import nearest_rows
from likeness.losses.margin import margin_loss
from likeness.losses.objective import Objective
from likeness.options import Option
from likeness.samplers import inverse_density

if TYPE_CHECKING:
    from torch import Tensor, nn


def binary_margin(embeddings: "Tensor", label_distances: "Tensor", positives: int = 5, beta: float = 1.2, margin: float = 0.2) -> "Tensor":
    """Margin loss with distance-weighted sampling (Wu et al., ICCV 2017) on quantized labels.

    Each anchor is paired with each of its `positives` nearest rows of the batch, and each pair with one of the other rows, drawn with the
    inverse density of its distance.

    Args:
        embeddings: (n, d) of unit length.
        label_distances: as for `likeness.losses.log_ratio`.
        positives: as for `likeness.losses.binary_triplet`.
        beta, margin: of the margin loss; the paper prints neither, these are those of the margin loss's own paper.

    Raises:
        InputError: as `likeness.losses.binary_triplet`.
    """
    import torch

    given = checked_anchors(embeddings, label_distances)
    near = nearest_rows(given, positives)
    anchors, partners = near.nonzero(as_tuple=True)
    weights = inverse_density(embeddings[: len(near)], embeddings, ~near & given.others)
    negatives = torch.multinomial(weights[anchors], 1).squeeze(1)
    numbers = torch.arange(len(embeddings), device=embeddings.device)
    loss: Tensor = margin_loss(0, beta, margin)(embeddings, numbers, (anchors, partners, negatives))
    return loss


def _make(classes: int, dim: int, positives: int, beta: float, margin: float) -> "nn.Module":
    from likeness.losses.mined import FunctionLoss

    return FunctionLoss(partial(binary_margin, positives=positives, beta=beta, margin=margin))


BINARY_MARGIN = Objective(
    "binary-margin",
    "Binary margin",
    "The nearest images by label count as one class: they must lie nearer than a bound, all others farther.",
    _make,
    {
        "positives": Option(5, "How many images of a batch, by label distance, are positives of an anchor.", 1),
        "beta": Option(1.2, "Distance that parts positives from negatives."),
        "margin": Option(0.2, "By how much both sides keep away from it."),
    },
    labels="distances",
)
