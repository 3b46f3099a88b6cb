"""Batches with several images of each class (M-per-class sampling)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

DRAWS = ("spread", "replacement")


class MPerClassBatches:
    """M-per-class sampling in which batch number t is a function of the seed and t alone, so that a run resumes anywhere with the same batches.

    Unlike pytorch-metric-learning's MPerClassSampler, which iterates over single rows in an order of its own, this is indexed by batch.

    A batch has size / per_class different classes, drawn evenly, and of each `per_class` images, drawn without repetition where the class
    has that many. With draw "replacement", as the authors of language guidance draw, classes and images can come up again.

    Raises:
        InputError: size is no multiple of per_class, there are too few classes to fill a batch or to compare, or an unknown `draw`.
    """

    def __init__(self, labels: Sequence[int] | NDArray[Any], size: int, per_class: int, seed: int = 0, draw: str = "spread") -> None:
        numbers = np.asarray(labels)
        self.size, self.per_class, self.seed = size, per_class, seed
        if draw not in DRAWS:
            raise InputError(f"There is no draw '{draw}'; choose from {', '.join(DRAWS)}.")
        self._replace = draw == "replacement"
        self._members = [np.flatnonzero(numbers == each) for each in np.unique(numbers)]
        if size % per_class:
            raise InputError(f"A batch of {size} images can't have {per_class} of each class; choose a multiple of {per_class}.")
        self._classes = size // per_class
        if self._classes > len(self._members) and not self._replace:
            least = -(-size // len(self._members))
            raise InputError(
                f"A batch of {size} images with {per_class} of each class needs {self._classes} classes, but there are {len(self._members)}; "
                f"choose at least {least} of each class, or a smaller batch."
            )
        if min(self._classes, len(self._members)) < 2:
            raise InputError(
                f"A batch of {size} images with {per_class} of each class has one class, and a loss needs two; choose fewer of each class."
            )

    def batch(self, number: int) -> NDArray[np.int64]:
        """Row numbers (size,) of batch `number`, class after class."""
        rng = np.random.default_rng([self.seed, number, 0])
        chosen = rng.choice(len(self._members), self._classes, replace=self._replace)
        return np.concatenate([self._drawn(self._members[each], rng) for each in chosen]).astype(np.int64)

    def _drawn(self, members: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        return rng.choice(members, self.per_class, replace=self._replace or len(members) < self.per_class)
