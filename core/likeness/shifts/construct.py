"""Builds splits of growing distance from a dataset's features: easier ones, the dataset's own, exchanged classes, removed classes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import row_slices, to_numpy
from likeness.errors import InputError
from likeness.evaluation import class_sums
from likeness.shifts.frechet import frechet_distance
from likeness.shifts.split_files import ClassSplit, SplitFile, select_evenly
from likeness.shifts.splits import Removal, Rule, Split, half_remains, removal_splits, swap_splits
from likeness.threads import one_blas_thread

Kind = Literal["easier", "start", "swap", "removal", "random"]
TUNING_SHARE = 0.25


@dataclass(frozen=True)
class Step:
    """A split between the easiest and the hardest: its kind, its number among the steps of this kind (0 for the start), and its rows of the class
    means.
    """

    kind: Kind
    number: int
    split: Split

    @property
    def name(self) -> str:
        """Name in files: "easier 3", "start", "swap 12", "removal 8", "random 8"."""
        return self.kind if self.kind == "start" else f"{self.kind} {self.number}"


def class_mean_features(features: Any, labels: Any, classes: int) -> NDArray[np.float64]:
    """Mean feature (c, d) of each class 0 to c - 1, not scaled to unit length. Features (n, d) may be memory-mapped; rows with label -1 are ignored.

    Raises:
        InputError: a class without images, features that are not finite, or equal means.
    """
    rows, numbers = to_numpy(features), np.asarray(labels)
    if rows.ndim != 2 or numbers.shape != (len(rows),):
        raise InputError(f"Features of shape {rows.shape} need one label per row; got labels of shape {numbers.shape}.")
    for part in row_slices(*rows.shape):
        broken = np.flatnonzero(~np.isfinite(rows[part]).all(axis=1))
        if broken.size:
            raise InputError(f"The features of image {part.start + int(broken[0])} are not finite; remove it, or embed it again.")
    shifted = numbers + 1  # shifted by one: rows without a class are class 0 here, which is dropped again
    counts = np.bincount(shifted, minlength=classes + 1)[1:]
    if counts.min() == 0:
        raise InputError(f"Class {int(counts.argmin())} has no images; remove it.")
    means: NDArray[np.float64] = class_sums(rows, shifted, classes + 1)[1:] / counts[:, None]
    if np.ptp(means, axis=0).max() == 0:
        raise InputError("The features of all classes have the same mean, so no split is harder than another; use another encoder.")
    return means


def start_halves(classes: int, random: bool = False, seed: int = 0) -> tuple[list[int], list[int]]:
    """Train and test classes of the start: the first half and the others, or random halves."""
    order = np.random.default_rng([seed, 6]).permutation(classes).tolist() if random else list(range(classes))
    return sorted(order[: classes // 2]), sorted(order[classes // 2 :])


@one_blas_thread()
def split_steps(
    class_means: Any,
    train: Sequence[int],
    test: Sequence[int],
    per_step: int = 1,
    rule: Rule = "paper",
    removal: Removal = "paper",
    easier: bool = False,
    images: Sequence[int] | None = None,
    control: bool = False,
    seed: int = 0,
) -> list[Step]:
    """All steps (ooDML, Milbich et al., NeurIPS 2021, section 3.3 and Figure 1): easier ones (easiest first), the start, exchanges, removals.

    Classes are exchanged until each could have changed sides once; steps after the one with the largest distance are dropped. From there classes are
    removed from both sides, as long as half of the data remains.

    Args:
        class_means: (c, d).
        train, test: classes of the start.
        per_step: classes exchanged or removed per side and step; 2 in the paper, 1,000 for Stanford Online Products.
        rule, removal: of `swap_splits` and `removal_splits`.
        easier: adds inverse exchanges down to the smallest distance, as the paper for CUB200-2011.
        images: of `removal_splits`.
        control: adds to each removal, from the same exchanges, one of as many classes at random ("random 8" beside "removal 8"), by `seed`: what
            fewer classes do without the shift.

    Raises:
        InputError: as `swap_splits`.
    """
    most = max(1, min(len(train), len(test)) // max(per_step, 1))
    swaps = swap_splits(class_means, train, test, most, per_step, rule=rule)
    last = int(np.argmax([split.distance for split in swaps]))
    steps = [Step("swap" if number else "start", number, split) for number, split in enumerate(swaps[: last + 1])]
    furthest = steps[-1].split
    counts = None if images is None else np.asarray(images)
    for number, split in enumerate(removal_splits(class_means, furthest.train, furthest.test, most, per_step, False, removal, images)[1:], 1):
        if half_remains((split.train, split.test), (furthest.train, furthest.test), counts):
            steps.append(Step("removal", number, split))
    if easier:
        inverse = swap_splits(class_means, train, test, most, per_step, inverse=True, rule=rule)
        nearest = int(np.argmin([split.distance for split in inverse]))
        steps = [Step("easier", number, inverse[number]) for number in range(nearest, 0, -1)] + steps
    if control:
        means, rng = to_numpy(class_means).astype(np.float64), np.random.default_rng([seed, 9])
        orders = [rng.permutation(side) for side in (furthest.train, furthest.test)]
        for step in [step for step in steps if step.kind == "removal"]:
            kept = [np.sort(order[: len(side)]) for order, side in zip(orders, (step.split.train, step.split.test), strict=True)]
            distance = frechet_distance(means[kept[0]], means[kept[1]])
            steps.append(Step("random", step.number, Split(tuple(kept[0].tolist()), tuple(kept[1].tolist()), distance)))
    return steps


def choose_steps(steps: Sequence[Step], count: int) -> list[Step]:
    """Chooses `count` steps whose distances cover the range evenly, including the start, and the controls of chosen removals, in order of distance.

    Raises:
        InputError: as `select_evenly`.
    """
    own = [step for step in steps if step.kind != "random"]
    start = next(place for place, step in enumerate(own) if step.kind == "start")
    chosen = [own[place] for place in select_evenly([step.split.distance for step in own], count, keep=start)]
    removed = {step.number for step in chosen if step.kind == "removal"}
    controls = [step for step in steps if step.kind == "random" and step.number in removed]
    return sorted(chosen + controls, key=lambda step: step.split.distance)


def split_file(steps: Sequence[Step], names: Sequence[str], seed: int = 0, **about: Any) -> SplitFile:
    """A file of these splits. A random quarter of each split's train classes is held out for tuning, as in the published splits. `about`: `dataset`,
    `encoder` and other fields of `SplitFile`.
    """
    return SplitFile(seed=seed, splits=tuple(_named(step, names, seed) for step in steps), **about)


def _named(step: Step, names: Sequence[str], seed: int) -> ClassSplit:
    train = [names[row] for row in step.split.train]
    held = round(TUNING_SHARE * len(train))
    tuning = sorted(np.random.default_rng([seed, len(train)]).permutation(len(train))[:held].tolist()) if 2 <= held <= len(train) - 2 else []
    return ClassSplit(
        name=step.name,
        step=step.number,
        distance=step.split.distance,
        train=tuple(train),
        test=tuple(names[row] for row in step.split.test),
        tuning=tuple(train[place] for place in tuning),
    )


_FEWEST = 2


def group_halves(groups: Sequence[str]) -> tuple[list[int], list[int]]:
    """Divides classes into two halves of similar size that keep groups together: class numbers, ascending, the half of the first group first.

    Groups go to the smaller side one by one, the largest first, ties by name; deterministic.

    Raises:
        InputError: groups that leave fewer than two classes on a side.
    """
    sizes = Counter(groups)
    sides: tuple[list[str], list[str]] = ([], [])
    for group, _ in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        min(sides, key=lambda side: sum(sizes[each] for each in side)).append(group)
    first, second = ([number for number, group in enumerate(groups) if group in side] for side in sides)
    if min(len(first), len(second)) < _FEWEST:
        raise InputError(f"{len(sizes)} groups of {len(groups)} classes leave {len(second)} classes on one side; each side needs {_FEWEST}.")
    return first, second
