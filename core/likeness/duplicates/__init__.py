"""Doubles and leaks: equal files, images that are alike in a space, groups with the best of each, and pairs between train and test."""

from likeness.duplicates.altered_copies import ALTERATIONS, CopySimilarities, copy_similarities
from likeness.duplicates.best_image import best_first, image_sizes, ranks_by_size, why_best
from likeness.duplicates.exact_copies import ExactCopies, exact_copies
from likeness.duplicates.groups import CopyGroups, copy_groups, equal_groups
from likeness.duplicates.leaks import leaks, leaks_among, leaks_by, rarer_side
from likeness.duplicates.look_alike import ALIKE, look_alike, pixel_correlation
from likeness.duplicates.near_copies import EXACT_IMAGES, check_threshold, near_copies, near_copies_between
from likeness.duplicates.pairs import NearPairs, TooManyPairsError
from likeness.duplicates.suggest_threshold import SuggestedThreshold, best_threshold, precise_threshold, suggest_threshold
from likeness.duplicates.threshold_store import known_threshold, stored_threshold

__all__ = [
    "ALIKE",
    "ALTERATIONS",
    "EXACT_IMAGES",
    "CopyGroups",
    "CopySimilarities",
    "ExactCopies",
    "NearPairs",
    "SuggestedThreshold",
    "TooManyPairsError",
    "best_first",
    "best_threshold",
    "check_threshold",
    "copy_groups",
    "copy_similarities",
    "equal_groups",
    "exact_copies",
    "image_sizes",
    "known_threshold",
    "leaks",
    "leaks_among",
    "leaks_by",
    "look_alike",
    "near_copies",
    "near_copies_between",
    "pixel_correlation",
    "precise_threshold",
    "ranks_by_size",
    "rarer_side",
    "stored_threshold",
    "suggest_threshold",
    "why_best",
]
