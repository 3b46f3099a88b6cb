"""Which tuples of a batch are compared, and which images make a batch."""

from likeness.miners.distance_weighted import distance_weighted_triplets, negative_probabilities

__all__ = ["distance_weighted_triplets", "negative_probabilities"]
