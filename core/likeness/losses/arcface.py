"""ArcFace (Deng et al., CVPR 2019), by pytorch-metric-learning and by official code."""

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


def _make_official(classes: int, dim: int, margin: float, scale: float) -> "nn.Module":
    from likeness.losses.official_arcface import OfficialArcFaceLoss

    return OfficialArcFaceLoss(classes, dim, margin, scale)


_OPTIONS = {"margin": Option(0.5, "Angle of the margin, in radians."), "scale": Option(16.0, "Factor on the cosines before the softmax.", 0)}
ARCFACE = Objective(
    "arcface",
    "ArcFace",
    "A classifier with a margin between the directions of the classes.",
    _make,
    _OPTIONS,
)
ARCFACE_OFFICIAL = Objective("arcface-official", "ArcFace (official)", "ArcFace as in the code of ooDML.", _make_official, _OPTIONS)
