"""ProxyAnchor (Kim et al., CVPR 2020); by pytorch-metric-learning."""

from typing import TYPE_CHECKING

from likeness.losses.objective import Objective
from likeness.options import Option

if TYPE_CHECKING:
    from torch import nn


def _make(classes: int, dim: int, alpha: float, delta: float) -> "nn.Module":
    from pytorch_metric_learning.losses import ProxyAnchorLoss

    from likeness.losses.mined import Mined

    return Mined(ProxyAnchorLoss(classes, dim, margin=delta, alpha=alpha))


PROXYANCHOR = Objective(
    "proxyanchor",
    "ProxyAnchor",
    "Pulls images to a learned point for each class.",
    _make,
    {"alpha": Option(32.0, "Factor on the similarities.", 0), "delta": Option(0.1, "Margin of similarity.")},
)
