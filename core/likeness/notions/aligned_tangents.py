"""Tangent vectors of images and prompts at their own means, with the means aligned: CLAY (arXiv 2604.11539)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.arrays import Floats, like, to_numpy, unit_rows
from likeness.notions.estimator import NotionEstimator, tensors_like
from likeness.notions.method import NotionMethod
from likeness.notions.pca import principal_axes
from likeness.notions.prompt_rows import image_rows, prompt_rows

if TYPE_CHECKING:
    import torch


class AlignedTangents(NotionEstimator):
    """The prompts' main directions in the tangent space of the sphere at their mean, applied to the images' tangent vectors at their own mean.

    CLIP keeps images and texts in two separate cones. The logarithmic map at the mean m of either side, v -> angle(v, m) times the unit vector from m
    toward v, gives the position of a vector within its cone; the Householder reflection that maps the images' mean to the prompts' maps one tangent
    space to the other (arXiv 2604.11539, section 3). "CLAY-like": the paper's prompts come from a language model, ours from the notion. Results are
    not of unit length.

    Args:
        dim: dimensions, at most as many as the prompts vary in.
        seed: unused; nothing is random.

    Attributes:
        U: (r, dim) orthonormal columns, directions at the prompts' mean, reflected to the images' mean.
        mean_: (r,) unit mean of the images.
    """

    def __init__(self, dim: int = 128, seed: int = 0) -> None:
        self.dim, self.seed = dim, seed

    def fit(self, text: Any, images: Any) -> "AlignedTangents":
        """Learns from embeddings of prompts (n, r) and the mean of images (m, r), after scaling all to unit length.

        InputError: unusable embeddings, all prompts equal, dim below 1 or above r, or images and prompts of different widths.
        """
        rows = prompt_rows(text, self.dim)
        mean = _unit(rows.mean(axis=0))
        there = _unit(image_rows(images, rows.shape[1]).mean(axis=0).astype(np.float64))
        _, axes = principal_axes(tangents(rows, mean))
        across = there - mean
        length = float(across @ across)
        U, as_text = axes[: self.dim].T, like(text)
        self.U, self.mean_ = as_text(U - 2 * np.outer(across, across @ U) / length if length > 0 else U), as_text(there)
        return self

    def _map(self, rows: Floats) -> Floats:
        U, mean = (to_numpy(value).astype(rows.dtype) for value in (self.U, self.mean_))
        return np.asarray(tangents(rows, mean) @ U)

    def _map_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        mean, U = tensors_like(rows, self.mean_, self.U)
        cosines = (rows @ mean)[:, None].clamp(-1 + 1e-6, 1 - 1e-6)
        return ((rows - cosines * mean) * cosines.arccos() / (1 - cosines**2).sqrt()) @ U


def tangents(rows: Floats, mean: Floats) -> Floats:
    """Logarithmic map of the sphere at `mean` (r,): maps unit rows (n, r) to vectors orthogonal to it whose length is the angle to it in radians."""
    cosines = np.clip(rows @ mean, -1, 1)[:, None]
    across = rows - cosines * mean
    sines = np.linalg.norm(across, axis=1, keepdims=True)
    # angle / sin(angle) tends to 1 at the mean itself, where the quotient is 0 / 0
    return np.asarray(across * np.divide(np.arccos(cosines), sines, out=np.ones_like(sines), where=sines > 0))


def _unit(vector: Floats) -> Floats:
    found: Floats = unit_rows(vector[None], "The mean of the embeddings")[0]
    return found


ALIGNED_TANGENTS = NotionMethod(
    "clay",
    "Aligned tangents (CLAY)",
    "The prompts' main directions around their mean, applied to images around their own mean, which removes CLIP's gap between images and texts.",
    AlignedTangents,
    learns_from="text and images",
    seeds=False,
    paper="CLAY, arXiv 2604.11539",
)
