"""Doubles and leaks: equal files, images that are alike in a space, groups with the best of each, and pairs between train and test."""

from likeness.duplicates.best_image import best_first
from likeness.duplicates.exact_copies import ExactCopies, exact_copies
from likeness.duplicates.groups import CopyGroups, copy_groups
from likeness.duplicates.near_copies import EXACT_IMAGES, near_copies, near_copies_between
from likeness.duplicates.pairs import NearPairs

__all__ = [
    "EXACT_IMAGES",
    "CopyGroups",
    "ExactCopies",
    "NearPairs",
    "best_first",
    "copy_groups",
    "exact_copies",
    "near_copies",
    "near_copies_between",
]
