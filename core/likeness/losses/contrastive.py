"""Contrastive loss (Hadsell et al., CVPR 2006) on distance-weighted triplets; by pytorch-metric-learning."""

from typing import TYPE_CHECKING

from likeness.losses.objective import Objective
from likeness.options import Option
from likeness.samplers import make_miner

if TYPE_CHECKING:
    from torch import nn


def _make(classes: int, dim: int, pos_margin: float, neg_margin: float) -> "nn.Module":
    from pytorch_metric_learning.losses import ContrastiveLoss

    from likeness.losses.mined import Mined

    return Mined(ContrastiveLoss(pos_margin, neg_margin), make_miner("distance-weighted"))


CONTRASTIVE = Objective(
    "contrastive",
    "Contrastive",
    "Pulls images of a class together, and pushes those of different classes to a distance.",
    _make,
    {
        "pos_margin": Option(0.0, "Distance below which two images of a class cost nothing."),
        "neg_margin": Option(1.0, "Distance above which two images of different classes cost nothing."),
    },
    mines=True,
)
