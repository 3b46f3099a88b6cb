"""Control with shuffled labels: what is still learned is not due to their meaning."""

from dataclasses import dataclass, replace

import numpy as np

from likeness.labels.matrix import ClassLabels
from likeness.labels.protocol import BoundedDistances, Distances, LabelDistances, Rows


@dataclass(frozen=True)
class DealtLabels:
    """Label distances of images with permuted labels: `dealt` (n,) is the row whose label each image gets."""

    labels: LabelDistances
    dealt: Rows

    @property
    def unit(self) -> str:
        return self.labels.unit

    def __len__(self) -> int:
        return len(self.dealt)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        return self.labels.between(self.dealt[rows], self.dealt[columns])

    def lower_bounds(self, rows: Rows, columns: Rows) -> Distances | None:
        """Lower bounds (r, c) of `between`; None if the labels have none."""
        return self.labels.lower_bounds(self.dealt[rows], self.dealt[columns]) if isinstance(self.labels, BoundedDistances) else None


def shuffled_labels(labels: LabelDistances, rows: Rows, rng: np.random.Generator) -> LabelDistances:
    """Shuffles the labels of the images `rows` (r,); others keep their own. Classes are permuted as a whole: images of one stay together and get the
    name of another.
    """
    if isinstance(labels, ClassLabels):
        among, order = np.unique(labels.labels[rows]), np.arange(len(labels.classes))
        order[among] = rng.permutation(among)
        return replace(labels, classes=labels.classes[np.ix_(order, order)])
    dealt = np.arange(len(labels))
    dealt[rows] = rng.permutation(rows)
    return DealtLabels(labels, dealt)
