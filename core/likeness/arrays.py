"""Convert, validate and normalize NumPy and torch arrays, in chunks that fit in memory."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from likeness.errors import InputError

Floats = NDArray[np.floating[Any]]
Float64s = NDArray[np.float64]

PART_BYTES = 16_000_000  # of float32
HOST = ("cpu", "mps")  # devices whose tensors the host computes with: its own memory, and what has no float64
_UNIT = 1e-5  # how far from 1 the squared length of a unit row in single precision may be


def is_torch(array: Any) -> bool:
    """True for a torch tensor; does not import torch."""
    return type(array).__module__.split(".")[0] == "torch"


def device_of(array: Any) -> Any:
    """The torch device of a tensor if metrics can be computed there; None for the CPU and for Apple's MPS, which has no float64."""
    return array.device if is_torch(array) and array.device.type not in HOST else None


def to_numpy(array: Any) -> NDArray[Any]:
    """NumPy view or copy of a NumPy, torch or pandas array, or of nested lists; 16-bit torch floats become float32."""
    if not is_torch(array):
        return np.asarray(array)
    array = array.detach()
    return np.asarray((array.float() if array.is_floating_point() and array.element_size() < 4 else array).cpu().numpy())


def like(reference: Any) -> Callable[[Floats], Any]:
    """Inverse of `to_numpy`: converts NumPy floats to the kind, precision (float32 or float64) and device of `reference`."""
    if is_torch(reference):
        import torch

        dtype = torch.float64 if reference.dtype == torch.float64 else torch.float32
        return lambda values: torch.tensor(values, dtype=dtype, device=reference.device)
    dtype64 = getattr(reference, "dtype", np.dtype(np.float64)) == np.float64
    return lambda values: np.asarray(values, dtype=np.float64 if dtype64 else np.float32)


def checked_rows(array: Any, name: str, dtype: DTypeLike | None = np.float32, first: int = 0) -> NDArray[Any]:
    """Rows of `array` (NumPy, torch, pandas, nested lists) as contiguous NumPy floats (n, d); memory-mapped float32 is not copied.

    Args:
        name: start of error messages, such as "The embeddings".
        dtype: None keeps float64 and converts everything else to float32.
        first: number of the first row, if they are a chunk.

    Raises:
        InputError: not two-dimensional, not numeric, empty, or a row with NaN or infinity.
    """
    values = to_numpy(array)
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"{name} must be a non-empty array of shape (rows, dimensions) but has shape {values.shape}; pass one vector per row.")
    if values.dtype.kind not in "fiubO":
        raise InputError(f"{name} are of type {values.dtype}; pass numbers.")
    if dtype is None:
        dtype = np.float64 if values.dtype == np.float64 else np.float32
    with np.errstate(over="ignore", invalid="ignore"):
        rows = np.ascontiguousarray(values, dtype)
        # A sum is NaN or infinite where any of its values is, so one cheap pass finds suspects and only those are looked at closely.
        suspects = np.flatnonzero(~np.isfinite(rows.sum(axis=1)))
    for row in suspects:
        if not np.isfinite(rows[row]).all():
            raise InputError(
                f"{name} row {first + row} holds NaN or infinity, expected finite {rows.dtype} numbers; encode that item again or drop it."
            )
    return rows


def unit_rows(rows: NDArray[Any], name: str, first: int = 0, *, zeros: bool = False) -> NDArray[Any]:
    """Rows (n, d) scaled to unit length, so that products are cosine similarities. `first` is the row number of a chunk.

    A row of zeros raises InputError, because it has no direction; with `zeros` it is kept.
    """
    largest = np.maximum(rows.max(axis=1), -rows.min(axis=1))
    zero = np.flatnonzero(largest == 0)
    if len(zero) and not zeros:
        raise _no_direction(name, first + int(zero[0]))
    largest[zero] = 1
    # Dividing by the largest value first keeps the squares of very long and very short rows representable.
    unit: NDArray[Any] = rows / largest[:, None]
    lengths = np.sqrt(np.einsum("ij,ij->i", unit, unit))
    lengths[zero] = 1
    unit /= lengths[:, None]
    return unit


