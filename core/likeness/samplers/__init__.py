"""Miners, which pick tuples of a batch, and samplers, which make batches. Importing this needs no torch."""

from likeness.samplers.class_relations import (
    intra_triplets as intra_triplets,
    random_label_triplets as random_label_triplets,
    shared_triplets as shared_triplets,
)
from likeness.samplers.distance_weighted import (
    distance_weighted_triplets as distance_weighted_triplets,
    inverse_density as inverse_density,
    rho_triplets as rho_triplets,
)
from likeness.samplers.hard_class_batches import HardClassBatches as HardClassBatches
from likeness.samplers.m_per_class_batches import MPerClassBatches as MPerClassBatches
from likeness.samplers.miner import Mine as Mine
from likeness.samplers.neighbor_batches import NeighborBatches as NeighborBatches
from likeness.samplers.pml_names import PML as PML, pml_class as pml_class
from likeness.samplers.registry import MINERS as MINERS, check_miner as check_miner, make_miner as make_miner
from likeness.samplers.shuffled_batches import ShuffledBatches as ShuffledBatches
