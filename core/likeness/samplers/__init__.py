"""Which tuples of a batch are compared, and which images make a batch. Importing this needs no torch."""

from likeness.samplers.class_relations import intra_triplets, random_label_triplets, shared_triplets
from likeness.samplers.distance_weighted import distance_weighted_triplets, inverse_density, negative_probabilities
from likeness.samplers.m_per_class_batches import MPerClassBatches
from likeness.samplers.miner import Mine, Miner
from likeness.samplers.neighbor_batches import NeighborBatches
from likeness.samplers.registry import MINERS, check_miner, make_miner
from likeness.samplers.rho_triplets import check_rho, rho_triplets

__all__ = [
    "MINERS",
    "MPerClassBatches",
    "Mine",
    "Miner",
    "NeighborBatches",
    "check_miner",
    "check_rho",
    "distance_weighted_triplets",
    "intra_triplets",
    "inverse_density",
    "make_miner",
    "negative_probabilities",
    "random_label_triplets",
    "rho_triplets",
    "shared_triplets",
]
