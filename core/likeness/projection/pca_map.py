"""The map that is there at once: the two directions of largest variance."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.search import checked_rows, unit_rows


def pca_map(vectors: Any) -> NDArray[np.float32]:
    """Principal component scores of the unit-length vectors.

    Args:
        vectors: (n, d); rows are scaled to unit length first, since similarity is cosine.

    Returns:
        Positions (n, 2), centred; the first axis has the larger variance. Always finite: one item, equal items or one dimension give
        zeros where there is no variance to show. The sign of an axis is fixed by making its largest loading positive, so that the same
        vectors always give the same map.

    Raises:
        InputError: if a vector is not finite or all zeros.
    """
    unit = unit_rows(checked_rows(vectors, "The vectors"), "The vectors")
    centred = unit - unit.mean(axis=0)
    axes = _leading_axes(centred)
    positions = np.zeros((len(centred), 2), np.float32)
    positions[:, : axes.shape[1]] = centred @ axes.astype(np.float32)
    return positions


def _leading_axes(centred: NDArray[np.float32]) -> NDArray[np.float64]:
    """Up to two eigenvectors (d, 2) of the covariance, of the largest eigenvalue first; none where the variance is rounding error."""
    from scipy.linalg import eigh

    dim = centred.shape[1]
    covariance = (centred.T @ centred).astype(np.float64) / len(centred)
    values, axes = eigh(covariance, subset_by_index=[max(0, dim - 2), dim - 1])
    axes = axes[:, values > 1e-12][:, ::-1]
    loadings = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return np.asarray(axes * np.sign(loadings))
