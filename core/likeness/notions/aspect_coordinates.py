"""Aspects as coordinates: similarities to them (CRL, arXiv 2510.04564), or their probabilities."""

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.arrays import Floats, like, to_numpy
from likeness.errors import InputError
from likeness.notions.estimator import NotionEstimator, tensors_like
from likeness.notions.method import NotionMethod
from likeness.notions.projection import LinearProjection
from likeness.notions.prompt_rows import prompt_rows

if TYPE_CHECKING:
    import torch

# CLIP's training caps the scale of its softmax here (Radford et al. 2021, section 2.5); not tuned by us
CLIP_SCALE = 100.0


class AspectSimilarities(LinearProjection):
    """An image is its k similarities to the aspects, v T^T, scaled to unit length (arXiv 2510.04564, section 3).

    The columns of U (r, k) are the unit prompts. They are used as axes although not orthogonal, so what all prompts share counts k times.
    """

    def fit(self, text: Any, y: Any = None) -> "AspectSimilarities":
        """Takes the prompts' embeddings (k, r), scaled to unit length first. InputError: unusable embeddings, or all equal."""
        self.U = like(text)(np.ascontiguousarray(prompt_rows(text, 1).T))
        return self


class AspectProbabilities(NotionEstimator):
    """An image is the square roots of p = softmax(scale * v T^T), CLIP's zero-shot probabilities of the k aspects.

    The cosine of two images is then the Bhattacharyya coefficient sum_j sqrt(p_j q_j): 1 if they have the same probabilities, 0 if no aspect is
    possible for both. Ours: the coordinates of CRL (`AspectSimilarities`) read as probabilities. Not linear. The columns of U (r, k) are the unit
    prompts; `scale` multiplies the cosines, the inverse of a temperature.
    """

    def __init__(self, scale: float = CLIP_SCALE) -> None:
        self.scale = scale

    def fit(self, text: Any, y: Any = None) -> "AspectProbabilities":
        """Takes the prompts' embeddings (k, r), scaled to unit length first. InputError: unusable embeddings, all equal, or a scale not above 0."""
        if not np.isfinite(self.scale) or self.scale <= 0:
            raise InputError(f"scale is {self.scale}; choose a number above 0, such as {CLIP_SCALE:g}.")
        self.U = like(text)(np.ascontiguousarray(prompt_rows(text, 1).T))
        return self

    def _map(self, rows: Floats) -> Floats:
        logits = rows @ (self.scale / 2 * to_numpy(self.U)).astype(rows.dtype)
        # sqrt(softmax(z)) is proportional to exp(z / 2), so half the logits, scaled to unit length, are the same without a root
        roots = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(roots / np.linalg.norm(roots, axis=1, keepdims=True))

    def _map_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        (U,) = tensors_like(rows, self.U)
        return ((self.scale * rows @ U).log_softmax(dim=1) / 2).exp()


ASPECT_SIMILARITIES = NotionMethod(
    "crl",
    "Aspect similarities (CRL)",
    "An image is its similarities to the aspects, as in conditional representation learning.",
    lambda dim, seed: AspectSimilarities(),
    seeds=False,
    dims=False,
    paper="CRL, arXiv 2510.04564",
)
ASPECT_PROBABILITIES = NotionMethod(
    "probabilities",
    "Aspect probabilities",
    "An image is the encoder's probability of each aspect; images that may show the same aspect are similar.",
    lambda dim, seed: AspectProbabilities(),
    seeds=False,
    dims=False,
)
