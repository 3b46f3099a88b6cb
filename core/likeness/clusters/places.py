"""Tables of clusters, with label positions on a map."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.clusters.cluster import Clusters
from likeness.clusters.name_clusters import ClusterName, ClusterNames
from likeness.data import ImageTable, free_name
from likeness.errors import InputError

_MOST = 500  # images of a cluster among which the densest place is looked for


def densest(points: NDArray[Any]) -> NDArray[np.float64]:
    """Of some points (n, 2) the one around which most others lie, (2,); those without a place (NaN) do not count, and NaN where none has one.

    It has the largest sum of Gaussians around all points, as wide as a fourth of their median distance to their middle: a place where a name stands
    on images even if the points form a ring or two islands, which a mean does not.

    Example:
        >>> densest(np.array([[0, 0], [0, 1], [1, 0], [50, 50]])).tolist()
        [0.0, 0.0]
    """
    placed = np.asarray(points, np.float64)
    placed = placed[np.isfinite(placed).all(axis=1)]
    if not len(placed):
        return np.full(2, np.nan)
    chosen = placed[:: -(-len(placed) // _MOST)]
    width = np.median(np.linalg.norm(chosen - np.median(chosen, axis=0), axis=1)) / 4
    if width <= 0:
        width = np.abs(chosen - chosen[0]).max() or 1.0
    squares = ((chosen[:, None] - chosen[None]) ** 2).sum(axis=2)
    place: NDArray[np.float64] = chosen[np.exp(-squares / (2 * width**2)).sum(axis=1).argmax()]
    return place


def cluster_table(clusters: Clusters, names: ClusterNames | None = None, positions: Any = None) -> pd.DataFrame:
    """A row for each cluster at each depth, coarse first, the largest first at each depth, with names and places on a map (n, 2) where these are
    given.

    Returns:
        Columns depth (from 0), cluster (its number at that depth), parent (number at the depth above, -1 for none), name ("" for none), words (up to
        three, joined by ", "), confidence (NaN without names), count, x and y (NaN without a map).

    Raises:
        InputError: names or positions of other clusters or images.
    """
    if positions is not None and np.shape(positions) != (len(clusters), 2):
        raise InputError(f"The map has shape {np.shape(positions)}, but the clusters are of {len(clusters)} images; pass their map.")
    if names is not None and [len(each) for each in names.depths] != [len(each) for each in clusters.parents]:
        raise InputError("The names are those of other clusters; name these.")
    rows = []
    for depth, parents in enumerate(clusters.parents):
        counts = clusters.counts(depth)
        places = _places(clusters.labels[:, depth], len(parents), positions)
        for number in np.argsort(-counts, kind="stable"):
            name = names.depths[depth][number] if names else ClusterName("", np.nan, ())
            rows.append((depth, number, parents[number], name.name, ", ".join(name.words), name.confidence, counts[number], *places[number]))
    return pd.DataFrame(rows, columns=["depth", "cluster", "parent", "name", "words", "confidence", "count", "x", "y"])


def group_table(codes: NDArray[Any], names: Sequence[str], positions: Any) -> pd.DataFrame:
    """As `cluster_table`, for groups that are known, such as the values of an attribute: one depth, the largest group first, empty ones left out.

    Args:
        codes: (n,) the number of each image's group in `names`; others, such as -1, are of no group.
        positions: (n, 2), the map on which the names are to stand.

    Raises:
        InputError: positions of other images.

    Example:
        >>> group_table(np.array([0, 1, 1, -1]), ["cat", "dog"], np.array([[0, 0], [5, 5], [5, 6], [9, 9]]))[["name", "count", "x"]].values.tolist()
        [['dog', 2, 5.0], ['cat', 1, 0.0]]
    """
    codes = np.asarray(codes)
    if np.shape(positions) != (len(codes), 2):
        raise InputError(f"The map has shape {np.shape(positions)}, but the groups are of {len(codes)} images; pass their map.")
    known = np.where((codes >= 0) & (codes < len(names)), codes, len(names)).astype(np.int64)
    counts = np.bincount(known, minlength=len(names) + 1)[:-1]
    places = _places(known, len(names), positions)
    rows = [(0, int(each), -1, str(names[each]), int(counts[each]), *places[each]) for each in np.argsort(-counts, kind="stable") if counts[each]]
    return pd.DataFrame(rows, columns=["depth", "cluster", "parent", "name", "count", "x", "y"])


def _places(labels: NDArray[np.int64], count: int, positions: Any) -> NDArray[np.float64]:
    """The densest place (count, 2) of each cluster, NaN without a map."""
    if positions is None:
        return np.full((count, 2), np.nan)
    order = np.argsort(labels, kind="stable")
    begins = np.searchsorted(labels[order], np.arange(count + 1))
    points = np.asarray(positions)[order]
    return np.array([densest(points[begin:end]) for begin, end in pairwise(begins)]).reshape(count, 2)


def with_cluster_names(table: ImageTable, clusters: Clusters, names: ClusterNames | None = None) -> ImageTable:
    """The images with a column for each depth, "cluster 1" (coarsest), "cluster 2" and so on: what the image's cluster is called.

    A cluster without a name is "unnamed" and its number at that depth, from 1, so that each cluster has another value. Attributes that are there stay
    as they are: beside one that is called "cluster 1" the new one is "cluster 1 (found)".

    Raises:
        InputError: clusters or names of other images.
    """
    if len(table) != len(clusters):
        raise InputError(f"There are clusters of {len(clusters)} images, but '{table.name}' has {len(table)}; pass the images they were found in.")
    columns: dict[str, Any] = {}
    for depth, parents in enumerate(clusters.parents):
        own = [each.name for each in names.depths[depth]] if names else [""] * len(parents)
        texts = pd.Series([name or f"unnamed {number + 1}" for number, name in enumerate(own)], dtype=object)
        columns[free_name(f"cluster {depth + 1}", {*table.frame.columns}, "found")] = texts.to_numpy()[clusters.labels[:, depth]]
    return replace(table, frame=table.frame.assign(**columns))
