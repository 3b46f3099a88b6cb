"""The PCA map: the two directions of largest variance."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, unit_rows
from likeness.errors import InputError

BLOCK = 16_384  # rows per block: vectors on disk may exceed memory


def pca_map(vectors: Any) -> NDArray[np.float32]:
    """Principal component scores (n, 2) of vectors (n, d), scaled to unit length and centered; the first axis has the larger variance.

    Always finite: axes without variance, as for a single item, are 0. The largest loading of an axis is positive, so the same vectors always give the
    same map. Exact for any number of rows; memory beyond the result is that of a block. InputError: a vector that is not finite or all zeros.
    """
    rows = checked_rows(vectors, "The vectors")
    middle = _unit_block(rows, 0).mean(axis=0)  # about the mean, so that sums of squares around it lose no digits
    total, squares = _moments(rows, middle)
    axes = _leading_axes(squares / len(rows) - np.outer(total, total) / len(rows) ** 2)
    positions = np.zeros((len(rows), 2), np.float32)
    mean = (middle + total / len(rows)).astype(np.float32)
    for begin in range(0, len(rows), BLOCK):
        block = _unit_block(rows, begin) - mean
        positions[begin : begin + BLOCK, : axes.shape[1]] = block @ axes.astype(np.float32)
    return positions


def _unit_block(rows: NDArray[np.float32], begin: int) -> NDArray[np.float32]:
    """Rows of one block, scaled to unit length."""
    try:
        return unit_rows(np.asarray(rows[begin : begin + BLOCK]), "The vectors")
    except InputError:
        unit_rows(rows, "The vectors")  # repeated on all rows, for a message with the right row number
        raise


def _moments(rows: NDArray[np.float32], middle: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum (d,) and sum of products (d, d) of the unit rows around `middle`, a block at a time."""
    dim = rows.shape[1]
    total, squares = np.zeros(dim), np.zeros((dim, dim))
    for begin in range(0, len(rows), BLOCK):
        block = _unit_block(rows, begin) - middle
        total += block.sum(axis=0, dtype=np.float64)
        squares += block.T @ block
    return total, squares


def _leading_axes(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Up to two eigenvectors (d, 2) of the covariance, largest eigenvalue first; none if the variance is rounding error."""
    from scipy.linalg import eigh

    dim = len(covariance)
    values, axes = eigh(covariance, subset_by_index=[max(0, dim - 2), dim - 1])
    axes = axes[:, values > 1e-12][:, ::-1]
    loadings = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return np.asarray(axes * np.sign(loadings))
