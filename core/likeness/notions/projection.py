"""Projections that fitted estimators apply to images: linear, as InDiReCT, or linear around a mean, as principal components."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.arrays import Floats, checked_rows, like, to_numpy, unit_rows
from likeness.notions.estimator import NotionEstimator, tensors_like
from likeness.notions.prompt_rows import check_width, fitted_width
from likeness.threads import one_blas_thread

if TYPE_CHECKING:
    import torch

# rows per block: they stay in the processor's cache for the second pass, and memory-mapped files are read in order
_BLOCK = 4096
# between these, squared lengths are safe in single precision
_SMALL, _LARGE = 1e-18, 1e18
# up to so many columns a product is as fast as reading the rows, and a second thread gains nothing
_FEW = 32


def project(images: Any, U: Any) -> Any:
    """Unit rows (m, dim) of v U, for unit v (Eq. 5 and 6 of the InDiReCT paper), of the type of the images (m, r).

    An image orthogonal to all columns of U has no direction in the space: its row is zero, and so are its similarities. InputError: rows that are not
    finite or all zero, or of another width than U.
    """
    rows, U = to_numpy(images), to_numpy(U)
    plain = rows.ndim == 2 and rows.size > 0 and rows.dtype in (np.float32, np.float64)
    if not plain:
        rows = checked_rows(images, "The image embeddings", None)
    check_width(rows, len(U))
    U = U.astype(rows.dtype, copy=False)
    codes = np.empty((len(rows), U.shape[1]), rows.dtype)
    if not _fill(rows, U, codes):
        # checks all rows: raises for bad values, and rescales those too large or small to be squared
        _fill(unit_rows(checked_rows(rows, "The image embeddings", None), "The image embeddings"), U, codes)
    return like(images)(codes)


def _fill(rows: Floats, U: Floats, codes: Floats) -> bool:
    """Fills codes (m, dim) block by block; False if squared lengths are out of range."""
    length = float(np.linalg.norm(U))
    with one_blas_thread() if U.shape[1] <= _FEW else nullcontext():
        return all(_fill_block(rows[begin : begin + _BLOCK], U, length, codes[begin : begin + _BLOCK]) for begin in range(0, len(rows), _BLOCK))


def _fill_block(rows: Floats, U: Floats, length: float, codes: Floats) -> bool:
    squares = np.einsum("ij,ij->i", rows, rows)
    if not (squares.min() > _SMALL and squares.max() < _LARGE):  # false for NaN as well
        return False
    np.matmul(rows, U, out=codes)
    lengths = np.sqrt(np.einsum("ij,ij->i", codes, codes))
    # relative to the largest possible length: below, the direction is only rounding
    placed = lengths > np.finfo(codes.dtype).eps * length * np.sqrt(squares)
    codes *= np.where(placed, 1 / np.where(placed, lengths, 1), 0)[:, None].astype(codes.dtype)
    return True


class LinearProjection(NotionEstimator):
    """Projection of fitted linear estimators; subclasses set `U`, (r, dim), in `fit`."""

    def transform(self, images: Any) -> Any:
        """Images in the notion's space (Eq. 5 and 6): (m, r) -> (m, dim) unit rows, of the input's type. InputError: not fitted, or as `project`."""
        fitted_width(self)
        return project(images, self.U)

    def _map_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        import torch

        (U,) = tensors_like(rows, self.U)
        codes = rows @ U
        lengths = torch.linalg.vector_norm(codes, dim=1, keepdim=True)
        placed = lengths > torch.finfo(rows.dtype).eps * torch.linalg.norm(U)
        # the divisor is replaced, not the quotient: a masked 0 / 0 still has NaN as its gradient
        return torch.where(placed, codes, 0.0) / torch.where(placed, lengths, 1.0)


class CenteredProjection(NotionEstimator):
    """(v - mean) U of images v, unit if `normalize`, not scaled, as in scikit-learn; subclasses set `U`, (r, dim), and `mean_`, (r,), in `fit`."""

    mean_: Any

    def _map(self, rows: Floats) -> Floats:
        return np.asarray((rows - to_numpy(self.mean_).astype(rows.dtype)) @ to_numpy(self.U).astype(rows.dtype))

    def _map_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        mean, U = tensors_like(rows, self.mean_, self.U)
        return (rows - mean) @ U
