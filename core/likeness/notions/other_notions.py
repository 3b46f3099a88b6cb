"""Methods that contrast a notion with others: they keep what distinguishes it, or remove what belongs to the others."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from likeness.arrays import Floats, checked_rows, like, unit_rows
from likeness.errors import InputError
from likeness.notions.exact import largest_eigenpairs, leading_directions
from likeness.notions.method import NotionMethod
from likeness.notions.projection import CenteredProjection, LinearProjection
from likeness.notions.prompt_rows import check_width, image_rows, prompt_rows
from likeness.threads import one_blas_thread

# weight of the others in BASIC, arXiv 2510.25387
_WEIGHT = 0.2
# share of the others' variance to remove; the rest is their wording
_TAKEN = 0.9
_FIRST_TRIED = 48  # number of directions; nearly always enough, and much faster than all


class ContrastivePCA(CenteredProjection):
    """Directions in which the prompts vary and those of other notions do not, as in BASIC (arXiv 2510.25387, section 4).

    With the covariances A of the notion's prompts and B of the others' (each notion's around its own mean), the directions are the leading
    eigenvectors of (1 - weight) A - weight B, those with a positive eigenvalue. Images are centered by their own mean; the authors use statistics of
    LAION-1M.

    Args:
        dim: dimensions, at most the number of positive eigenvalues.
        seed: unused; nothing is random.
        weight: of the other notions, from 0, which is PCA, to below 1.

    Attributes:
        U: (r, dim) orthonormal columns, the largest eigenvalue (`eigenvalues_`) first.
        mean_: (r,) mean of the unit images.
    """

    def __init__(self, dim: int = 128, seed: int = 0, weight: float = _WEIGHT) -> None:
        self.dim, self.seed, self.weight = dim, seed, weight

    @one_blas_thread()
    def fit(self, text: Any, images: Any, others: Sequence[Any]) -> "ContrastivePCA":
        """Learns from prompts (n, r), the mean of images (m, r), and the prompts (k, r) of each other notion, after scaling all to unit length.

        InputError: unusable embeddings, all prompts equal, dim below 1 or above r, a weight outside 0 to 1, no other notion, or other notions that
        vary more in every direction of this one.
        """
        if not 0 <= self.weight < 1:
            raise InputError(f"weight is {self.weight}; choose a number from 0 to below 1, such as {_WEIGHT}.")
        rows = prompt_rows(text, self.dim)
        own = rows - rows.mean(axis=0)
        spread = (1 - self.weight) * (own.T @ own) / (len(own) - 1) - self.weight * _spread(others, rows.shape[1])
        values, axes = largest_eigenpairs(spread, self.dim)
        kept = values > _rounding(spread)
        if not kept.any() or values[0] <= 0:
            raise InputError("Other notions vary more in every direction in which the prompts do; use a smaller weight, or InDiReCT.")
        as_text = like(text)
        self.U, self.mean_ = as_text(axes[:, kept]), as_text(image_rows(images, rows.shape[1]).mean(axis=0))
        self.eigenvalues_ = as_text(values[kept])
        return self


class NullSpace(LinearProjection):
    """The notion's directions after removing those of other notions: only the null-space denoising of OD-CRL (arXiv 2602.05464).

    N spans 90 % of the variance of the other notions' prompts, each around its own mean. Prompts and images are projected off N, and the leading
    singular vectors of the projected prompts are kept: U = (I - N N^T) B, (r, dim) or the remaining rank, orthonormal. Nothing is random. The paper
    takes its bases from texts of a language model.
    """

    def __init__(self, dim: int = 128, seed: int = 0) -> None:
        self.dim, self.seed = dim, seed

    @one_blas_thread()
    def fit(self, text: Any, others: Sequence[Any]) -> "NullSpace":
        """Learns from prompts (n, r) and the prompts (k, r) of each other notion, after scaling all to unit length.

        InputError: unusable embeddings, all prompts equal, dim below 1 or above r, no other notion, or prompts without any other direction.
        """
        rows = prompt_rows(text, self.dim)
        taken = varying_directions(others, rows.shape[1])
        left = rows - (rows @ taken) @ taken.T
        directions = leading_directions(left, self.dim)
        if not directions.size:
            raise InputError("The prompts vary in no direction that other notions do not have; use InDiReCT.")
        self.U = like(text)(directions)
        return self


def _spread_rows(others: Sequence[Any], r: int) -> Floats:
    """Rows S (n, r) with S^T S the mean over other notions of the covariance of their unit prompts around their own mean."""
    if not len(others):
        raise InputError("There is no other notion to compare with; add one for these images, or use InDiReCT.")
    found = []
    for each in others:
        rows = unit_rows(checked_rows(each, "The prompts of another notion", np.float64), "The prompts of another notion")
        check_width(rows, r)
        found.append((rows - rows.mean(axis=0)) / np.sqrt(max(len(rows) - 1, 1) * len(others)))
    return np.concatenate(found)


def _spread(others: Sequence[Any], r: int) -> Floats:
    rows = _spread_rows(others, r)
    return np.asarray(rows.T @ rows)


def _rounding(spread: Floats) -> float:
    """Rounding of eigenvalues of covariances (r, r) of unit rows: of float32 rows, squared as variances are, and of the product."""
    return float(np.finfo(np.float32).eps ** 2 + len(spread) * np.finfo(np.float64).eps * np.linalg.norm(spread))


@one_blas_thread()
def varying_directions(notions: Sequence[Any], r: int) -> Floats:
    """Fewest orthonormal columns (r, k) that keep 90 % of the variance of the prompts (n, r) of notions around their means; none if none varies."""
    rows = _spread_rows(notions, r)
    few_rows = len(rows) < r
    spread = rows @ rows.T if few_rows else rows.T @ rows  # the Gram matrix has the same eigenvalues
    count, whole = min(_FIRST_TRIED, len(spread)), float(np.trace(spread))
    if whole <= _rounding(spread):
        return np.zeros((r, 0))
    values, axes = largest_eigenpairs(spread, count)
    if values.sum() < _TAKEN * whole:
        values, axes = largest_eigenpairs(spread, len(spread))
    kept = axes[:, : int(np.searchsorted(np.cumsum(values), _TAKEN * whole)) + 1]
    return np.asarray(np.linalg.qr(rows.T @ kept)[0]) if few_rows else kept


CONTRASTIVE_COMPONENTS = NotionMethod(
    "contrastive-pca",
    "Contrastive PCA (BASIC)",
    "Directions in which the prompts vary more than those of the other notions for these images.",
    ContrastivePCA,
    learns_from="text, images and other notions",
    seeds=False,
    paper="Psomas et al., NeurIPS 2025",
)
NULL_SPACE = NotionMethod(
    "null-space",
    "Null space alone (OD-CRL)",
    "InDiReCT after removing the directions of the other notions for these images: only the null space of OD-CRL.",
    NullSpace,
    learns_from="text and other notions",
    seeds=False,
    paper="OD-CRL, arXiv 2602.05464",
)
