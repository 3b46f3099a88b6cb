"""Labels spread along a graph of neighbors: Zhou, Bousquet, Lal, Weston and Schoelkopf, "Learning with local and global consistency", NIPS 2003."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Rows = NDArray[np.float32]

ALPHA = 0.8
_TOLERANCE, _MOST_STEPS = 1e-3, 100
COLUMNS = 64  # at once, so that what a step reads stays in the processor's cache


def normalized_graph(weights: "csr_array") -> "csr_array":
    """S = D^(-1/2) W D^(-1/2) of symmetric weights W (n, n); D has their row sums on its diagonal. An image without neighbors has a row of zeros."""
    degree = np.asarray(weights.sum(axis=1), np.float64).ravel()
    scale = np.where(degree > 0, 1 / np.sqrt(np.maximum(degree, np.finfo(np.float64).tiny)), 0).astype(np.float32)
    found = weights.copy()
    found.data = found.data * np.repeat(scale, np.diff(found.indptr)) * scale[found.indices]
    return found


def propagate(graph: "csr_array", starts: Rows, alpha: float = ALPHA, tolerance: float = _TOLERANCE) -> Rows:
    """F (n, t) with F = alpha S F + (1 - alpha) Y, which the update F <- alpha S F + (1 - alpha) Y of Zhou et al. converges to.

    Solved by conjugate gradients, since I - alpha S is symmetric with eigenvalues from 1 - alpha to 1 + alpha: that takes a quarter of the update's
    steps.

    Args:
        graph: S (n, n), as `normalized_graph` makes it.
        starts: Y (n, t), 1 where an image has a label, a column per class or per part of its labels.
        alpha: how much of its scores an image takes from its neighbors, from 0 to below 1.
        tolerance: length of what is left of a column, in parts of its start.
    """
    found = np.empty(starts.shape, np.float32)
    for begin in range(0, starts.shape[1], COLUMNS):
        part = slice(begin, begin + COLUMNS)
        found[:, part] = _solved(graph, np.ascontiguousarray((1 - alpha) * starts[:, part], np.float32), np.float32(alpha), tolerance)
    return np.maximum(found, 0)  # exact solutions are never below 0


def _solved(graph: "csr_array", right: Rows, alpha: np.float32, tolerance: float) -> Rows:
    solution, residual = np.zeros_like(right), right.copy()
    direction, length = right.copy(), _squares(right)
    enough = np.maximum(length * tolerance**2, np.finfo(np.float32).tiny)
    for _ in range(_MOST_STEPS):
        if (length <= enough).all():
            break
        image = direction - alpha * (graph @ direction)
        step = length / np.maximum(_products(direction, image), np.finfo(np.float32).tiny)
        solution += step * direction
        residual -= step * image
        before, length = length, _squares(residual)
        direction = np.asarray(residual + (length / np.maximum(before, np.finfo(np.float32).tiny)) * direction, np.float32)
    return solution


def _squares(rows: Rows) -> Rows:
    return _products(rows, rows)


def _products(left: Rows, right: Rows) -> Rows:
    return np.asarray(np.einsum("ij,ij->j", left, right), np.float32)
