"""Checking vectors and scaling them to unit length, once for all who compare them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError


def as_numpy(values: Any) -> NDArray[Any]:
    """A NumPy view or copy of a NumPy, torch or pandas array, without importing torch."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = values.float() if "bfloat16" in str(values.dtype) else values
    return np.asarray(values)


def checked_rows(embeddings: Any, name: str) -> NDArray[np.float32]:
    """Embeddings (n, d) as contiguous float32.

    Raises:
        InputError: if they are not two-dimensional, hold no value, or a row has NaN or infinity.
    """
    rows = as_numpy(embeddings)
    if rows.ndim != 2 or 0 in rows.shape:
        raise InputError(f"{name} must be a non-empty array of shape (rows, dimensions) but has shape {rows.shape}; pass one vector per row.")
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(rows, dtype=np.float32)
    # A sum is NaN or infinite where any of its values is, so one cheap pass finds suspects and only those are looked at closely.
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = np.flatnonzero(~np.isfinite(rows.sum(axis=1)))
    for row in suspects:
        if not np.isfinite(rows[row]).all():
            raise InputError(f"{name} row {row} holds NaN or infinity, but finite float32 numbers are needed; encode that item again or drop it.")
    return rows


def unit_rows(rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
    """Rows (n, d) scaled to length 1, so that products are cosine similarities.

    Raises:
        InputError: if a row is all zeros and so has no direction.
    """
    largest = np.maximum(rows.max(axis=1), -rows.min(axis=1))
    zero = np.flatnonzero(largest == 0)
    if len(zero):
        raise InputError(f"{name} row {zero[0]} is all zeros and has no direction for a cosine; drop it or encode it again.")
    # Dividing by the largest value first keeps the squares of very long and very short rows inside float32.
    unit: NDArray[np.float32] = rows / largest[:, None]
    unit /= np.sqrt(np.einsum("ij,ij->i", unit, unit))[:, None]
    return unit
