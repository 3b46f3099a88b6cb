"""Few-shot episodes: of each test class a few images to adapt with, the rest to be found."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

Rows = NDArray[np.int64]
_FEWEST_QUERIES = 2


@dataclass(frozen=True)
class Episode:
    """Row numbers of one episode.

    Attributes:
        support: `shots` images of each class.
        query: all the others.
    """

    support: Rows
    query: Rows


def few_shot_episodes(labels: Any, shots: int, episodes: int = 10, seed: int = 0) -> list[Episode]:
    """Random divisions of the test images into support and query (ooDML, section 4.4).

    Args:
        labels: (n,) class numbers.
        shots: images of each class in the support.
        episodes: how many divisions.
        seed: the same seed gives the same episodes, and episode i does not depend on how many are asked for.

    Raises:
        InputError: fewer than one shot or episode, or a class that does not keep two images to be found.
    """
    numbers = np.asarray(labels)
    if shots < 1 or episodes < 1:
        raise InputError(f"Got {shots} shots and {episodes} episodes; both are 1 or more.")
    classes, counts = np.unique(numbers, return_counts=True)
    if not len(classes) or counts.min() < shots + _FEWEST_QUERIES:
        least = f"class {classes[counts.argmin()]} has {counts.min()} images" if len(classes) else "there are no images"
        raise InputError(f"{shots} shots need {shots + _FEWEST_QUERIES} images of each class, but {least}; take fewer shots.")
    found = []
    for number in range(episodes):
        rng = np.random.default_rng([seed, shots, number])
        support = np.sort(np.concatenate([rng.permutation(np.flatnonzero(numbers == each))[:shots] for each in classes]))
        found.append(Episode(support, np.setdiff1d(np.arange(len(numbers)), support)))
    return found
