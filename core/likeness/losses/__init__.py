"""Objectives of deep metric learning: those of the papers, and those of pytorch-metric-learning by name. Only using a loss imports torch."""

from typing import TYPE_CHECKING

import lazy_loader  # type: ignore[import-untyped]

from likeness.losses.dense_triplet import binary_triplet as binary_triplet, dense_triplet as dense_triplet
from likeness.losses.language_match import language_match as language_match
from likeness.losses.log_ratio import log_ratio as log_ratio
from likeness.losses.multi_similarity import interpolated as interpolated, language_scales as language_scales, multisimilarity as multisimilarity
from likeness.losses.objective import Objective as Objective, Wrapper as Wrapper
from likeness.losses.rank_n_contrast import rank_n_contrast as rank_n_contrast
from likeness.losses.registry import (
    OBJECTIVES as OBJECTIVES,
    as_module as as_module,
    check_mines as check_mines,
    check_objective as check_objective,
    find_objective as find_objective,
    make_objective as make_objective,
    objectives_on as objectives_on,
)
from likeness.losses.wrapper_options import DIVA_PARTS as DIVA_PARTS, MATRYOSHKA_DIMS as MATRYOSHKA_DIMS, check_wrapper as check_wrapper
from likeness.losses.wrappers import WRAPPERS as WRAPPERS, wrap_objective as wrap_objective, wrapper_parameters as wrapper_parameters

if TYPE_CHECKING:
    from likeness.losses.diva import DiVA as DiVA
    from likeness.losses.mined import Mined as Mined
    from likeness.losses.s2sd import S2SD as S2SD
    from likeness.losses.uniform_prior import OfficialUniformPrior as OfficialUniformPrior, UniformPrior as UniformPrior

_ON_TORCH = {"diva": ["DiVA"], "mined": ["Mined"], "s2sd": ["S2SD"], "uniform_prior": ["OfficialUniformPrior", "UniformPrior"]}
# imported on first access
__getattr__ = lazy_loader.attach(__name__, submod_attrs=_ON_TORCH)[0]
