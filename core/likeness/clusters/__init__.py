"""Clusters of images at several depths, and their names."""

from likeness.clusters.cluster import Clusters as Clusters, cluster as cluster
from likeness.clusters.name_clusters import (
    ClusterName as ClusterName,
    ClusterNames as ClusterNames,
    name_clusters as name_clusters,
    names_from_shares as names_from_shares,
)
from likeness.clusters.places import (
    cluster_table as cluster_table,
    densest as densest,
    group_table as group_table,
    with_cluster_names as with_cluster_names,
)
from likeness.clusters.word_choice import (
    WordChoice as WordChoice,
    notion_choice as notion_choice,
    noun_choice as noun_choice,
    own_choice as own_choice,
    photo_nouns as photo_nouns,
)
from likeness.clusters.word_shares import LOOKED_AT as LOOKED_AT, TableShares as TableShares, TextShares as TextShares, WordShares as WordShares
