"""Batches with several images of each class (M-per-class sampling)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError


class MPerClassBatches:
    """M-per-class sampling in which batch number t is a function of the seed and t alone, so that a run resumes anywhere with the same batches.

    Unlike pytorch-metric-learning's MPerClassSampler, which iterates over single rows in an order of its own, this is indexed by batch.

    A batch has size / per_class different classes, drawn evenly, and of each `per_class` images, drawn without repetition where the class
    has that many.

    Args:
        labels: class numbers (n,).
        size: images in a batch.
        per_class: of each class.
        seed: of all batches.

    Raises:
        InputError: size is no multiple of per_class, or there are too few classes to fill a batch or to compare.
    """

    def __init__(self, labels: Sequence[int] | NDArray[Any], size: int, per_class: int, seed: int = 0) -> None:
        numbers = np.asarray(labels)
        self.size, self.per_class, self.seed = size, per_class, seed
        self._members = [np.flatnonzero(numbers == each) for each in np.unique(numbers)]
        if size % per_class:
            raise InputError(f"A batch of {size} images can't have {per_class} of each class; choose a multiple of {per_class}.")
        self._classes = size // per_class
        if self._classes > len(self._members):
            least = -(-size // len(self._members))
            raise InputError(
                f"A batch of {size} images with {per_class} of each class needs {self._classes} classes, but there are {len(self._members)}; "
                f"choose at least {least} of each class, or a smaller batch."
            )
        if self._classes < 2:
            raise InputError(
                f"A batch of {size} images with {per_class} of each class has one class, and a loss needs two; choose fewer of each class."
            )

    def batch(self, number: int) -> NDArray[np.int64]:
        """Row numbers (size,) of batch `number`, class after class."""
        rng = np.random.default_rng([self.seed, number, 0])
        chosen = rng.choice(len(self._members), self._classes, replace=False)
        return np.concatenate([self._drawn(self._members[each], rng) for each in chosen]).astype(np.int64)

    def _drawn(self, members: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        return rng.choice(members, self.per_class, replace=len(members) < self.per_class)
