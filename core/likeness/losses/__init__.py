"""Objectives of deep metric learning: the papers' own, and the commodity ones by name."""

from likeness.losses.language_match import language_match
from likeness.losses.multisimilarity import interpolated, language_scales, mined_pairs, multisimilarity
from likeness.losses.objectives import OBJECTIVES, make_objective
from likeness.losses.s2sd import S2SD

__all__ = ["OBJECTIVES", "S2SD", "interpolated", "language_match", "language_scales", "make_objective", "mined_pairs", "multisimilarity"]
