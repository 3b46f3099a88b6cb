"""Adversarial separation: two embeddings learn not to tell of each other (Milbich et al., ECCV 2020, DiVA)."""

from torch import Tensor, nn
from torch.nn.functional import normalize

from likeness.losses.reversal import reversed_gradient


class Separation(nn.Module):
    """loss = -c, with c = mean over rows and dimensions of (target * unit(network(source)))^2, the squared correlation.

    The network learns to make c large; source and target, through reversed gradients, to make it small.

    Args:
        dim: d, of both embeddings.
        hidden: width of the network's inner layer.
    """

    def __init__(self, dim: int, hidden: int = 512) -> None:
        super().__init__()
        self.network = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """The loss of a batch: two times (n, d), unit rows."""
        guessed = normalize(self.network(reversed_gradient(source)), dim=1)
        return -((reversed_gradient(target) * guessed) ** 2).mean()
