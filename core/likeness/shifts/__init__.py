"""Distribution shifts between train and test: how far two sets of features lie apart, and splits of growing distance. Needs no torch."""

from likeness.shifts.construct import Step, choose_steps, class_mean_features, split_file, split_steps, start_halves
from likeness.shifts.episodes import Episode, few_shot_episodes
from likeness.shifts.frechet import FeatureStatistics, frechet_distance
from likeness.shifts.group_halves import group_halves
from likeness.shifts.image_splits import SplitOptions, build_splits, divisible_classes
from likeness.shifts.official_splits import class_aliases, import_official
from likeness.shifts.references import RANDOM_CLASSES, SAME_CLASSES, iid_halves, reference_distances
from likeness.shifts.removal import removal_splits
from likeness.shifts.selection import select_evenly
from likeness.shifts.split_files import ClassSplit, SplitFile, list_splits, read_splits, shipped_splits, splits_from, write_splits
from likeness.shifts.splits import Split, swap_splits

__all__ = [
    "RANDOM_CLASSES",
    "SAME_CLASSES",
    "ClassSplit",
    "Episode",
    "FeatureStatistics",
    "Split",
    "SplitFile",
    "SplitOptions",
    "Step",
    "build_splits",
    "choose_steps",
    "class_aliases",
    "class_mean_features",
    "divisible_classes",
    "few_shot_episodes",
    "frechet_distance",
    "group_halves",
    "iid_halves",
    "import_official",
    "list_splits",
    "read_splits",
    "reference_distances",
    "removal_splits",
    "select_evenly",
    "shipped_splits",
    "split_file",
    "split_steps",
    "splits_from",
    "start_halves",
    "swap_splits",
    "write_splits",
]
