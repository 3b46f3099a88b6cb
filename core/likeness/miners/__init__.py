"""Which tuples of a batch are compared, and which images make a batch."""

from likeness.miners.batches import ClassBatches
from likeness.miners.distance_weighted import distance_weighted_triplets, negative_probabilities

__all__ = ["ClassBatches", "distance_weighted_triplets", "negative_probabilities"]
