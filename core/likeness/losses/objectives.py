"""The objectives that a run can train with, by name; the commodity ones are pytorch-metric-learning's."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from pytorch_metric_learning import distances, losses, miners, reducers
from torch import Tensor, nn

from likeness.errors import InputError
from likeness.losses.multi_similarity import OfficialMultisimilarity
from likeness.losses.names import OBJECTIVES, check_objective
from likeness.samplers.distance_weighted import distance_weighted_triplets
from likeness.samplers.rho_triplets import check_rho, rho_triplets


class Mined(nn.Module):
    """A loss on the tuples that a miner picks: (embeddings (n, d), labels (n,)) -> scalar."""

    def __init__(self, loss: nn.Module, miner: Callable[[Tensor, Tensor], Any] | None = None) -> None:
        super().__init__()
        self.loss, self.miner = loss, miner

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """The loss of a batch; 0, with a gradient of 0, where it has no tuple."""
        tuples = self.miner(embeddings, labels) if self.miner else None
        if tuples is not None and not len(tuples[0]):
            return 0 * embeddings.sum()
        found: Tensor = self.loss(embeddings, labels, tuples)
        return found


def make_objective(name: str, classes: int, dim: int, **options: Any) -> nn.Module:
    """The objective of this name: a module (embeddings (n, d) of unit length, labels (n,) from 0) -> scalar.

    Args:
        name: one of `OBJECTIVES`.
        classes: how many there are in training; for objectives with one proxy per class, which are then parameters of the module.
        dim: d.
        options: of the objective, by its own names; each has the papers' value by default.

    Raises:
        InputError: unknown name or option.
    """
    wrong = check_objective(name, options) or ("" if name in OBJECTIVES else f"The objective '{name}' reads label distances, not class labels.")
    if wrong:
        raise InputError(wrong)
    return _MAKERS[name](classes, dim, **(OBJECTIVES[name] | options))


def _multisimilarity(classes: int, dim: int, alpha: float, beta: float, base: float, epsilon: float) -> nn.Module:
    return Mined(losses.MultiSimilarityLoss(alpha, beta, base), miners.MultiSimilarityMiner(epsilon))


def _official_multisimilarity(classes: int, dim: int, **options: float) -> nn.Module:
    return OfficialMultisimilarity(**options)


def _margin(classes: int, dim: int, beta: float, margin: float, learn_beta: bool) -> nn.Module:
    return Mined(margin_loss(classes, beta, margin, learn_beta), distance_weighted_triplets)


def _r_margin(classes: int, dim: int, beta: float, margin: float, learn_beta: bool, rho: float) -> nn.Module:
    check_rho(rho)
    return Mined(margin_loss(classes, beta, margin, learn_beta), partial(rho_triplets, rho=rho))


def margin_loss(classes: int, beta: float, margin: float, learn_beta: bool = False) -> nn.Module:
    """The margin loss of triplets (Wu et al., ICCV 2017): (embeddings, labels, triplets) -> scalar; beta is one, or learnt for each class."""
    loss: nn.Module = losses.MarginLoss(margin, beta=beta, learn_beta=learn_beta, num_classes=classes if learn_beta else None)
    return loss


def _contrastive(classes: int, dim: int, pos_margin: float, neg_margin: float) -> nn.Module:
    return Mined(losses.ContrastiveLoss(pos_margin, neg_margin), distance_weighted_triplets)


def _triplet(classes: int, dim: int, margin: float) -> nn.Module:
    # squared distances and a mean over all triplets, as in the papers' code; pytorch-metric-learning's own default has neither
    squared = distances.LpDistance(power=2)
    return Mined(losses.TripletMarginLoss(margin, distance=squared, reducer=reducers.MeanReducer()), distance_weighted_triplets)


def _arcface(classes: int, dim: int, margin: float, scale: float) -> nn.Module:
    return Mined(losses.ArcFaceLoss(classes, dim, margin=math.degrees(margin), scale=scale))


def _proxyanchor(classes: int, dim: int, alpha: float, delta: float) -> nn.Module:
    return Mined(losses.ProxyAnchorLoss(classes, dim, margin=delta, alpha=alpha))


def _softmax(classes: int, dim: int, temperature: float) -> nn.Module:
    return Mined(losses.NormalizedSoftmaxLoss(classes, dim, temperature=temperature))


_MAKERS: dict[str, Callable[..., nn.Module]] = {
    "multisimilarity": _multisimilarity,
    "multisimilarity-official": _official_multisimilarity,
    "margin": _margin,
    "r-margin": _r_margin,
    "contrastive": _contrastive,
    "triplet": _triplet,
    "arcface": _arcface,
    "proxyanchor": _proxyanchor,
    "softmax": _softmax,
}
