"""What every kind of continuous label answers."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Distances = NDArray[np.float32]
Rows = NDArray[np.int64]


@runtime_checkable
class BoundedDistances(Protocol):
    """Label distances that are dear, with cheap bounds."""

    def lower_bounds(self, rows: Rows, columns: Rows) -> Distances | None:
        """What `LabelDistances.between` cannot be below, (r, c); None where there are no bounds after all."""
        ...


class LabelDistances(Protocol):
    """Label distances of n images; computed when asked for, so that no (n, n) matrix need exist.

    Attributes:
        unit: of the distances, in a word or two, for axes: "px", "degrees"; empty where they have none.
    """

    @property
    def unit(self) -> str: ...

    def __len__(self) -> int: ...

    def between(self, rows: Rows, columns: Rows) -> Distances:
        """Distances (r, c), float32, 0 or more, symmetric, 0 from an image to itself."""
        ...
