"""Baselines of the InDiReCT paper (section 4.2) that learn nothing."""

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.arrays import checked_rows, like, unit_rows
from likeness.errors import InputError
from likeness.notions.fading import START_DEVIATION
from likeness.notions.method import NotionMethod
from likeness.notions.projection import LinearProjection

if TYPE_CHECKING:
    import torch


class Identity:
    """The raw encoder ("CLIP" in the paper): images scaled to unit length."""

    def fit(self, text: Any) -> "Identity":
        """Learns nothing; ignores the text."""
        return self

    def transform(self, images: Any) -> Any:
        """(m, r) -> (m, r) unit rows, of the kind that came in."""
        return like(images)(unit_rows(checked_rows(images, "The image embeddings", None), "The image embeddings"))

    def transform_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        """Like `transform`, with gradients: (m, r) -> (m, r) unit rows."""
        import torch

        return torch.nn.functional.normalize(rows, dim=1)


class RandomEmbedding:
    """Lower bound: a random vector for each image, uniform on the sphere; the seed determines those of rows 0, 1, ..."""

    def __init__(self, dim: int = 128, seed: int = 0) -> None:
        self.dim, self.seed = dim, seed

    def fit(self, text: Any) -> "RandomEmbedding":
        """Learns nothing; ignores the text."""
        _check_dim(self.dim)
        return self

    def transform(self, images: Any) -> Any:
        """(m, r) -> (m, dim) unit rows, of the kind that came in."""
        _check_dim(self.dim)
        m = len(checked_rows(images, "The image embeddings", None))
        # the normal distribution is isotropic, so its direction is uniform
        return like(images)(unit_rows(np.random.default_rng(self.seed).standard_normal((m, self.dim)), "The image embeddings"))


class RandomTransform(LinearProjection):
    """InDiReCT without learning: U (r, dim) stays as initialized, N(0, 0.1)."""

    def __init__(self, dim: int = 128, seed: int = 0) -> None:
        self.dim, self.seed = dim, seed

    def fit(self, text: Any) -> "RandomTransform":
        """Draws U for text embeddings (n, r); only r matters."""
        _check_dim(self.dim)
        r = checked_rows(text, "The prompt embeddings", None).shape[1]
        self.U = like(text)(np.random.default_rng(self.seed).normal(0, START_DEVIATION, (r, self.dim)))
        return self


def _check_dim(dim: int) -> None:
    if not isinstance(dim, (int, np.integer)) or dim < 1:
        raise InputError(f"dim is {dim!r}; choose a whole number of at least 1.")


RANDOM_EMBEDDING = NotionMethod(
    "random",
    "Random",
    "Random vectors, unrelated to the images: chance level.",
    RandomEmbedding,
    learns_from="nothing",
)
IDENTITY = NotionMethod(
    "raw",
    "Raw encoder",
    "The encoder without the notion: the baseline of all differences.",
    lambda dim, seed: Identity(),
    learns_from="nothing",
    seeds=False,
    dims=False,
)
RANDOM_TRANSFORM = NotionMethod(
    "random-transform",
    "Random transform",
    "A random projection of the encoder: the effect of fewer dimensions without learning.",
    RandomTransform,
    learns_from="nothing",
    paper="Kobs et al., WACV 2023",
)
