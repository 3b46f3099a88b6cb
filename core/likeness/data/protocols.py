"""Train and test splits of papers."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

SPLITS = ("test", "train", "all")


def check_split(split: str, known: Sequence[str] = SPLITS) -> None:
    """Raises InputError for a split that is not in `known`."""
    if split not in known:
        raise InputError(f"There is no split '{split}'; choose from {', '.join(known)}.")


def retrieval_sets(split: str, sets: Sequence[str] = ("train", "query", "gallery")) -> tuple[str, ...]:
    """The official `sets` of a retrieval benchmark that make up `split`: "test" is all but "train", "all" all, another name that set. Readers put an
    image's set into the attribute `split`, by which training finds queries, too. Raises InputError: an unknown split.
    """
    known = {"test": tuple(each for each in sets if each != "train"), **{each: (each,) for each in sets}, "all": tuple(sets)}
    check_split(split, tuple(known))
    return known[split]


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
