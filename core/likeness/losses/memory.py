"""A memory of earlier batches, with which the current one is compared, too (XBM: Wang et al., CVPR 2020)."""

from typing import Any

from pytorch_metric_learning.losses import CrossBatchMemory
from pytorch_metric_learning.miners import BaseMiner
from torch import nn

from likeness.errors import InputError
from likeness.losses.mined import Mined


class Memory(CrossBatchMemory):  # type: ignore[misc]
    """pytorch-metric-learning's memory, whose place in the queue is in checkpoints, beside its buffers."""

    def get_extra_state(self) -> dict[str, Any]:
        return {"queue_idx": self.queue_idx, "has_been_filled": self.has_been_filled}

    def set_extra_state(self, state: dict[str, Any]) -> None:
        self.queue_idx, self.has_been_filled = state["queue_idx"], state["has_been_filled"]


def with_memory(objective: nn.Module, dim: int, size: int) -> Memory:
    """The objective on the pairs or triplets of a batch (n, dim) with the last `size` embeddings, the batch among them, as they were when they were
    computed; all of them, or those of a miner of pytorch-metric-learning. InputError: a loss that compares no pairs of two sets.
    """
    loss = objective.loss if isinstance(objective, Mined) else objective
    if type(loss).__name__ not in (known := Memory.supported_losses()):
        raise InputError(f"A memory takes a loss of pairs or triplets of pytorch-metric-learning, such as contrastive: {', '.join(known)}.")
    miner = objective.miner if isinstance(objective, Mined) and isinstance(objective.miner, BaseMiner) else None
    return Memory(loss, dim, size, miner)
