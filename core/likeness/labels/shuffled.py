"""A control: images are given the labels of others at random, so that what is still learned from them is not due to their meaning."""

from dataclasses import dataclass, replace

import numpy as np

from likeness.labels.matrix import ClassLabels
from likeness.labels.protocol import BoundedDistances, Distances, LabelDistances, Rows


@dataclass(frozen=True)
class DealtLabels:
    """Label distances of images that have the labels of others: `dealt` (n,) is the row number of the image whose label each one has."""

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
        """What `between` cannot be below, (r, c); None where the labels have no bounds."""
        return self.labels.lower_bounds(self.dealt[rows], self.dealt[columns]) if isinstance(self.labels, BoundedDistances) else None


def shuffled_labels(labels: LabelDistances, rows: Rows, rng: np.random.Generator) -> LabelDistances:
    """The labels of the images `rows` (r,) dealt out among them; the others keep their own. Classes are exchanged whole: images of one stay together,
    and have the name of another."""
    if isinstance(labels, ClassLabels):
        among, order = np.unique(labels.labels[rows]), np.arange(len(labels.classes))
        order[among] = rng.permutation(among)
        return replace(labels, classes=labels.classes[np.ix_(order, order)])
    dealt = np.arange(len(labels))
    dealt[rows] = rng.permutation(rows)
    return DealtLabels(labels, dealt)
