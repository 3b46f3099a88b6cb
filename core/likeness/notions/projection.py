"""The linear map that InDiReCT and its random baseline apply to images."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.notions.arrays import Floats, checked_rows, like, to_numpy, unit_rows

if TYPE_CHECKING:
    import torch


def project(images: Any, U: Any) -> Any:
    """Unit rows of v U, for unit v (Eq. 5 and 6 of the InDiReCT paper).

    Args:
        images: (m, r), NumPy or torch.
        U: (r, dim).

    Returns:
        (m, dim) of the kind of `images`. An image at a right angle to all columns of U has no place in the space: its row is zero,
        and so is its similarity to every other.

    Raises:
        InputError: rows that are not finite or all zero, or of another width than U.
    """
    rows, U = checked_rows(images, "image"), to_numpy(U)
    if rows.shape[1] != len(U):
        raise InputError(f"The images have {rows.shape[1]} dimensions, but the notion was fitted in {len(U)}; use the same encoder for both.")
    codes: Floats = unit_rows(rows, "image") @ U.astype(rows.dtype, copy=False)
    lengths = np.sqrt(np.einsum("ij,ij->i", codes, codes))
    negligible = np.finfo(codes.dtype).eps * np.linalg.norm(U)
    codes[lengths <= negligible] = 0
    return like(images)(codes / np.maximum(lengths, negligible if negligible > 0 else 1)[:, None])


class LinearProjection:
    """What a fitted linear estimator does with images; subclasses set `U`.

    Attributes:
        U: (r, dim), set by `fit`.
    """

    U: Any

    def transform(self, images: Any) -> Any:
        """Images in the notion's space (Eq. 5 and 6): (m, r) -> (m, dim) unit rows, of the kind that came in.

        Raises:
            InputError: before `fit`; rows that are not finite or all zero, or of another width than the prompts.
        """
        return project(images, self._fitted())

    def transform_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        """Like `transform` for unit rows (m, r), with gradients: they flow back to `rows`. A row that would be zero has none.

        Raises:
            InputError: before `fit`; rows of another width than the prompts.
        """
        U = to_numpy(self._fitted())
        if rows.shape[1] != len(U):
            raise InputError(f"The images have {rows.shape[1]} dimensions, but the notion was fitted in {len(U)}; use the same encoder for both.")
        return _unit_tensor(rows, U)

    def _fitted(self) -> Any:
        if not hasattr(self, "U"):
            raise InputError(f"This {type(self).__name__} is not fitted yet; call fit(text) with the prompts' embeddings first.")
        return self.U


def _unit_tensor(rows: "torch.Tensor", U: NDArray[Any]) -> "torch.Tensor":
    import torch

    codes = rows @ torch.tensor(U, dtype=rows.dtype, device=rows.device)
    lengths = torch.linalg.vector_norm(codes, dim=1, keepdim=True)
    placed = lengths > torch.finfo(rows.dtype).eps * float(np.linalg.norm(U))
    # dividing by a chosen length, not masking the quotient: a masked 0 / 0 still has NaN for a gradient
    return torch.where(placed, codes, 0.0) / torch.where(placed, lengths, 1.0)
