"""Protocols of continuous labels."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Distances = NDArray[np.float32]
Rows = NDArray[np.int64]


@runtime_checkable
class BoundedDistances(Protocol):
    """Expensive label distances with cheap lower bounds."""

    def lower_bounds(self, rows: Rows, columns: Rows) -> Distances | None:
        """Lower bounds (r, c) of `LabelDistances.between`, or None."""
        ...


class LabelDistances(Protocol):
    """Label distances of n images, computed on demand, so that no (n, n) matrix is needed.

    Attributes:
        unit: of the distances, for axes: "px", "degrees"; empty if they have none.
    """

    @property
    def unit(self) -> str: ...

    def __len__(self) -> int: ...

    def between(self, rows: Rows, columns: Rows) -> Distances:
        """Distances (r, c), float32, 0 or more, symmetric, 0 from an image to itself."""
        ...
