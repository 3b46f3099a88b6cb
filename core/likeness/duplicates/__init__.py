"""Duplicates and leaks: equal files, near copies in a space, groups with their best image, and copies between train and test."""

from likeness.duplicates.altered_copies import (
    ALTERATIONS as ALTERATIONS,
    CopySimilarities as CopySimilarities,
    copy_similarities as copy_similarities,
)
from likeness.duplicates.best_image import best_first as best_first, image_sizes as image_sizes, ranks_by_size as ranks_by_size, why_best as why_best
from likeness.duplicates.exact_copies import ExactCopies as ExactCopies, exact_copies as exact_copies
from likeness.duplicates.groups import CopyGroups as CopyGroups, copy_groups as copy_groups, equal_groups as equal_groups
from likeness.duplicates.leaks import leaks as leaks, leaks_by as leaks_by, rarer_side as rarer_side
from likeness.duplicates.near_copies import check_threshold as check_threshold, near_copies as near_copies
from likeness.duplicates.pairs import NearPairs as NearPairs, TooManyPairsError as TooManyPairsError
from likeness.duplicates.suggest_threshold import (
    ALIKE as ALIKE,
    SuggestedThreshold as SuggestedThreshold,
    best_threshold as best_threshold,
    known_threshold as known_threshold,
    look_alike as look_alike,
    pixel_correlation as pixel_correlation,
    precise_threshold as precise_threshold,
    stored_threshold as stored_threshold,
    suggest_threshold as suggest_threshold,
)
