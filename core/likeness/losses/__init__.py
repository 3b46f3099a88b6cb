"""Objectives of deep metric learning: the papers' own, and the commodity ones by name. Importing this needs no torch; using a loss does."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from likeness.losses.custom import as_module
from likeness.losses.dense_triplet import binary_triplet, dense_triplet
from likeness.losses.language_match import language_match
from likeness.losses.log_ratio import log_ratio
from likeness.losses.multi_similarity import interpolated, language_scales, mined_pairs, multisimilarity
from likeness.losses.objective import Objective, Wrapper
from likeness.losses.registry import OBJECTIVES, check_mines, check_objective, make_objective, objectives_on
from likeness.losses.wrapper_options import DIVA_PARTS, check_wrapper
from likeness.losses.wrappers import WRAPPERS, wrap_objective, wrapper_parameters

if TYPE_CHECKING:
    from likeness.losses.diva import DiVA
    from likeness.losses.mined import Mined
    from likeness.losses.s2sd import S2SD
    from likeness.losses.uniform_prior import UniformPrior

_LATER = {
    "DiVA": "diva",
    "Mined": "mined",
    "S2SD": "s2sd",
    "UniformPrior": "uniform_prior",
}

__all__ = [
    "DIVA_PARTS",
    "OBJECTIVES",
    "S2SD",
    "WRAPPERS",
    "DiVA",
    "Mined",
    "Objective",
    "UniformPrior",
    "Wrapper",
    "as_module",
    "binary_triplet",
    "check_mines",
    "check_objective",
    "check_wrapper",
    "dense_triplet",
    "interpolated",
    "language_match",
    "language_scales",
    "log_ratio",
    "make_objective",
    "mined_pairs",
    "multisimilarity",
    "objectives_on",
    "wrap_objective",
    "wrapper_parameters",
]


def __getattr__(name: str) -> Any:
    """What stands on torch, imported when it is asked for."""
    if name not in _LATER:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
