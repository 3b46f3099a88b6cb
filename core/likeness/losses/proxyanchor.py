"""ProxyAnchor (Kim et al., CVPR 2020), by pytorch-metric-learning and by official code."""

from typing import TYPE_CHECKING

from likeness.losses.objective import Objective
from likeness.options import Option

if TYPE_CHECKING:
    from torch import nn


def _make(classes: int, dim: int, alpha: float, delta: float) -> "nn.Module":
    from pytorch_metric_learning.losses import ProxyAnchorLoss

    from likeness.losses.mined import Mined

    return Mined(ProxyAnchorLoss(classes, dim, margin=delta, alpha=alpha))


def _make_official(classes: int, dim: int, alpha: float, delta: float) -> "nn.Module":
    from likeness.losses.official_proxyanchor import OfficialProxyAnchorLoss

    return OfficialProxyAnchorLoss(classes, dim, alpha, delta)


_OPTIONS = {"alpha": Option(32.0, "Factor on the similarities.", 0), "delta": Option(0.1, "Margin of similarity.")}
PROXYANCHOR = Objective(
    "proxyanchor",
    "ProxyAnchor",
    "Pulls images to a learned point for each class.",
    _make,
    _OPTIONS,
)
PROXYANCHOR_OFFICIAL = Objective(
    "proxyanchor-official",
    "ProxyAnchor (official)",
    "ProxyAnchor as in the code of language guidance and ooDML.",
    _make_official,
    _OPTIONS,
)
