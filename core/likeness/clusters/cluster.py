"""Nested clusters of images at several depths, coarse to fine."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows
from likeness.errors import InputError
from likeness.space import Space

SAMPLE = 10_000
_DIM = 10
_COARSEST, _FINER, _FEWEST = 25, 3, 5  # the smallest cluster at depth 0 is 1/25 of the images, at each further depth a third of that, at least 5
_NEIGHBORS = 5  # whose distance says how dense it is around an image

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Clusters:
    """Nested clusters at several depths, coarse to fine.

    Attributes:
        labels: (n, depths) the number of each image's cluster at each depth, counted from 0 at every depth.
        core: (n, depths) whether the image is in a dense region of the cluster; False: it was noise and got the cluster of its nearest neighbor.
        parents: for each depth, (clusters at that depth,) the number of the cluster one depth above that it lies in; -1 at depth 0.
    """

    labels: Labels
    core: NDArray[np.bool_]
    parents: tuple[Labels, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def depths(self) -> int:
        """How many depths there are."""
        return len(self.parents)

    def counts(self, depth: int) -> Labels:
        """Images (clusters,) of each cluster at a depth."""
        return np.bincount(self.labels[:, depth], minlength=len(self.parents[depth]))


def cluster(space_or_points: Space | Any, depths: int = 3, *, smallest: Sequence[int] | None = None, seed: int = 0, sample: int = SAMPLE) -> Clusters:
    """Clusters of the images of a space, or of points, at several depths that nest.

    A space is first reduced to 10 dimensions by UMAP (`likeness.projection.umap_points`), because densities mean little in hundreds of dimensions.
    Each depth takes the leaves of scikit-learn's HDBSCAN (Campello, Moulavi and Sander 2013) with another minimum cluster size. They are subtrees of
    one hierarchy, and a leaf of a smaller minimum size contains none of a larger, so they nest. Noise joins the finest cluster of its nearest
    clustered neighbor. Compared with other methods by `python -m experiments.analyses cluster-names`.

    Args:
        space_or_points: a `Space`, or points (n, r), such as a map (n, 2), that are clustered as they lie, by Euclidean distance.
        depths: maximum number; depths without a further split are omitted.
        smallest: minimum cluster size at each depth, decreasing, at least 2; None: a 25th of the images, then a third of that, and so on.
        seed: of UMAP and of the sample.
        sample: maximum number of images to cluster; others join the cluster of the nearest sampled one.

    Raises:
        InputError: no depth, sizes that do not fall or do not fit in number, a sample below 10, or points that are not finite.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> centers = np.array([[0, 0], [0, 4], [30, 0], [30, 4]])
        >>> found = cluster(np.repeat(centers, 50, axis=0) + rng.normal(size=(200, 2)) / 3, smallest=[80, 20])
        >>> [len(parents) for parents in found.parents], found.parents[1]
        ([2, 4], array([0, 0, 1, 1]))
    """
    vectors = getattr(space_or_points, "vectors", None)
    rows = checked_rows(space_or_points if vectors is None else vectors, "The points")
    if sample < 2 * _FEWEST:
        raise InputError(f"The sample is {sample}; take at least {2 * _FEWEST} images.")
    chosen = np.arange(len(rows))
    if len(rows) > sample:
        chosen = np.sort(np.random.default_rng(seed).permutation(len(rows))[:sample])
    sizes = _sizes(len(chosen), depths) if smallest is None else _checked_sizes(smallest)
    known = np.asarray(rows[chosen])
    found = _nested(_points(known, seed) if vectors is not None else known, sizes)
    if len(chosen) == len(rows):
        return found
    nearest = _nearest(rows, known, vectors is not None)
    nearest[chosen] = np.arange(len(chosen))  # those of the sample keep theirs
    return Clusters(found.labels[nearest], found.core[nearest], found.parents)


def _points(vectors: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    from likeness.projection import umap_points

    kept = np.abs(vectors).max(axis=1) > 0  # a notion's space may have rows that it makes zero
    points = np.zeros((len(vectors), min(_DIM, vectors.shape[1], max(int(kept.sum()), 1))), np.float32)
    if kept.any():
        points[kept] = umap_points(vectors[kept], _DIM, seed)
    return points


def _sizes(count: int, depths: int) -> list[int]:
    if depths < 1:
        raise InputError(f"{depths} depths were asked for; take at least 1.")
    sizes = [max(count // (_COARSEST * _FINER**depth), _FEWEST) for depth in range(depths)]
    return list(dict.fromkeys(sizes))


def _checked_sizes(smallest: Sequence[int]) -> list[int]:
    sizes = [int(size) for size in smallest]
    if not sizes or min(sizes) < 2 or any(later >= earlier for earlier, later in pairwise(sizes)):
        raise InputError(f"The smallest clusters are {sizes}; give for each depth a number of at least 2, each below the one before.")
    return sizes


def _nested(points: NDArray[np.float32], sizes: Sequence[int]) -> Clusters:
    leaves = [found for size in sizes if (found := _leaves(points, size)).max() > 0] or [np.zeros(len(points), np.int64)]
    whole = [_follow_neighbor(points, found) for found in leaves]
    labels, core, parents = [whole[-1]], [leaves[-1] >= 0], list[Labels]()
    # from fine to coarse: each coarse cluster is defined as a union of fine ones, so that depths nest exactly
    for coarse, leaf in zip(whole[-2::-1], leaves[-2::-1], strict=True):
        names, own = np.unique(_majority(labels[0], coarse), return_inverse=True)
        if 1 < len(names) < len(own):  # else nothing is divided, here or further
            parents.insert(0, own.astype(np.int64))
            labels.insert(0, own[labels[0]].astype(np.int64))
            core.insert(0, leaf >= 0)
    parents.insert(0, np.full(labels[0].max() + 1, -1, np.int64))
    return Clusters(np.column_stack(labels), np.column_stack(core), tuple(parents))


def _leaves(points: NDArray[np.float32], size: int) -> Labels:
    """HDBSCAN's leaves, -1 for noise."""
    from sklearn.cluster import HDBSCAN

    # too few points for two clusters, or all of them equal, which HDBSCAN does not accept
    if len(points) < 2 * size or not np.ptp(points, axis=0).any():
        return np.full(len(points), -1, np.int64)
    model = HDBSCAN(min_cluster_size=size, min_samples=min(_NEIGHBORS, len(points)), cluster_selection_method="leaf", copy=True)
    return np.asarray(model.fit(points).labels_, np.int64)


def _follow_neighbor(points: NDArray[np.float32], found: Labels) -> Labels:
    """Assigns noise to the cluster of the nearest clustered point."""
    known, left = np.flatnonzero(found >= 0), np.flatnonzero(found < 0)
    out = found.copy()
    if len(known) and len(left):
        out[left] = found[known[_nearest(points[left], points[known], unit=False)]]
    return out


def _majority(fine: Labels, coarse: Labels) -> Labels:
    """For each fine cluster the coarse one that most of its images lie in."""
    table = np.zeros((fine.max() + 1, coarse.max() + 1), np.int64)
    np.add.at(table, (fine, coarse), 1)
    return np.asarray(table.argmax(axis=1), np.int64)


def _nearest(rows: NDArray[np.float32], known: NDArray[np.float32], unit: bool) -> Labels:
    if unit:
        from likeness.search import scan

        return scan(known, rows, 1).rows[:, 0]  # which takes rows of zeros, unlike `nearest`
    from scipy.spatial import KDTree

    return np.asarray(KDTree(known).query(rows)[1], np.int64)
