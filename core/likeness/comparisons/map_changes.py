"""Changes of image positions between the maps of two spaces, and the noise of the layout."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.comparisons.alignment import moved_by
from likeness.comparisons.neighborhoods import shared
from likeness.comparisons.random_projections import check_same_images
from likeness.errors import InputError
from likeness.projection import align, method_named
from likeness.space import Space

Positions = NDArray[np.float32]


@dataclass(frozen=True)
class MapChanges:
    """The maps of two spaces, aligned, beside two maps of the first one.

    Attributes:
        a, b, again: maps (n, 2) of space A, of B, aligned to it, and of A with another seed, aligned to it.
        moved, kept: (n,), distance between `a` and `b` (`Alignment.moved`), and share of the k nearest on `a` that are among the k nearest on `b`.
        moved_noise, kept_noise: (n,), the same between `a` and `again`.
    """

    a: Positions
    b: Positions
    again: Positions
    moved: NDArray[np.float64]
    kept: NDArray[np.float64]
    moved_noise: NDArray[np.float64]
    kept_noise: NDArray[np.float64]

    def frame(self) -> pd.DataFrame:
        """A row per image, most moved first (by the share kept, then by distance): row, kept, kept_noise, moved, moved_noise."""
        names = ("kept", "kept_noise", "moved", "moved_noise")
        found = pd.DataFrame({"row": np.arange(len(self.a))} | {name: getattr(self, name) for name in names})
        return found.iloc[np.lexsort((-self.moved, self.kept))].reset_index(drop=True)


def map_changes(a: Space, b: Space, method: str = "umap", k: int = 10, **parameters: Any) -> MapChanges:
    """Lays out both spaces, and the first one again with another seed, and aligns the maps (`likeness.projection.align`).

    Neighbors on a map are those at the smallest distance. A method without random choices (PCA) gives the same map again: its noise is zero.
    InputError: spaces of other images, an unknown method, or k out of range.

    Args:
        method: of `likeness.projection.METHODS`; `parameters` are its own.
        k: neighbors that count, 1 to n - 1.

    Example:
        >>> import likeness as lk
        >>> raw = lk.embed(lk.read("cars"), "cars")
        >>> found = map_changes(raw, raw, "pca", k=5)
        >>> float(found.kept.mean()), float(found.kept_noise.mean())
        (1.0, 1.0)
    """
    check_same_images(a, b)
    described = method_named(method)
    if not 1 <= k < len(a):
        raise InputError(f"k is {k}, but each of the {len(a)} images has {len(a) - 1} others; choose k from 1 to that.")
    lay_out = described.function
    first = lay_out(a.vectors, 0, **parameters)
    second = align(lay_out(b.vectors, 0, **parameters), first)
    again = align(lay_out(a.vectors, 1, **parameters), first) if described.seeded else first
    near = _nearest(first, k)
    change, noise = ((moved_by(first, other), shared(near, _nearest(other, k))) for other in (second, again))
    return MapChanges(first, second, again, *change, *noise)


def _nearest(positions: Positions, k: int) -> NDArray[np.int64]:
    """The k nearest positions of each (n, k), excluding itself, also among coinciding points."""
    from scipy.spatial import cKDTree

    rows = np.arange(len(positions))
    found = np.asarray(cKDTree(positions).query(positions, k + 1)[1])
    own = found == rows[:, None]
    own[~own.any(axis=1), -1] = True  # more than k others on its place: the last of them goes in its stead
    return np.asarray(found[~own].reshape(len(positions), k))
