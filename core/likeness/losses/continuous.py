"""The objectives on continuous labels that a run can train with, by name: (embeddings (n, d), label distances (a, n)) -> scalar."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from likeness.errors import InputError
from likeness.losses.anchors import checked_anchors
from likeness.losses.dense_triplet import binary_triplet, dense_triplet, nearest_rows
from likeness.losses.log_ratio import log_ratio
from likeness.losses.names import CONTINUOUS, check_objective
from likeness.losses.objectives import margin_loss
from likeness.samplers.distance_weighted import inverse_density


class LabelObjective(nn.Module):
    """A loss on label distances as a module: the first a rows of a batch are anchors."""

    def __init__(self, loss: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.loss = loss

    def forward(self, embeddings: Tensor, label_distances: Tensor) -> Tensor:
        """The loss of embeddings (n, d) with label distances (a, n)."""
        return self.loss(embeddings, label_distances)


class BinaryMargin(nn.Module):
    """Margin loss with distance-weighted sampling (Wu et al., ICCV 2017) on quantized labels, a baseline of the paper.

    Each anchor is paired with each of its `positives` nearest rows of the batch, and each pair with one of the other rows, drawn with the
    inverse density of its distance; embeddings are of unit length.

    Args:
        positives: as for `likeness.losses.dense_triplet.binary_triplet`.
        beta, margin: of the margin loss; the paper prints neither, these are those of the margin loss's own paper.
    """

    def __init__(self, positives: int = 5, beta: float = 1.2, margin: float = 0.2) -> None:
        super().__init__()
        self.positives, self.margin_loss = positives, margin_loss(0, beta, margin)

    def forward(self, embeddings: Tensor, label_distances: Tensor) -> Tensor:
        """The loss of embeddings (n, d) with label distances (a, n)."""
        given = checked_anchors(embeddings, label_distances)
        near = nearest_rows(given, self.positives)
        anchors, positives = near.nonzero(as_tuple=True)
        weights = inverse_density(embeddings[: len(near)], embeddings, ~near & given.others)
        negatives = torch.multinomial(weights[anchors], 1).squeeze(1)
        loss: Tensor = self.margin_loss(embeddings, torch.arange(len(embeddings), device=embeddings.device), (anchors, positives, negatives))
        return loss


def make_label_objective(name: str, **options: Any) -> nn.Module:
    """The objective on label distances of this name, one of `likeness.losses.CONTINUOUS`.

    Raises:
        InputError: unknown name or option.
    """
    wrong = check_objective(name, options) or ("" if name in CONTINUOUS else f"The objective '{name}' reads class labels, not label distances.")
    if wrong:
        raise InputError(wrong)
    settings = CONTINUOUS[name].options | options
    return BinaryMargin(**settings) if name == "binary-margin" else LabelObjective(partial(_LOSSES[name], **settings))


_LOSSES: dict[str, Callable[..., Tensor]] = {
    "log-ratio": log_ratio,
    "log-ratio-official": partial(log_ratio, variant="official"),
    "dense-triplet": dense_triplet,
    "dense-triplet-official": partial(dense_triplet, variant="official"),
    "binary-triplet": binary_triplet,
}
