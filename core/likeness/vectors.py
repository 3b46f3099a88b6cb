"""Checking vectors and scaling them to unit length, once for all who compare them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

PART_BYTES = 16_000_000  # of float32


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


def unit_rows(rows: NDArray[np.float32], name: str, first: int = 0) -> NDArray[np.float32]:
    """Rows (n, d) scaled to length 1, so that products are cosine similarities. They may be a part, from row number `first` on.

    Raises:
        InputError: if a row is all zeros and so has no direction.
    """
    largest = np.maximum(rows.max(axis=1), -rows.min(axis=1))
    zero = np.flatnonzero(largest == 0)
    if len(zero):
        raise _no_direction(name, first + int(zero[0]))
    # Dividing by the largest value first keeps the squares of very long and very short rows inside float32.
    unit: NDArray[np.float32] = rows / largest[:, None]
    unit /= np.sqrt(np.einsum("ij,ij->i", unit, unit))[:, None]
    return unit


def _no_direction(name: str, row: int) -> InputError:
    return InputError(f"{name} row {row} is all zeros and has no direction for a cosine; drop it or encode it again.")


def check_directions(rows: NDArray[np.float32], name: str) -> None:
    """Raises the InputError of `unit_rows` for rows (n, d) that may be memory-mapped, without scaling them."""
    for part in row_slices(*rows.shape):
        zero = np.flatnonzero(~rows[part].any(axis=1))
        if len(zero):
            raise _no_direction(name, part.start + int(zero[0]))


def row_slices(rows: int, width: int) -> Iterator[slice]:
    """Consecutive parts of so many rows of this width, some 16 MB in float32 each: what a memory-mapped store is read by."""
    size = max(1, PART_BYTES // (4 * width))
    for begin in range(0, rows, size):
        yield slice(begin, min(begin + size, rows))
