"""Align two spaces, so that only changed images move."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import row_slices
from likeness.comparisons.random_projections import check_same_images
from likeness.projection import align, pca_map
from likeness.space import Space

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Alignment:
    """Space B rotated onto space A.

    Attributes:
        by: what was turned: "vectors", the whole vectors (n, d), or "maps", the PCA maps (n, 2).
        a, b: places of each image in A, and in B after the turn.
        moved: (n,), distance between both, in units of the root mean square distance of the places in A from their mean.
    """

    by: Literal["vectors", "maps"]
    a: Floats
    b: Floats
    moved: NDArray[np.float64]


def align_spaces(a: Space, b: Space) -> Alignment:
    """Turns B onto A by orthogonal Procrustes (Schoenemann, Psychometrika 1966): R = U V^T with B^T A = U S V^T minimizes |B R - A|.

    Spaces of equal dimensions are aligned by their vectors, with rotation and reflection only, so that they keep unit length. Otherwise the PCA maps
    are aligned (`likeness.projection.align`: rotation, reflection, translation and scale), and `moved` only reflects changes visible on the maps.
    `neighborhood_changes` needs no alignment. InputError: spaces of other images.

    Example:
        >>> import likeness as lk
        >>> raw = lk.embed(lk.read("cars"), "cars")
        >>> turned = raw.replace(vectors=raw.vectors[:, ::-1])
        >>> found = align_spaces(raw, turned)
        >>> found.by, bool(found.moved.max() < 1e-3)
        ('vectors', True)
    """
    check_same_images(a, b)
    if a.vectors.shape[1] != b.vectors.shape[1]:
        place = pca_map(a.vectors)
        turned = align(pca_map(b.vectors), place)
        return Alignment("maps", place, turned, moved_by(place, turned))
    from scipy.linalg import orthogonal_procrustes

    dim = a.vectors.shape[1]
    both = np.zeros((dim, dim))  # B^T A, in float64 and in parts, since vectors may be memory-mapped
    for part in row_slices(*a.vectors.shape):
        both += b.vectors[part].astype(np.float64).T @ a.vectors[part].astype(np.float64)
    rotation, _ = orthogonal_procrustes(np.eye(dim), both)
    turned = np.asarray(b.vectors @ rotation.astype(np.float32))
    return Alignment("vectors", a.vectors, turned, moved_by(a.vectors, turned))


def moved_by(before: Floats, after: Floats) -> NDArray[np.float64]:
    """Distance (n,) of positions (n, d) before and after, divided by the root mean square distance of those before from their mean."""
    distances, center, spread = np.empty(len(before)), before.mean(axis=0, dtype=np.float64), 0.0
    for part in row_slices(*before.shape):
        place = before[part].astype(np.float64)
        distances[part] = np.linalg.norm(after[part] - place, axis=1)
        spread += float(np.square(place - center).sum())
    return distances / np.sqrt(spread / len(before)) if spread > 0 else distances
