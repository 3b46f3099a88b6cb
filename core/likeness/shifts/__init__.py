"""Distribution shifts between train and test: how far two sets of features lie apart, and splits of growing distance. Needs no torch."""

from likeness.shifts.frechet import FeatureStatistics, frechet_distance
from likeness.shifts.removal import removal_splits
from likeness.shifts.splits import Split, swap_splits

__all__ = ["FeatureStatistics", "Split", "frechet_distance", "removal_splits", "swap_splits"]
