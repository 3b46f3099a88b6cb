"""The maps that fitted estimators apply to images: linear as InDiReCT's, or linear around a mean as that of principal components."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import Floats, checked_rows, like, to_numpy, unit_rows
from likeness.notions.prompt_rows import check_fitted, check_width, image_rows
from likeness.threads import one_blas_thread

if TYPE_CHECKING:
    import torch

# Rows that are projected at a time: they stay in the processor's cache while they are looked at twice, and files of rows are read as they come.
_BLOCK = 4096
# Between them, squares of lengths are far from what single precision cannot hold.
_SMALL, _LARGE = 1e-18, 1e18
# Columns up to which a product is as fast as rows are read, so that a second thread gains nothing.
_FEW = 32


def project(images: Any, U: Any) -> Any:
    """Unit rows (m, dim) of v U, for unit v (Eq. 5 and 6 of the InDiReCT paper), of the kind of the images (m, r).

    An image at a right angle to all columns of U has no place in the space: its row is zero, and so is its similarity to every other. Rows that are
    not finite or all zero, or of another width than U, are an InputError.
    """
    rows, U = to_numpy(images), to_numpy(U)
    plain = rows.ndim == 2 and rows.size > 0 and rows.dtype in (np.float32, np.float64)
    if not plain:
        rows = checked_rows(images, "The image embeddings", None)
    check_width(rows, len(U))
    U = U.astype(rows.dtype, copy=False)
    codes = np.empty((len(rows), U.shape[1]), rows.dtype)
    if not _fill(rows, U, codes):
        # what is wrong, or too large or small to be squared, is found by looking at all rows
        _fill(unit_rows(checked_rows(rows, "The image embeddings", None), "The image embeddings"), U, codes)
    return like(images)(codes)


def _fill(rows: Floats, U: Floats, codes: Floats) -> bool:
    """Fills codes (m, dim) block by block; false where squares of the rows are out of range."""
    length = float(np.linalg.norm(U))
    with one_blas_thread() if U.shape[1] <= _FEW else nullcontext():
        return all(_fill_block(rows[begin : begin + _BLOCK], U, length, codes[begin : begin + _BLOCK]) for begin in range(0, len(rows), _BLOCK))


def _fill_block(rows: Floats, U: Floats, length: float, codes: Floats) -> bool:
    squares = np.einsum("ij,ij->i", rows, rows)
    if not (squares.min() > _SMALL and squares.max() < _LARGE):  # false for NaN as well
        return False
    np.matmul(rows, U, out=codes)
    lengths = np.sqrt(np.einsum("ij,ij->i", codes, codes))
    placed = lengths > np.finfo(codes.dtype).eps * length * np.sqrt(squares)
    codes *= np.where(placed, 1 / np.where(placed, lengths, 1), 0)[:, None].astype(codes.dtype)
    return True


class LinearProjection:
    """What a fitted linear estimator does with images; subclasses set `U`, (r, dim), in `fit`."""

    U: Any

    def transform(self, images: Any) -> Any:
        """Images in the notion's space (Eq. 5 and 6): (m, r) -> (m, dim) unit rows, of the kind that came in; InputError before `fit`, else as of
        `project`.
        """
        check_fitted(self, "U", "fit(text) with the prompts' embeddings")
        return project(images, self.U)

    def transform_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        """Like `transform` for unit rows (m, r), with gradients: they flow back to `rows`. A row that would be zero has none."""
        check_fitted(self, "U", "fit(text) with the prompts' embeddings")
        check_width(rows, len(self.U))
        return _unit_tensor(rows, to_numpy(self.U))


class CenteredProjection:
    """(v - mean) U of unit images v, not scaled to unit length; subclasses set `U`, (r, dim), and `mean_`, (r,), in `fit`."""

    U: Any
    mean_: Any

    def transform(self, images: Any) -> Any:
        """(v - mean) U of the unit images v: (m, r) -> (m, dim), of the kind that came in; like scikit-learn's, not of unit length.

        InputError before `fit`, and on rows that are not finite or all zero, or of another width than the prompts.
        """
        check_fitted(self, "U", "fit(text) with the prompts' embeddings")
        U = to_numpy(self.U)
        rows = image_rows(images, len(U))
        return like(images)((rows - to_numpy(self.mean_).astype(rows.dtype)) @ U.astype(rows.dtype))

    def transform_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        """Like `transform` for unit rows (m, r), with gradients: they flow back to `rows`."""
        import torch

        check_fitted(self, "U", "fit(text) with the prompts' embeddings")
        check_width(rows, len(self.U))
        mean, U = (torch.as_tensor(to_numpy(value)).to(rows) for value in (self.mean_, self.U))
        return (rows - mean) @ U


def _unit_tensor(rows: "torch.Tensor", U: NDArray[Any]) -> "torch.Tensor":
    import torch

    codes = rows @ torch.tensor(U, dtype=rows.dtype, device=rows.device)
    lengths = torch.linalg.vector_norm(codes, dim=1, keepdim=True)
    placed = lengths > torch.finfo(rows.dtype).eps * float(np.linalg.norm(U))
    # dividing by a chosen length, not masking the quotient: a masked 0 / 0 still has NaN for a gradient
    return torch.where(placed, codes, 0.0) / torch.where(placed, lengths, 1.0)
