"""The graph that labels spread along: each image and its nearest, weighed by how near they are."""

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import InputError
from likeness.progress import Progress

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from likeness.space import Space

NEIGHBORS = 15
_AT_ONCE = 4096  # queries between two reports of progress
_KEPT = 8  # graphs that stay in memory; of 100,000 images one has some 20 MB
_LOCK = Lock()
_graphs: "OrderedDict[tuple[str, int], csr_array]" = OrderedDict()


def neighbor_graph(space: "Space", neighbors: int = NEIGHBORS, *, progress: Progress | None = None) -> "csr_array":
    """Symmetric weights (n, n), sparse, float32: of images that are among each other's nearest, in either direction.

    Neighbors come from the space's own search, so through its index where there is one. Their weight is exp(-|x - y|^2 / (s_x s_y)) with the
    distance s_x to the last neighbor of x (self-tuning: Zelnik-Manor and Perona, NIPS 2004), so that it depends on no scale of the space. Copies have
    weight 1. The last few graphs stay in memory, found by the space's content.

    Args:
        space: at least two images.
        neighbors: of each image; fewer where there are no more images.
        progress: called with (images done, images).

    Raises:
        InputError: neighbors < 1, or a single image.

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
        if progress:
            progress(part.stop, n)
    real = rows >= 0  # an index may find fewer
    squares = np.maximum(2 - 2 * similarities.astype(np.float64), 0)
    reach = np.sqrt(np.where(real, squares, 0).max(axis=1))
    scale = np.maximum(reach[:, None] * reach[np.maximum(rows, 0)], np.finfo(np.float32).eps)
    weights = np.exp(-squares / scale).astype(np.float32)
    begins = np.concatenate([[0], real.sum(axis=1).cumsum()])
    directed = csr_array((weights[real], rows[real].astype(np.int32), begins.astype(np.int32)), shape=(n, n))
    directed.sort_indices()
    return directed.maximum(directed.T).tocsr()
