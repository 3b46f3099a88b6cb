"""Which tuples of a batch are compared, and which images make a batch."""

from likeness.miners.batches import ClassBatches
from likeness.miners.class_relations import intra_triplets, shared_triplets
from likeness.miners.distance_weighted import distance_weighted_triplets, inverse_density, negative_probabilities
from likeness.miners.neighbours import NeighbourBatches
from likeness.miners.rho_triplets import rho_triplets

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
