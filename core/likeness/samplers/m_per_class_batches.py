"""Batches with several images of each class (M-per-class sampling)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

DRAWS = ("spread", "replacement")


class MPerClassBatches:
    """M-per-class sampling. Batch t depends on the seed and t alone, so a run resumes anywhere with the same batches.

    Unlike pytorch-metric-learning's MPerClassSampler, which iterates over rows, this is indexed by batch.

    A batch has size / per_class different classes, drawn uniformly, with `per_class` images each, drawn without replacement if the class has that
    many. With draw "replacement", as in the code of language guidance, classes and images can repeat. InputError: size is not a multiple of
    per_class, too few classes to fill a batch or to compare, or an unknown `draw`.
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
            raise InputError(f"A batch of {size} images with {per_class} of each class has one class, but a loss needs two; choose fewer of each.")

    def batch(self, number: int) -> NDArray[np.int64]:
        """Row numbers (size,) of batch `number`, class after class."""
        # a generator per batch: any batch can be made without those before it; the last number tells the uses of a seed apart
        rng = np.random.default_rng([self.seed, number, 0])
        return np.concatenate([self._drawn(self._members[each], rng) for each in self._drawn_classes(rng)]).astype(np.int64)

    def _drawn_classes(self, rng: np.random.Generator) -> NDArray[np.int64]:
        return rng.choice(len(self._members), self._classes, replace=self._replace)

    def _drawn(self, members: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        return rng.choice(members, self.per_class, replace=self._replace or len(members) < self.per_class)
