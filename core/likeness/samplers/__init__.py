"""Which tuples of a batch are compared, and which images make a batch."""

from likeness.samplers.batches import ClassBatches
from likeness.samplers.class_relations import intra_triplets, shared_triplets
from likeness.samplers.distance_weighted import distance_weighted_triplets, inverse_density, negative_probabilities
from likeness.samplers.neighbours import NeighbourBatches
from likeness.samplers.rho_triplets import rho_triplets

__all__ = [
    "ClassBatches",
    "NeighbourBatches",
    "distance_weighted_triplets",
    "intra_triplets",
    "inverse_density",
    "negative_probabilities",
    "rho_triplets",
    "shared_triplets",
]
