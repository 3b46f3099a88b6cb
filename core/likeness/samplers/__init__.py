"""Which tuples of a batch are compared, and which images make a batch. Importing this needs no torch."""

from likeness.samplers.class_relations import (
    intra_triplets as intra_triplets,
    random_label_triplets as random_label_triplets,
    shared_triplets as shared_triplets,
)
from likeness.samplers.distance_weighted import (
    distance_weighted_triplets as distance_weighted_triplets,
    inverse_density as inverse_density,
    negative_probabilities as negative_probabilities,
)
from likeness.samplers.m_per_class_batches import MPerClassBatches as MPerClassBatches
from likeness.samplers.miner import Mine as Mine, Miner as Miner
from likeness.samplers.neighbor_batches import NeighborBatches as NeighborBatches
from likeness.samplers.registry import MINERS as MINERS, check_miner as check_miner, make_miner as make_miner
from likeness.samplers.rho_triplets import check_rho as check_rho, rho_triplets as rho_triplets
