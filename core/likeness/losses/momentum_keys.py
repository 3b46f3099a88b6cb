"""Keys for contrastive learning: from a slow copy of the network, the latest kept in a queue (MoCo; He et al., CVPR 2020)."""

from copy import deepcopy

import torch
from torch import Tensor, nn


class MomentumKeys(nn.Module):
    """A momentum copy of a network, and a queue of its embeddings of earlier batches; both are in the state, neither is trained.

    Args:
        network: inputs -> an object with `embeddings` (n, d); it is not part of this module.
        momentum: m; a step of the copy's weights is m * its own + (1 - m) * the network's.
        size: keys in the queue, which is empty at first.
        dim: of a key.

    Attributes:
        copy: always in evaluation mode; its buffers, such as batch norm statistics, are the network's.
        queue: (size, dim).
        seen: how many keys were ever put into it; the name is that in the checkpoints of runs.
    """

    queue: Tensor
    seen: Tensor

    def __init__(self, network: nn.Module, momentum: float, size: int, dim: int) -> None:
        super().__init__()
        self.copy, self.momentum = deepcopy(network).requires_grad_(False), momentum
        self._followed = (network,)  # in a tuple it is no submodule
        place = next(network.parameters())
        self.register_buffer("queue", place.new_zeros(size, dim))
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64, device=place.device))
        self.train(self.training)

    @torch.no_grad()
    def follow(self) -> None:
        """A step of the copy towards the network."""
        (network,) = self._followed
        for ours, theirs in zip(self.copy.parameters(), network.parameters(), strict=True):
            ours.lerp_(theirs, 1 - self.momentum)
        for kept, new in zip(self.copy.buffers(), network.buffers(), strict=True):
            kept.copy_(new)

    @torch.no_grad()
    def embeddings(self, inputs: Tensor) -> Tensor:
        """The copy's embeddings (n, d) of inputs."""
        found: Tensor = self.copy(inputs).embeddings
        return found

    def queued(self) -> Tensor:
        """The current keys in the queue, (k, dim)."""
        return self.queue[: int(self.seen)].clone()

    @torch.no_grad()
    def enqueue(self, keys: Tensor) -> None:
        """Adds keys (n, dim) to the queue in place of the oldest."""
        places = (self.seen + torch.arange(len(keys), device=keys.device)) % len(self.queue)
        self.queue[places] = keys.to(self.queue.dtype)
        self.seen += len(keys)

    def train(self, mode: bool = True) -> "MomentumKeys":
        """As usual, but the copy stays in evaluation mode."""
        super().train(mode)
        self.copy.eval()
        return self
