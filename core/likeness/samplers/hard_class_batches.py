"""Batches of classes that lie near each other, chosen from all classes by their means (class-based hard example mining, CVPR 2019)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.samplers.m_per_class_batches import MPerClassBatches


class HardClassBatches(MPerClassBatches):
    """M-per-class batches of hard classes: some anchor classes, and the classes nearest to them.

    "Stochastic Class-Based Hard Example Mining for Deep Metric Learning" (CVPR 2019) takes the classes nearest to an anchor class by learned
    signatures, here by the means of the classes' embeddings. A batch depends on the seed, its number and `neighbors` alone; until these are set
    (`refresh`), its classes are drawn uniformly.

    Args:
        drawn: anchor classes of a batch, drawn without replacement. It is filled with the nearest class of each, then the second nearest, and so on.
            InputError: more than a batch has classes.

    Attributes:
        neighbors: (c, m) numbers of the m nearest classes of each class, nearest first; m is one less than the classes of a batch.
    """

    def __init__(self, labels: Sequence[int] | NDArray[Any], size: int, per_class: int, seed: int = 0, drawn: int = 1) -> None:
        super().__init__(labels, size, per_class, seed)
        if not 0 < drawn <= self._classes:
            raise InputError(f"A batch has {self._classes} classes, so {drawn} can't be drawn as anchors; draw 1 to {self._classes}.")
        self.labels, self.drawn = np.unique(labels, return_inverse=True)[1], drawn
        self.neighbors: NDArray[np.int64] | None = None

    def refresh(self, embeddings: NDArray[np.float32]) -> None:
        """Sets `neighbors` by the Euclidean distances of the classes' means of embeddings (n, d), one for each label."""
        import faiss

        sums = np.zeros((len(self._members), embeddings.shape[1]))
        np.add.at(sums, self.labels, embeddings)
        means = (sums / np.bincount(self.labels)[:, None]).astype(np.float32)
        # one more, since a class is its own neighbor, but not the first one where means are equal
        found = faiss.knn(means, means, self._classes)[1]
        order = np.argsort(found == np.arange(len(means))[:, None], axis=1, kind="stable")
        self.neighbors = np.take_along_axis(found, order, axis=1)[:, :-1]

    def _drawn_classes(self, rng: np.random.Generator) -> NDArray[np.int64]:
        if self.neighbors is None:
            return super()._drawn_classes(rng)
        anchors = rng.choice(len(self._members), self.drawn, replace=False)
        chosen = dict.fromkeys([*anchors.tolist(), *self.neighbors[anchors].T.ravel().tolist()])
        return np.array(list(chosen)[: self._classes])
