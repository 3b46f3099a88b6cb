"""Clusters and their names as columns of a table of images."""

from dataclasses import replace
from typing import Any

import pandas as pd

from likeness.clusters.cluster import Clusters
from likeness.clusters.name_clusters import ClusterNames
from likeness.data import ImageTable, free_name
from likeness.errors import InputError


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
