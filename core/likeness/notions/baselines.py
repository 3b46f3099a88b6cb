"""Baselines of the InDiReCT paper (section 4.2) that learn nothing."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.arrays import checked_rows, like, unit_rows
from likeness.errors import InputError
from likeness.notions.estimator import NotionEstimator
from likeness.notions.fading import START_DEVIATION
from likeness.notions.method import NotionMethod, by_authors_code
from likeness.notions.projection import LinearProjection

if TYPE_CHECKING:
    import torch


class Identity(NotionEstimator):
    """The raw encoder ("CLIP" in the paper): images scaled to unit length, or (normalize=False) as they are, as in the authors' code."""

    _learns = False

    def __init__(self, normalize: bool = True) -> None:
        self.normalize = normalize

    def fit(self, text: Any, y: Any = None) -> "Identity":
        """Learns nothing; ignores the text."""
        return self

    def transform(self, images: Any) -> Any:
        """(m, r) -> (m, r), of the kind that came in."""
        rows = checked_rows(images, "The image embeddings", None)
        return like(images)(unit_rows(rows, "The image embeddings") if self.normalize else rows)

    def transform_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        """Like `transform`, with gradients: (m, r) -> (m, r) unit rows."""
        import torch

        return torch.nn.functional.normalize(rows, dim=1)


class RandomEmbedding(NotionEstimator):
    """Lower bound: a random vector for each image, uniform on the sphere; the seed determines those of rows 0, 1, ..."""

    _learns = False
    transform_tensor: Any = None  # nothing of an image is in its vector

    def __init__(self, dim: int = 128, seed: int = 0) -> None:
        self.dim, self.seed = dim, seed

    def fit(self, text: Any, y: Any = None) -> "RandomEmbedding":
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

    def fit(self, text: Any, y: Any = None) -> "RandomTransform":
        """Draws U for text embeddings (n, r); only r matters."""
        _check_dim(self.dim)
        r = checked_rows(text, "The prompt embeddings", None).shape[1]
        self.U = like(text)(np.random.default_rng(self.seed).normal(0, START_DEVIATION, (r, self.dim)))
        return self


def _check_dim(dim: int) -> None:
    if not isinstance(dim, (int, np.integer)) or dim < 1:
        raise InputError(f"dim is {dim!r}; choose a whole number of at least 1.")


_RANDOM_EMBEDDING = "Random vectors, unrelated to the images: chance level."
RANDOM_EMBEDDING = NotionMethod("random", "Random", _RANDOM_EMBEDDING, RandomEmbedding, learns_from="nothing")
_IDENTITY = "The encoder without the notion: the baseline of all differences."
IDENTITY = NotionMethod("raw", "Raw encoder", _IDENTITY, lambda dim, seed: Identity(), learns_from="nothing", seeds=False, dims=False)
IDENTITY_CODE = by_authors_code(replace(IDENTITY, help="The encoder without the notion."), lambda dim, seed: Identity(normalize=False))
RANDOM_TRANSFORM = NotionMethod(
    "random-transform",
    "Random transform",
    "A random projection of the encoder: the effect of fewer dimensions without learning.",
    RandomTransform,
    learns_from="nothing",
    paper="Kobs et al., WACV 2023",
)
