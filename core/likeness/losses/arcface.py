"""ArcFace (Deng et al., CVPR 2019); by pytorch-metric-learning."""

import math
from typing import TYPE_CHECKING

from likeness.losses.objective import Objective
from likeness.options import Option

if TYPE_CHECKING:
    from torch import nn


def _make(classes: int, dim: int, margin: float, scale: float) -> "nn.Module":
    from pytorch_metric_learning.losses import ArcFaceLoss

    from likeness.losses.mined import Mined

    return Mined(ArcFaceLoss(classes, dim, margin=math.degrees(margin), scale=scale))


ARCFACE = Objective(
    "arcface",
    "ArcFace",
    "A classifier with a margin between the directions of the classes.",
    _make,
    {"margin": Option(0.5, "Angle of the margin, in radians."), "scale": Option(16.0, "Factor on the cosines before the softmax.", 0)},
)
