"""What changed between two spaces of the same images, or between two versions of a dataset, beside what is noise."""

from likeness.comparisons.alignment import Alignment, align_spaces
from likeness.comparisons.map_changes import MapChanges, map_changes
from likeness.comparisons.neighborhoods import NeighborhoodChanges, neighborhood_changes
from likeness.comparisons.queries import SCORES, QueryChanges, query_changes
from likeness.comparisons.random_projections import random_projections
from likeness.comparisons.version_distances import version_distances, version_values
from likeness.comparisons.versions import STATES, VersionChanges, version_changes

__all__ = [
    "SCORES",
    "STATES",
    "Alignment",
    "MapChanges",
    "NeighborhoodChanges",
    "QueryChanges",
    "VersionChanges",
    "align_spaces",
    "map_changes",
    "neighborhood_changes",
    "query_changes",
    "random_projections",
    "version_changes",
    "version_distances",
    "version_values",
]
