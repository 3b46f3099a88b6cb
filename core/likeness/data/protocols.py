"""Train and test splits of papers."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from likeness.data.readers.folder import natural_key
from likeness.data.table import ImageTable, has_label
from likeness.errors import InputError

SPLITS = ("test", "train", "all")


def check_split(split: str, known: Sequence[str] = SPLITS) -> None:
    """Raises InputError for a split that is not in `known`."""
    if split not in known:
        raise InputError(f"There is no split '{split}'; choose from {', '.join(known)}.")


def zero_shot_half(labels: Sequence[Hashable], order: Sequence[Hashable], split: str) -> NDArray[np.bool_]:
    """Mask (n,) of the images of `split`: "train" or "test", each half of the classes, or "all".

    The zero-shot protocol of deep metric learning, used by the InDiReCT paper (appendix, sections 2.2 and 2.3): the first half of the classes, in
    their `order`, is for training, the second for evaluation, so that no class is in both. With an odd number of classes the second half is larger.

    Raises:
        InputError: an unknown split.
    """
    check_split(split)
    rank = {label: place for place, label in enumerate(order)}
    second = np.array([rank[label] >= len(order) // 2 for label in labels], dtype=bool)
    return {"train": ~second, "test": second, "all": np.ones(len(labels), bool)}[split]


def class_halves(table: ImageTable, attribute: str) -> tuple[ImageTable, ImageTable]:
    """Train and test tables: the first and the second half of an attribute's values, in natural order (2 before 10). Images without a label
    (`has_label`) are in neither.

    Raises:
        InputError: an unknown attribute, no image has it, or all have the same value.
    """
    if attribute not in table.attributes:
        raise InputError(f"'{table.name}' has no attribute '{attribute}'; it has {', '.join(table.attributes) or 'none'}.")
    frame = table.frame[has_label(table.frame[attribute])]
    if not len(frame):
        raise InputError(f"No image of '{table.name}' has a label of '{attribute}'; fill it in.")
    labels = [str(value) for value in frame[attribute]]
    order = sorted(set(labels), key=natural_key)
    if len(order) < 2:
        raise InputError(f"All images of '{table.name}' have the same '{attribute}', '{order[0]}'; at least two values are needed.")
    train, test = (ImageTable(f"{table.name} ({split})", table.root, frame[zero_shot_half(labels, order, split)]) for split in ("train", "test"))
    return train, test
