"""The objectives that a run can train with, by name; the commodity ones are pytorch-metric-learning's."""

import math
from collections.abc import Callable
from typing import Any

from pytorch_metric_learning import distances, losses, miners, reducers
from torch import Tensor, nn

from likeness.errors import InputError
from likeness.losses.multisimilarity import OfficialMultisimilarity
from likeness.miners.distance_weighted import distance_weighted_triplets


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
    if name not in OBJECTIVES:
        raise InputError(f"There is no objective '{name}'; choose from {', '.join(OBJECTIVES)}.")
    make, defaults = OBJECTIVES[name]
    unknown = sorted(set(options) - set(defaults))
    if unknown:
        raise InputError(f"The objective '{name}' has no option '{unknown[0]}'; it has {', '.join(defaults) or 'none'}.")
    return make(classes, dim, **(defaults | options))


def _multisimilarity(classes: int, dim: int, alpha: float, beta: float, base: float, epsilon: float) -> nn.Module:
    return Mined(losses.MultiSimilarityLoss(alpha, beta, base), miners.MultiSimilarityMiner(epsilon))


def _official_multisimilarity(classes: int, dim: int, **options: float) -> nn.Module:
    return OfficialMultisimilarity(**options)


def _margin(classes: int, dim: int, beta: float, margin: float, learn_beta: bool) -> nn.Module:
    loss = losses.MarginLoss(margin, beta=beta, learn_beta=learn_beta, num_classes=classes if learn_beta else None)
    return Mined(loss, distance_weighted_triplets)


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


_MULTISIMILARITY = {"alpha": 2.0, "beta": 40.0, "base": 0.5, "epsilon": 0.1}
# Name -> how it is made, and its options with the papers' values.
OBJECTIVES: dict[str, tuple[Callable[..., nn.Module], dict[str, Any]]] = {
    "multisimilarity": (_multisimilarity, _MULTISIMILARITY),
    "multisimilarity-official": (_official_multisimilarity, _MULTISIMILARITY),
    "margin": (_margin, {"beta": 1.2, "margin": 0.2, "learn_beta": False}),
    "contrastive": (_contrastive, {"pos_margin": 0.0, "neg_margin": 1.0}),
    "triplet": (_triplet, {"margin": 0.2}),
    "arcface": (_arcface, {"margin": 0.5, "scale": 16.0}),
    "proxyanchor": (_proxyanchor, {"alpha": 32.0, "delta": 0.1}),
    "softmax": (_softmax, {"temperature": 0.05}),
}
