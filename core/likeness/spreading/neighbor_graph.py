"""Label propagation on the neighbor graph: Zhou, Bousquet, Lal, Weston and Schoelkopf, "Learning with local and global consistency", NIPS 2003."""

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.progress import Progress, report_progress

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from likeness.space import Space

Rows = NDArray[np.float32]

NEIGHBORS = 15
_AT_ONCE = 4096  # queries between two reports of progress
_KEPT = 8  # graphs that stay in memory; of 100,000 images one has some 20 MB
ALPHA = 0.8
_TOLERANCE, _MOST_STEPS = 1e-3, 100
_LOCK = Lock()
_graphs: "OrderedDict[tuple[str, int], csr_array]" = OrderedDict()


def neighbor_graph(space: "Space", neighbors: int = NEIGHBORS, *, progress: Progress | None = None) -> "csr_array":
    """Symmetric weights (n, n), sparse, float32: of images that are among each other's nearest, in either direction.

    Neighbors come from the space's own search, so through its index where there is one. Their weight is exp(-|x - y|^2 / (s_x s_y)) with the distance
    s_x to the last neighbor of x (self-tuning: Zelnik-Manor and Perona, NIPS 2004), so that it depends on no scale of the space. Copies have weight
    1. The last few graphs stay in memory, found by the space's content. InputError: neighbors < 1, or a single image.

    Example:
        >>> import numpy as np, likeness as lk
        >>> neighbor_graph(lk.Space(np.eye(4) + 0.5 * np.eye(4)[[1, 0, 3, 2]]), 1).toarray()[0].round(2)
        array([0.  , 0.37, 0.  , 0.  ], dtype=float32)
    """
    if neighbors < 1 or len(space) < 2:
        raise InputError(f"{neighbors} neighbors of {len(space)} images were asked for; ask for at least 1, of at least 2 images.")
    key = (space.key, min(neighbors, len(space) - 1))
    with _LOCK:
        if key in _graphs:
            _graphs.move_to_end(key)
            return _graphs[key]
    # outside of the lock: others keep reading; two threads may compute the same graph, and either result is right
    graph = _graph(space, key[1], progress)
    with _LOCK:
        _graphs[key] = graph
        while len(_graphs) > _KEPT:
            _graphs.popitem(last=False)
    return graph


def _graph(space: "Space", k: int, progress: Progress | None) -> "csr_array":
    from scipy.sparse import csr_array

    n = len(space)
    rows, similarities = np.full((n, k), -1), np.zeros((n, k), np.float32)
    for begin in range(0, n, _AT_ONCE):
        part = slice(begin, min(begin + _AT_ONCE, n))
        found = space.nearest(space.vectors[part], k, exclude=np.arange(part.start, part.stop))
        there = slice(0, found.rows.shape[1])  # fewer where rows are of the same image
        rows[part, there], similarities[part, there] = found.rows, found.similarities
        report_progress(progress, part.stop, n)
    real = rows >= 0  # an index may find fewer
    # |x - y|^2 of unit vectors; rounding can make the cosine of copies exceed 1
    squares = np.maximum(2 - 2 * similarities.astype(np.float64), 0)
    reach = np.sqrt(np.where(real, squares, 0).max(axis=1))
    # if all neighbors are copies the scale is 0: eps makes their weight exp(0) = 1 instead of NaN
    scale = np.maximum(reach[:, None] * reach[np.maximum(rows, 0)], np.finfo(np.float32).eps)
    weights = np.exp(-squares / scale).astype(np.float32)
    begins = np.concatenate([[0], real.sum(axis=1).cumsum()])
    directed = csr_array((weights[real], rows[real].astype(np.int32), begins.astype(np.int32)), shape=(n, n))
    directed.sort_indices()
    # the maximum, not the sum, so that mutual neighbors do not count twice
    return directed.maximum(directed.T).tocsr()


def normalized_graph(weights: "csr_array") -> "csr_array":
    """S = D^(-1/2) W D^(-1/2) of symmetric weights W (n, n); D has their row sums on its diagonal. An image without neighbors has a row of zeros."""
    from scipy.sparse import diags_array

    degree = np.asarray(weights.sum(axis=1), np.float64).ravel()
    scale = diags_array(np.where(degree > 0, 1 / np.sqrt(np.maximum(degree, np.finfo(np.float64).tiny)), 0).astype(np.float32))
    return (scale @ weights @ scale).tocsr()


def propagate(graph: "csr_array", starts: Rows, alpha: float = ALPHA, tolerance: float = _TOLERANCE) -> Rows:
    """F (n, t) with F = alpha S F + (1 - alpha) Y, to which the update of Zhou et al. converges. Solved by conjugate gradients, since I - alpha S is
    symmetric with eigenvalues from 1 - alpha to 1 + alpha: that takes a quarter of the update's steps.

    Args:
        graph: S (n, n), as `normalized_graph` makes it.
        starts: Y (n, t), 1 where an image has a label, a column per class or per part of its labels.
        alpha: how much of its scores an image takes from its neighbors, from 0 to below 1.
        tolerance: length of what is left of a column, in parts of its start.
    """
    residual = np.asarray((1 - alpha) * starts, np.float32)
    solution, direction, length = np.zeros_like(residual), residual.copy(), _products(residual, residual)
    enough = np.maximum(length * tolerance**2, np.finfo(np.float32).tiny)
    for _ in range(_MOST_STEPS):
        if (length <= enough).all():
            break
        image = direction - np.float32(alpha) * (graph @ direction)
        # a converged column has direction 0: tiny keeps 0 / 0 from becoming NaN while others go on
        step = length / np.maximum(_products(direction, image), np.finfo(np.float32).tiny)
        solution += step * direction
        residual -= step * image
        before, length = length, _products(residual, residual)
        direction = np.asarray(residual + (length / np.maximum(before, np.finfo(np.float32).tiny)) * direction, np.float32)
    return np.maximum(solution, 0)  # exact solutions are never below 0


def _products(left: Rows, right: Rows) -> Rows:
    return np.asarray(np.einsum("ij,ij->j", left, right), np.float32)
