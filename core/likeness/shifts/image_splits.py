"""Splits of the classes of a table's images."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from likeness.data import ImageClasses, ImageTable, image_classes
from likeness.errors import InputError
from likeness.shifts.construct import split_file, split_steps, start_halves
from likeness.shifts.split_files import SplitFile
from likeness.shifts.splits import Removal, Rule

FEWEST_CLASSES = 4
Half = Literal["images", "classes"]


@dataclass(frozen=True)
class SplitOptions:
    """The options of `split_steps`; `half` of what must remain after removals, images as in the paper, or classes; whether the start is random."""

    per_step: int = 1
    rule: Rule = "paper"
    removal: Removal = "paper"
    easier: bool = False
    half: Half = "images"
    control: bool = False
    random: bool = False


def divisible_classes(table: ImageTable, attributes: Sequence[str]) -> ImageClasses:
    """The classes of a table's images; unlabeled images have none.

    Raises:
        InputError: an attribute that no image has, too few classes to divide, or hardly two images in a class.
    """
    found = image_classes(table, attributes)
    what = " and ".join(name.replace("_", " ") for name in attributes)
    if len(found.names) < FEWEST_CLASSES:
        raise InputError(f"By {what} there are {len(found.names)} classes, but train and test need two each; choose another attribute.")
    if 2 * len(found.names) > len(found.rows):
        raise InputError(
            f"By {what} there are {len(found.names):,} classes for {len(found.rows):,} labeled images, few with two images; choose another attribute."
        )
    return found


def build_splits(class_means: Any, classes: ImageClasses, options: SplitOptions, **about: Any) -> SplitFile:
    """All splits of these classes, whose mean vectors are `class_means` (c, d), from easy to hard. `about`: further fields of `SplitFile`: dataset,
    attribute, encoder.

    Raises:
        InputError: as `split_steps`.
    """
    train, test = start_halves(len(classes.names), options.random)
    images = images_to_keep(classes, options.half)
    steps = split_steps(class_means, train, test, options.per_step, options.rule, options.removal, options.easier, images, options.control)
    about |= {"rule": options.rule, "removal": options.removal, "half": options.half, "per_step": options.per_step}
    return split_file(steps, classes.names, **about)


def images_to_keep(classes: ImageClasses, half: Half) -> list[int] | None:
    """`images` of `removal_splits`: the images of each class if half of them must remain, None if half of the classes."""
    return np.bincount(classes.labels[classes.rows], minlength=len(classes.names)).tolist() if half == "images" else None
