"""Objectives of deep metric learning: the papers' own, and the commodity ones by name. Importing this needs no torch; using a loss does."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from likeness.losses.dense_triplet import binary_triplet, dense_triplet
from likeness.losses.language_match import language_match
from likeness.losses.log_ratio import log_ratio
from likeness.losses.names import CONTINUOUS, OBJECTIVES, check_objective

if TYPE_CHECKING:
    from likeness.losses.continuous import make_label_objective
    from likeness.losses.diva import DiVA
    from likeness.losses.multi_similarity import interpolated, language_scales, mined_pairs, multisimilarity
    from likeness.losses.objectives import make_objective
    from likeness.losses.s2sd import S2SD
    from likeness.losses.uniform_prior import UniformPrior

_LATER = {
    "DiVA": "diva",
    "S2SD": "s2sd",
    "UniformPrior": "uniform_prior",
    "interpolated": "multi_similarity",
    "language_scales": "multi_similarity",
    "make_label_objective": "continuous",
    "make_objective": "objectives",
    "mined_pairs": "multi_similarity",
    "multisimilarity": "multi_similarity",
}

__all__ = [
    "CONTINUOUS",
    "OBJECTIVES",
    "S2SD",
    "DiVA",
    "UniformPrior",
    "binary_triplet",
    "check_objective",
    "dense_triplet",
    "interpolated",
    "language_match",
    "language_scales",
    "log_ratio",
    "make_label_objective",
    "make_objective",
    "mined_pairs",
    "multisimilarity",
]


def __getattr__(name: str) -> Any:
    """What stands on torch, imported when it is asked for."""
    if name not in _LATER:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
