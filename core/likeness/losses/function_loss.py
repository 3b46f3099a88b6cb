"""A loss that is a plain function, as a module."""

from collections.abc import Callable

from torch import Tensor, nn


class FunctionLoss(nn.Module):
    """(embeddings (n, d), labels) -> scalar; the labels are what the function reads, class numbers (n,) or label distances (a, n)."""

    def __init__(self, loss: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.loss = loss

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """The loss of a batch."""
        return self.loss(embeddings, labels)
