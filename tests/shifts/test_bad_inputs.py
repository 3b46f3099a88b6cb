"""What cannot be split, measured or read is refused in a sentence that names it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.shifts import (
    class_mean_features,
    few_shot_episodes,
    frechet_distance,
    group_halves,
    iid_halves,
    read_splits,
    removal_splits,
    select_evenly,
    split_steps,
    splits_from,
    swap_splits,
)

MEANS = np.random.default_rng(0).normal(size=(20, 2))
ODD = MEANS.copy()
ODD[3, 1] = np.nan
EVEN_ROWS, ODD_ROWS = range(0, 20, 2), range(1, 20, 2)
SPLIT: dict[str, Any] = {"name": "start", "step": 0, "distance": 1.5, "train": [*"abcd"], "test": ["e", "f"], "tuning": ["c", "d"]}
FILE: dict[str, Any] = {"format": "likeness splits", "version": 1, "dataset": "letters", "splits": [SPLIT, SPLIT | {"name": "swap 1"}]}


def swap(means: np.ndarray = MEANS, train: Any = EVEN_ROWS, test: Any = ODD_ROWS, steps: int = 1, **options: Any) -> object:
    return swap_splits(means, train, test, steps, **options)


def features(place: Any, value: float) -> object:
    rows = np.random.default_rng(0).standard_normal((8, 2))
    rows[place] = value
    return class_mean_features(rows, np.repeat(np.arange(4), 2), 4)


def split_file(**changes: Any) -> object:
    return splits_from(FILE | changes)


def split(**changes: Any) -> object:
    return split_file(splits=[SPLIT | changes, FILE["splits"][1]])


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: swap(test=[0, 1, 3]), "Class 0 is on both sides"),
    (lambda: swap(train=[0, 0, 2]), "has a repeated class"),
    (lambda: swap(train=[0, 2, 99]), "names class 99, but there are 20"),
    (lambda: swap(train=[0]), "has 1 classes, too few"),
    (lambda: swap(per_step=11), "has 10 classes, too few for 11"),
    (lambda: swap(per_step=0), "per_step is 0"),
    (lambda: swap(steps=-1), "steps is -1"),
    (lambda: swap(rule="mine"), "no rule 'mine'"),
    (lambda: swap(ODD), "not finite"),
    (lambda: swap(MEANS, [0, 2, 4], [1, 3, 5], 9, rule="official"), "No class is left to exchange"),
    (lambda: removal_splits(MEANS, range(10), range(10, 20), 1, rule="mine"), "choose from paper, score, official"),  # type: ignore[arg-type]
    (lambda: split_steps(MEANS, [1, 2, 3], [3, 4, 5]), "Class 3 is on both sides"),
    (lambda: split_steps(MEANS, [0, 1], [2, 3], per_step=3), "2 classes, too few for 3"),
    (lambda: features((3, 1), np.nan), "features of image 3 are not finite"),
    (lambda: features((2, 0), np.inf), "features of image 2 are not finite"),
    (lambda: features(slice(None), 1.0), "all classes have the same mean"),
    (lambda: class_mean_features(np.eye(4), np.arange(4), 5), "Class 4 has no images"),
    (lambda: class_mean_features(np.eye(4), np.arange(3), 4), "one label per row"),
    (lambda: group_halves([*"aaab"]), "2 groups of 4 classes leave 1 classes on one side; each side needs 2"),
    (lambda: frechet_distance(np.zeros((1, 3)), np.zeros((4, 3))), "The first features have 1 rows"),
    (lambda: frechet_distance(np.zeros((4, 3)), np.zeros((4, 2))), "3 and 2 dimensions"),
    (lambda: frechet_distance(np.zeros(4), np.zeros((4, 2))), r"The first features have shape \(4,\)"),
    (lambda: frechet_distance(np.zeros((4, 2)), np.array([[0.0, 1.0], [0.0, np.nan]])), "The second features are nan in row 1, column 1"),
    (lambda: frechet_distance(np.zeros((3, 2)), np.zeros((3, 2)), "other"), "choose paper or official"),  # type: ignore[arg-type]
    (lambda: iid_halves([0, 0, 6]), "Class 6 has only one image"),
    (lambda: few_shot_episodes([0] * 9 + [1] * 6, 5), "5 shots need 7 images of each class, but class 1 has 6 images"),
    (lambda: few_shot_episodes([0, 0, 0], 0), "0 shots"),
    (lambda: few_shot_episodes([], 2), "there are no images"),
    (lambda: select_evenly([1.0, 2.0], 3), "3 splits cannot"),
    (lambda: select_evenly([1.0, 2.0], 1), "1 splits"),
    (lambda: select_evenly([1.0, np.nan, 2.0], 2), "split 1"),
    (lambda: split_file(version=2), "version 2, but this program reads version 1"),
    (lambda: split_file(version=None), "version None"),
    (lambda: split_file(splits=[]), "splits"),
    (lambda: split_file(surplus=1), "no key 'surplus'"),
    (lambda: split(test=["a", "e"]), "the class 'a' both in train and in test"),
    (lambda: split(train=["a", "b", "a", "d"], tuning=[]), "names the class 'a' twice in train"),
    (lambda: split(test=["e"]), "1 test classes, but needs 2"),
    (lambda: split(tuning=["e", "a"]), "tunes with the class 'e', which is not a train class"),
    (lambda: split(tuning=["a"]), "tunes with 1 of 4 classes"),
    (lambda: split(distance=-1), "distance is -1"),
    (lambda: split(distance=float("nan")), "distance is nan"),
    (lambda: split(name="swap 1"), "two splits are called 'swap 1'"),
    (lambda: split(train="abcd"), "train is 'abcd'"),
    (lambda: splits_from(FILE).named("end"), "no split 'end' of letters; there are start, swap 1"),
    (lambda: read_splits("nothing"), "no file of splits 'nothing'; shipped ones are .*cars196-oodml"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message[:50] for _, message in BAD])
def test_bad_input_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
