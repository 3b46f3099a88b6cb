"""Principal components of the prompts: a baseline of the InDiReCT paper (section 4.2), and a variant scaled by the prompts' spread."""

from functools import partial
from typing import Any

import numpy as np

from likeness.arrays import Floats, like
from likeness.errors import InputError
from likeness.notions.fading import fade_unresolved
from likeness.notions.method import NotionMethod, by_authors_code
from likeness.notions.projection import CenteredProjection, LinearProjection
from likeness.notions.prompt_rows import prompt_rows
from likeness.threads import one_blas_thread


class PCA(CenteredProjection):
    """The orthogonal directions along which the prompts vary most.

    Needs more prompts than dimensions (section 4.2), so most notions have no PCA at 128 dimensions.

    Args:
        dim: dimensions, fewer than prompts.
        seed: unused; nothing is random.
        fade: shortens columns along which the prompts hardly differ, as `InDiReCT(solver="faded")`; not in the paper.
        normalize: scales images to unit length first. False: uses them as they are, as in the authors' code.

    Attributes:
        U: (r, dim) orthonormal columns, largest variance first; each column's entry of largest magnitude is positive. Faded columns are orthogonal,
            but shorter.
        mean_: (r,) mean of the unit prompts.
        explained_variance_ratio_: (dim,) share of the prompts' variance along each column.
    """

    def __init__(self, dim: int = 128, seed: int = 0, fade: bool = False, normalize: bool = True) -> None:
        self.dim, self.seed, self.fade, self.normalize = dim, seed, fade, normalize

    def fit(self, text: Any, y: Any = None) -> "PCA":
        """Learns from the prompts' embeddings (n, r), scaled to unit length first (Eq. 1), NumPy or torch.

        InputError: unusable embeddings, all prompts equal, or dim not below the number of prompts or of the directions in which they vary.
        """
        rows = prompt_rows(text, self.dim)
        if self.dim >= len(rows):
            raise InputError(
                f"PCA to {self.dim} dimensions needs more than {self.dim} prompts, but there are {len(rows)}; "
                f"choose at most {len(rows) - 1} dimensions, add prompts, or use InDiReCT."
            )
        mean = rows.mean(axis=0)
        values, axes = principal_axes(rows - mean)
        if values.size < self.dim:
            raise InputError(
                f"PCA to {self.dim} dimensions needs prompts that vary in as many directions, but the {len(rows)} prompts vary in {values.size}; "
                f"choose at most {values.size} dimensions, add different prompts, or use InDiReCT."
            )
        as_text, U = like(text), axes[: self.dim].T
        self.U, self.mean_ = as_text(fade_unresolved(U, rows - mean) if self.fade else U), as_text(mean)
        self.explained_variance_ratio_ = as_text(values[: self.dim] ** 2 / (values**2).sum())
        return self


class ScaledPCA(LinearProjection):
    """U = V Sigma of the centered prompts T - mean = W Sigma V^T: directions count by how much the prompts vary in them.

    InDiReCT gives all directions of its subspace the same length, so the number of dimensions decides how much wording counts; here the prompts'
    spread decides. Ours. Images are not centered, so that the space stays a linear map of the encoder's. U (r, k) has orthogonal columns, one for
    each direction in which the prompts vary, the longest first and of length 1.
    """

    def fit(self, text: Any, y: Any = None) -> "ScaledPCA":
        """Learns from the prompts' embeddings (n, r), scaled to unit length first; InputError: unusable embeddings, or all equal."""
        rows = prompt_rows(text, 1)
        values, axes = principal_axes(rows - rows.mean(axis=0))
        self.U = like(text)(np.ascontiguousarray(axes.T * (values / values[0])))
        return self


@one_blas_thread()
def principal_axes(centered: Floats) -> tuple[Floats, Floats]:
    """Singular values above the noise of float32 embeddings and their right singular vectors, as rows of fixed sign.

    Rounding moves entries of a unit row by about 1e-8, which makes singular values below float32's epsilon times the largest one of the unit rows.
    That one is at least 1, even if centering or removing directions leaves little of it.
    """
    _, values, axes = np.linalg.svd(centered, full_matrices=False)
    rank = int(np.count_nonzero(values > np.finfo(np.float32).eps * max(values[0], 1)))
    values, axes = values[:rank], axes[:rank]
    largest = np.abs(axes).argmax(axis=1)
    return values, axes * np.sign(axes[np.arange(rank), largest])[:, None]


_PRINCIPAL_COMPONENTS = "Main directions in which the prompts vary, by principal component analysis; needs more prompts than dimensions."
PRINCIPAL_COMPONENTS = NotionMethod("pca", "PCA", _PRINCIPAL_COMPONENTS, PCA, seeds=False, paper="Kobs et al., WACV 2023")
PRINCIPAL_COMPONENTS_CODE = by_authors_code(PRINCIPAL_COMPONENTS, partial(PCA, normalize=False))
_FADED_COMPONENTS = "PCA with faint directions where the prompts hardly differ, by the same rule as for InDiReCT."
FADED_COMPONENTS = NotionMethod("pca-faded", "PCA (faded)", _FADED_COMPONENTS, lambda dim, seed: PCA(dim, fade=True), seeds=False)
_SCALED_COMPONENTS = "Main directions in which the prompts vary, weighted by how much they vary; without a choice of dimensions."
SCALED_COMPONENTS = NotionMethod("scaled-pca", "Scaled PCA", _SCALED_COMPONENTS, lambda dim, seed: ScaledPCA(), seeds=False, dims=False)
