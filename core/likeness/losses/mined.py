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
        pairs: it compares rows, so that a batch without two of one class has nothing to compare.
    """

    def __init__(self, loss: Callable[..., Any], miner: Mine | None = None, *, pairs: bool = False) -> None:
        super().__init__()
        self.loss, self.miner, self.pairs = loss, miner, pairs

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """The loss of a batch, in float32 at least; 0, with a gradient of 0, where it has no tuple."""
        embeddings = embeddings.float() if embeddings.dtype.itemsize < 4 else embeddings
        tuples = self.miner(embeddings, labels) if self.miner else None
        if (tuples is not None and not len(tuples[0])) or (self.pairs and tuples is None and bool(labels.sort().values.diff().all())):
            return 0 * embeddings.sum()
        found: Tensor = self.loss(embeddings, labels, tuples)
        return found
