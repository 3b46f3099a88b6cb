"""Triplet loss on squared distances and distance-weighted triplets; by pytorch-metric-learning."""

from typing import TYPE_CHECKING

from likeness.losses.objective import Objective
from likeness.options import Option
from likeness.samplers import make_miner

if TYPE_CHECKING:
    from torch import nn


def _make(classes: int, dim: int, margin: float) -> "nn.Module":
    from pytorch_metric_learning import distances, losses, reducers

    from likeness.losses.mined import Mined

    # squared distances and a mean over all triplets, as in the papers' code; pytorch-metric-learning's own default has neither
    loss = losses.TripletMarginLoss(margin, distance=distances.LpDistance(power=2), reducer=reducers.MeanReducer())
    return Mined(loss, make_miner("distance-weighted"))


TRIPLET = Objective(
    "triplet",
    "Triplet",
    "An image must lie nearer to one of its class than to one of another, by a margin.",
    _make,
    {"margin": Option(0.2, "By how much nearer, in squared distances.")},
    mines=True,
)