def as_unit_rows(array: Any, name: str, *, zeros: bool = False) -> NDArray[np.float32]:
    """Unit rows (n, d) in float32: the array itself if its rows are, also memory-mapped; else a copy, scaled in double precision.

    Takes NumPy, torch or nested lists; errors and `zeros` as in `checked_rows` and `unit_rows`.
    """
    given = array if isinstance(array, np.ndarray) else to_numpy(array)
    if given.ndim != 2 or 0 in given.shape:
        checked_rows(given, name)
    scaled: NDArray[np.float32] | None = None
    for part in row_slices(*given.shape):
        rows = given[part]
        if not (given.dtype == np.float32 and _are_unit(rows, zeros)):
            rows = unit_rows(checked_rows(rows, name, np.float64, part.start), name, part.start, zeros=zeros)
            if scaled is None:
                scaled = np.empty(given.shape, np.float32)
                scaled[: part.start] = given[: part.start]
        if scaled is not None:
            scaled[part] = rows
    return given if scaled is None else scaled


def _are_unit(rows: NDArray[np.float32], zeros: bool) -> bool:
    squares = np.einsum("ij,ij->i", rows, rows)
    return bool(((np.abs(squares - 1) < _UNIT) | (zeros & (squares == 0))).all())


def check_directions(rows: NDArray[Any], name: str) -> None:
    """Raises InputError as `unit_rows`, without scaling the rows (n, d), which may be memory-mapped."""
    for part in row_slices(*rows.shape):
        zero = np.flatnonzero(~rows[part].any(axis=1))
        if len(zero):
            raise _no_direction(name, part.start + int(zero[0]))


def _no_direction(name: str, row: int) -> InputError:
    return InputError(f"{name} row {row} is all zeros, so its cosine is undefined; drop it or encode it again.")


def products_with_few(rows: NDArray[Any], few: NDArray[Any]) -> NDArray[Any]:
    """Inner products (n, t) of rows (n, d), which may be memory-mapped, with a few vectors (t, d), as fast as the rows are read.

    NumPy's `@` splits such narrow products over threads, and waits for them hundreds of times longer than the product takes if other work occupies
    the cores. Here the calling thread reads each row once, and equal rows have equal products.
    """
    # vecdot does not call BLAS, and so starts no threads
    found: NDArray[Any] = np.vecdot(rows[:, None], few)
    return found


class NoRowError(InputError, IndexError):
    """There is no such row, also for those who expect NumPy's error."""


def row_numbers(rows: Any, count: int) -> Any:
    """Row numbers (m,), or one, of what indexes `count` rows as in NumPy: a number, numbers, a slice, or a mask, if of pandas by its index. Raises
    InputError, which is also an IndexError, for anything else, a row that is not there, or none.

    Example:
        >>> row_numbers(slice(1, None), 3).tolist(), row_numbers([True, False, True], 3).tolist(), int(row_numbers(-1, 3))
        ([1, 2], [0, 2], 2)
    """
    if not isinstance(rows, slice):
        rows = to_numpy(rows.reindex(range(count)) if hasattr(rows, "reindex") and rows.dtype == bool else rows)
        rows = np.array(rows.tolist()) if rows.dtype == object else rows
    try:
        found = np.arange(count)[rows]
        if np.size(found) and np.ndim(found) < 2 and getattr(rows, "shape", None) != (() if found.ndim else None):
            return found
    except IndexError:
        pass
    raise NoRowError(
        f"There are no rows {str(rows)[:80]}; pass numbers from 0 to {count - 1}, a slice, or a mask of {count:,} values, not all false."
    )


def row_slices(rows: int, width: int) -> Iterator[slice]:
    """Slices of consecutive rows, about 16 MB in float32 each, to read a memory-mapped store in chunks."""
    size = max(1, PART_BYTES // (4 * width))
    for begin in range(0, rows, size):
        yield slice(begin, min(begin + size, rows))
