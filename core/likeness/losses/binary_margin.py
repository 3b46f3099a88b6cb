"""Margin loss on continuous labels that are quantized to near and far, a baseline of the log-ratio paper (Kim et al., CVPR 2019)."""

from typing import TYPE_CHECKING

from likeness.losses.anchors import checked_anchors
from likeness.losses.dense_triplet import nearest_rows
from likeness.losses.margin import margin_loss
from likeness.losses.objective import Objective, of_function
from likeness.options import Option
from likeness.samplers import inverse_density

if TYPE_CHECKING:
    from torch import Tensor


def binary_margin(embeddings: "Tensor", label_distances: "Tensor", positives: int = 5, beta: float = 1.2, margin: float = 0.2) -> "Tensor":
    """Margin loss with distance-weighted sampling (Wu et al., ICCV 2017) on quantized labels, of unit embeddings (n, d).

    Each anchor is paired with each of its `positives` nearest rows of the batch; each pair gets one negative from the other rows, drawn by the
    inverse density of its distance. The paper prints neither beta nor margin; the defaults are those of the margin loss. Label distances, `positives`
    and errors are as for `likeness.losses.binary_triplet`.
    """
    import torch

    given = checked_anchors(embeddings, label_distances)
    near = nearest_rows(given, positives)
    anchors, partners = near.nonzero(as_tuple=True)
    weights = inverse_density(embeddings[: len(near)], embeddings, ~near & given.others)
    negatives = torch.multinomial(weights[anchors], 1).squeeze(1)
    # the triplets are given, so the labels only have to differ; beta is shared by all
    numbers = torch.arange(len(embeddings), device=embeddings.device)
    loss: Tensor = margin_loss(0, beta, margin)(embeddings, numbers, (anchors, partners, negatives))
    return loss


BINARY_MARGIN = Objective(
    "binary-margin",
    "Binary margin",
    "The nearest images by label count as one class: they must be nearer than a threshold, all others farther.",
    of_function(binary_margin),
    {
        "positives": Option(5, "Number of images of a batch, the nearest by label, that are positives of an anchor.", 1),
        "beta": Option(1.2, "Distance threshold between positives and negatives."),
        "margin": Option(0.2, "Margin around the threshold on both sides."),
    },
    labels="distances",
    paper="Kim et al., CVPR 2019",
)
