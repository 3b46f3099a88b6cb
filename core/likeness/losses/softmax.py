"""Normalized softmax (Zhai and Wu, BMVC 2019); by pytorch-metric-learning."""

from typing import TYPE_CHECKING

from likeness.losses.objective import Objective
from likeness.options import Option

if TYPE_CHECKING:
    from torch import nn


def _make(classes: int, dim: int, temperature: float) -> "nn.Module":
    from pytorch_metric_learning.losses import NormalizedSoftmaxLoss

    from likeness.losses.mined import Mined

    return Mined(NormalizedSoftmaxLoss(classes, dim, temperature=temperature))


SOFTMAX = Objective(
    "softmax",
    "Softmax",
    "A classifier on cosines to a learned direction for each class.",
    _make,
    {"temperature": Option(0.05, "By which cosines are divided before the softmax.", 1e-6)},
)
