"""Arrays of either kind: rows come in as NumPy or torch, are checked once, and results leave as the kind that came in."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

Floats = NDArray[np.floating[Any]]


def is_torch(array: Any) -> bool:
    """True for a torch tensor; does not import torch."""
    return type(array).__module__.split(".")[0] == "torch"


def to_numpy(array: Any) -> NDArray[Any]:
    """NumPy view or copy of an array of either kind; 16-bit torch floats become float32."""
    if not is_torch(array):
        return np.asarray(array)
    array = array.detach()
    return np.asarray((array.float() if array.is_floating_point() and array.element_size() < 4 else array).cpu().numpy())


def like(reference: Any) -> Callable[[Floats], Any]:
    """The way back: NumPy floats -> the kind, precision (float32 or float64) and device of `reference`."""
    if is_torch(reference):
        import torch

        dtype = torch.float64 if reference.dtype == torch.float64 else torch.float32
        return lambda values: torch.tensor(values, dtype=dtype, device=reference.device)
    dtype64 = getattr(reference, "dtype", np.dtype(np.float64)) == np.float64
    return lambda values: np.asarray(values, dtype=np.float64 if dtype64 else np.float32)


def checked_rows(array: Any, what: str) -> Floats:
    """Rows of `array` as NumPy floats (n, r), float64 if it came so and float32 otherwise.

    Args:
        array: (n, r) NumPy or torch, or nested lists.
        what: "prompt" or "image", to name a row that is refused.

    Raises:
        InputError: not two-dimensional, not numbers, no row, a row with NaN or infinity, a row of zeros.
    """
    values = to_numpy(array)
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        raise InputError(f"The {what} embeddings have shape {values.shape}, type {values.dtype}; give numbers of shape (n, r), a row per {what}.")
    if not values.size:
        raise InputError(f"The {what} embeddings have shape {values.shape}; give at least one row and one column.")
    values = values.astype(np.float64 if values.dtype == np.float64 else np.float32, copy=False)
    # One sum tells of NaN and infinity without a mask as large as the array.
    with np.errstate(invalid="ignore", over="ignore"):
        total = values.sum(dtype=np.float64)
    if not np.isfinite(total):
        broken = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if broken.size:
            raise InputError(f"The embedding of {what} {broken[0]} has NaN or infinite values; embed that {what} again or leave it out.")
    return values


def unit_rows(values: Floats, what: str) -> Floats:
    """Rows scaled to length 1 (Eq. 1 and 5 of the InDiReCT paper).

    Raises:
        InputError: a row of zeros, which has no direction.
    """
    # Dividing by the largest entry first keeps the squares of very large or small rows representable.
    largest = np.abs(values).max(axis=1, keepdims=True)
    zero = np.flatnonzero(largest[:, 0] == 0)
    if zero.size:
        raise InputError(f"The embedding of {what} {zero[0]} is all zeros and has no direction; embed that {what} again or leave it out.")
    scaled = values / largest
    return np.asarray(scaled / np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None])
