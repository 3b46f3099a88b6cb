"""Distribution shifts between train and test: distances of feature sets, and splits of growing distance. Needs no torch."""

from likeness.shifts.construct import (
    Step as Step,
    choose_steps as choose_steps,
    class_mean_features as class_mean_features,
    group_halves as group_halves,
    split_file as split_file,
    split_steps as split_steps,
    start_halves as start_halves,
)
from likeness.shifts.frechet import frechet_distance as frechet_distance
from likeness.shifts.image_splits import (
    Half as Half,
    SplitOptions as SplitOptions,
    build_splits as build_splits,
    divisible_classes as divisible_classes,
    images_to_keep as images_to_keep,
)
from likeness.shifts.official_splits import class_aliases as class_aliases, import_official as import_official, read_plain_pickle as read_plain_pickle
from likeness.shifts.references import (
    RANDOM_CLASSES as RANDOM_CLASSES,
    SAME_CLASSES as SAME_CLASSES,
    Episode as Episode,
    few_shot_episodes as few_shot_episodes,
    iid_halves as iid_halves,
    published_episodes as published_episodes,
    reference_distances as reference_distances,
)
from likeness.shifts.split_files import (
    ClassSplit as ClassSplit,
    ShotEpisodes as ShotEpisodes,
    SplitFile as SplitFile,
    list_splits as list_splits,
    read_splits as read_splits,
    select_evenly as select_evenly,
    shipped_splits as shipped_splits,
    splits_from as splits_from,
    write_splits as write_splits,
)
from likeness.shifts.splits import Split as Split, removal_splits as removal_splits, swap_splits as swap_splits
