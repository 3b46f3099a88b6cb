"""Clusters of images at several depths."""

from likeness.clusters.cluster import Clusters, cluster

__all__ = ["Clusters", "cluster"]
