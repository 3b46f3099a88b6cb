"""Reference distances: classes divided at random, and the same classes on both sides; few-shot episodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.errors import InputError
from likeness.progress import Progress, report_progress
from likeness.shifts.construct import class_mean_features
from likeness.shifts.frechet import frechet_distance
from likeness.shifts.split_files import ClassSplit
from likeness.threads import one_blas_thread

Rows = NDArray[np.int64]
OWN, RANDOM_CLASSES, SAME_CLASSES = "this split", "classes drawn at random", "same classes, images drawn at random"


def iid_halves(labels: Any, seed: int = 0) -> tuple[Rows, Rows]:
    """Divides images with class numbers (n,) into two halves with the same classes: the i.i.d. reference of ooDML's Table 1. Of an odd number of
    images the first half has one more.

    Raises:
        InputError: a class with one image.
    """
    numbers = np.asarray(labels)
    rng = np.random.default_rng([seed, 4])
    halves: list[list[Rows]] = [[], []]
    for each in np.unique(numbers):
        rows = rng.permutation(np.flatnonzero(numbers == each))
        if len(rows) < 2:
            raise InputError(f"Class {each} has only one image, which cannot be on both sides; remove the class.")
        cut = (len(rows) + 1) // 2
        halves[0].append(rows[:cut])
        halves[1].append(rows[cut:])
    first, second = (np.sort(np.concatenate(half)) for half in halves)
    return first, second


def reference_distances(
    features: Any,
    labels: Any,
    train: Sequence[int],
    test: Sequence[int],
    repeats: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
    images: bool = True,
) -> pd.DataFrame:
    """Distance between a split's sides and reference distances (ooDML, Table 1): a row per reference and measure.

    Args:
        features: (n, d) features of all images.
        labels: (n,) class numbers from 0; -1 for images without a class.
        train, test: classes of the split.
        repeats: random draws of each reference.
        images: also measures distances of all images' features, which takes far longer than those of class means.

    Returns:
        Columns `reference`, `measure` ("class means", "images"), `distance`, `deviation` (standard deviation over the draws).

    Raises:
        InputError: as `frechet_distance` and `iid_halves`.
    """
    rows, numbers = to_numpy(features), np.asarray(labels)
    classes = int(numbers.max()) + 1
    means = class_mean_features(rows, numbers, classes)
    found: dict[tuple[str, str], list[float]] = {}

    def add(reference: str, of_means: tuple[Any, Any], of_images: tuple[Rows, Rows]) -> None:
        with one_blas_thread():
            found.setdefault((reference, "class means"), []).append(frechet_distance(*of_means))
        if images:
            found.setdefault((reference, "images"), []).append(frechet_distance(rows[of_images[0]], rows[of_images[1]]))

    def add_classes(reference: str, one: Sequence[int], other: Sequence[int]) -> None:
        first, second = (np.asarray(side, dtype=np.int64) for side in (one, other))
        of_images = np.flatnonzero(np.isin(numbers, first)), np.flatnonzero(np.isin(numbers, second))
        add(reference, (means[first], means[second]), of_images)

    add_classes(OWN, train, test)
    both = [*train, *test]
    kept = np.flatnonzero(np.isin(numbers, both))
    for number in range(repeats):
        drawn = np.random.default_rng([seed, number, 5]).permutation(both)
        add_classes(RANDOM_CLASSES, drawn[: len(train)].tolist(), drawn[len(train) :].tolist())
        halves = [kept[half] for half in iid_halves(numbers[kept], seed * 1_000 + number)]
        of_first, of_second = (np.stack([rows[half][numbers[half] == each].mean(axis=0, dtype=np.float64) for each in both]) for half in halves)
        add(SAME_CLASSES, (of_first, of_second), (halves[0], halves[1]))
        report_progress(progress, number + 1, repeats)
    lines = [
        {"reference": reference, "measure": measure, "distance": np.mean(values), "deviation": np.std(values, ddof=1) if len(values) > 1 else 0.0}
        for (reference, measure), values in found.items()
    ]
    return pd.DataFrame(lines)


_FEWEST_QUERIES = 2


@dataclass(frozen=True)
class Episode:
    """Row numbers of one episode: `shots` images of each class as support, the others as queries."""

    support: Rows
    query: Rows


def published_episodes(split: ClassSplit, shots: int, names: Sequence[str], paths: Sequence[str]) -> list[Episode]:
    """The episodes of a file of splits, of test images with class names (n,) and paths (n,).

    A file is found by its name among the images of its class. A second one of this name, as in the two folders of Cars196's devkit, is the authors'
    "06189_2.jpg".

    Raises:
        InputError: a split without episodes of so many shots, or images that lack one of their files.
    """
    found = next((each for each in split.episodes if each.shots == shots), None)
    if found is None:
        known = ", ".join(str(each.shots) for each in split.episodes) or "none"
        raise InputError(f"The split '{split.name}' has no episodes of {shots} shots (it has {known}); set few_shot.support to random.")
    place: dict[tuple[str, str], int] = {}
    for row, (name, path) in enumerate(zip(names, map(PurePosixPath, paths), strict=True)):
        place.setdefault((name, f"{path.stem}_2{path.suffix}" if (name, path.name) in place else path.name), row)
    wanted = [(name, file) for name, own in zip(split.test, found.support, strict=True) for files in own for file in files]
    if missing := next((each for each in wanted if each not in place), None):
        raise InputError(
            f"The episodes of the split '{split.name}' name the image '{missing[1]}' of '{missing[0]}', which these images lack; use the layout of "
            "the dataset whose file names the episodes have (of Cars196, its devkit), or set few_shot.support to random."
        )
    rows = np.array([place[each] for each in wanted]).reshape(len(split.test), -1, shots)
    supports = [np.sort(rows[:, number].ravel()) for number in range(rows.shape[1])]
    return [Episode(support, np.setdiff1d(np.arange(len(names)), support)) for support in supports]


def few_shot_episodes(labels: Any, shots: int, episodes: int = 10, seed: int = 0) -> list[Episode]:
    """Random divisions of the test images with class numbers (n,) into support and query (ooDML, section 4.4). Episode i depends on the seed alone,
    not on the number of episodes.

    Raises:
        InputError: fewer than one shot or episode, or a class with fewer than two query images.
    """
    numbers = np.asarray(labels)
    if shots < 1 or episodes < 1:
        raise InputError(f"Got {shots} shots and {episodes} episodes; both must be at least 1.")
    classes, counts = np.unique(numbers, return_counts=True)
    if not len(classes) or counts.min() < shots + _FEWEST_QUERIES:
        least = f"class {classes[counts.argmin()]} has {counts.min()} images" if len(classes) else "there are no images"
        raise InputError(f"{shots} shots need {shots + _FEWEST_QUERIES} images of each class, but {least}; use fewer shots.")
    found = []
    for number in range(episodes):
        rng = np.random.default_rng([seed, shots, number])
        support = np.sort(np.concatenate([rng.permutation(np.flatnonzero(numbers == each))[:shots] for each in classes]))
        found.append(Episode(support, np.setdiff1d(np.arange(len(numbers)), support)))
    return found
