"""A loss on the tuples that a miner picks."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from likeness.samplers import Mine


class Mined(nn.Module):
    """(embeddings (n, d), labels (n,)) -> scalar, of a loss as pytorch-metric-learning has them: (embeddings, labels, tuples) -> scalar.

    Args:
        loss: on the tuples; a module's parameters are those of this one.
        miner: (embeddings, labels) -> tuples of row numbers; None: the loss takes all that a batch has.
    """

    def __init__(self, loss: Callable[..., Any], miner: Mine | None = None) -> None:
        super().__init__()
        self.loss, self.miner = loss, miner

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """The loss of a batch; 0, with a gradient of 0, where it has no tuple."""
        tuples = self.miner(embeddings, labels) if self.miner else None
        if tuples is not None and not len(tuples[0]):
            return 0 * embeddings.sum()
        found: Tensor = self.loss(embeddings, labels, tuples)
        return found
