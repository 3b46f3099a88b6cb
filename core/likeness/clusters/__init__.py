"""Clusters of images at several depths, and their names."""

from likeness.clusters.cluster import Clusters, cluster
from likeness.clusters.name_clusters import ClusterName, ClusterNames, name_clusters, names_from_shares
from likeness.clusters.name_columns import with_cluster_names
from likeness.clusters.name_match import MATCHES, name_match, too_general
from likeness.clusters.places import cluster_table, densest, group_table, without_overlap
from likeness.clusters.word_choice import WordChoice, notion_choice, noun_choice, own_choice
from likeness.clusters.word_shares import LOOKED_AT, TableShares, TextShares, WordShares

__all__ = [
    "LOOKED_AT",
    "MATCHES",
    "ClusterName",
    "ClusterNames",
    "Clusters",
    "TableShares",
    "TextShares",
    "WordChoice",
    "WordShares",
    "cluster",
    "cluster_table",
    "densest",
    "group_table",
    "name_clusters",
    "name_match",
    "names_from_shares",
    "notion_choice",
    "noun_choice",
    "own_choice",
    "too_general",
    "with_cluster_names",
    "without_overlap",
]
