"""Compare two spaces of the same images, or two versions of a dataset, with noise baselines."""

from likeness.comparisons.neighborhoods import NeighborhoodChanges as NeighborhoodChanges, neighborhood_changes as neighborhood_changes
from likeness.comparisons.queries import SCORES as SCORES, QueryChanges as QueryChanges, query_changes as query_changes
from likeness.comparisons.two_sample import TwoSample as TwoSample, two_sample_test as two_sample_test
from likeness.comparisons.version_drift import drift_sentence as drift_sentence, version_drift as version_drift
from likeness.comparisons.versions import VersionChanges as VersionChanges, version_changes as version_changes, version_values as version_values
