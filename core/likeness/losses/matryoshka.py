"""Embeddings whose first dimensions are embeddings, too (Kusupati et al., NeurIPS 2022)."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from likeness.errors import InputError
from likeness.losses.wrapper_options import MATRYOSHKA_DIMS


class Matryoshka(nn.Module):
    """The mean of an objective on the whole embedding and on its first `dims` dimensions, each scaled to unit length.

    Args:
        make: dim -> objective on embeddings (n, dim).
        dim: d of the whole embedding.
        dims: below d, in any order; InputError for others.
    """

    def __init__(self, make: Callable[[int], nn.Module], dim: int, dims: Sequence[int] = MATRYOSHKA_DIMS) -> None:
        super().__init__()
        if not dims or min(dims) < 2 or max(dims) >= dim:
            raise InputError(f"Parts of {', '.join(map(str, dims))} dimensions do not fit an embedding of {dim}; choose some from 2 to {dim - 1}.")
        self.dims = (*sorted(set(dims)), dim)
        self.objectives = nn.ModuleList(make(each) for each in self.dims)

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """Loss of embeddings (n, d) and labels (n,)."""
        parts = (normalize(embeddings[:, :each], dim=1) for each in self.dims)
        return torch.stack([objective(part, labels) for objective, part in zip(self.objectives, parts, strict=True)]).mean()
