"""Margin loss (Wu et al., ICCV 2017) of pytorch-metric-learning and of official code, also with rho-regularization (Roth et al., ICML 2020)."""

from functools import partial
from typing import TYPE_CHECKING, Any

from likeness.losses.objective import Objective
from likeness.options import Option
from likeness.samplers import make_miner

if TYPE_CHECKING:
    from torch import nn

_OPTIONS = {
    "beta": Option(1.2, "Distance threshold between pairs of one class and of different classes."),
    "margin": Option(0.2, "Margin around the threshold on both sides."),
    "learn_beta": Option(False, "Learn a beta for each class."),
}


def margin_loss(classes: int, beta: float, margin: float, learn_beta: bool = False) -> "nn.Module":
    """Margin loss of triplets: (embeddings, labels, triplets) -> scalar, with one beta, or a learned one for each class."""
    from pytorch_metric_learning.losses import MarginLoss

    loss: nn.Module = MarginLoss(margin, beta=beta, learn_beta=learn_beta, num_classes=classes if learn_beta else None)
    return loss


def _make(miner: str, classes: int, dim: int, **options: Any) -> "nn.Module":
    from likeness.losses.mined import Mined

    of_miner = {name: options.pop(name) for name in ("rho",) if name in options}
    return Mined(margin_loss(classes, **options), make_miner(miner, **of_miner))


def _make_official(classes: int, dim: int, beta: float, margin: float, learn_beta: bool) -> "nn.Module":
    from likeness.losses.mined import Mined, OfficialMarginLoss

    return Mined(OfficialMarginLoss(beta, margin, classes if learn_beta else None), make_miner("distance-weighted"))


MARGIN = Objective(
    "margin",
    "Margin",
    "Two images of a class must be nearer than a threshold, two of different classes farther.",
    partial(_make, "distance-weighted"),
    _OPTIONS,
    mines=True,
    paper="Wu et al., ICCV 2017",
)
MARGIN_OFFICIAL = Objective(
    "margin-official",
    "Margin (official)",
    "Margin as in the code of the language guidance paper.",
    _make_official,
    _OPTIONS | {"learn_beta": Option(True, "Learn a beta for each class.")},
    mines=True,
    paper="Wu et al., ICCV 2017",
)
R_MARGIN = Objective(
    "r-margin",
    "R-margin",
    "Margin loss that sometimes pushes images of one class apart, to keep their differences.",
    partial(_make, "rho-triplets"),
    _OPTIONS | {"rho": Option(0.2, "Share of triplets whose negative is of the same class.", 0, 1)},
    mines=True,
    paper="Roth et al., ICML 2020",
)
