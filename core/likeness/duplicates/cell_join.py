"""All pairs above a similarity among many images, through the cells of an index: each image is compared with those of its own cell and of the cells
whose border it lies near to."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count

import numpy as np

from likeness.duplicates.pairs import ROUNDING, Floats, PairCollector, Rows
from likeness.progress import Progress
from likeness.search import IVFIndex
from likeness.threads import one_blas_thread

_BLOCK_BYTES = 128 * 1024**2  # of the images that look into cells at a time
_CHUNK_BYTES = 16 * 1024**2  # of similarities to the centers


def largest_margin(threshold: float) -> float:
    """The distance |x - y| of unit vectors whose cosine is the threshold: a margin with which no pair is missed.

    Let x lie in cell a and y in cell b, so that x . (a - b) >= 0 >= y . (a - b) for the centers a and b. The distance of x from the plane between
    both cells, x . (a - b) / |a - b|, is then at most (x - y) . (a - b) / |a - b| <= |x - y|.
    """
    return float(np.sqrt(max(0.0, 2 - 2 * (threshold - ROUNDING))))


def plane_distances(rows: Floats, own: Rows, centers: Floats) -> Floats:
    """How far each row (r, d) lies from the plane between its own cell (r,) and each cell (r, cells): 0 or more, 0 for its own."""
    products, close = rows @ centers.T, centers[own] @ centers.T
    squares = np.einsum("ij,ij->i", centers, centers)
    between = np.sqrt(np.maximum(squares[own, None] + squares - 2 * close, np.finfo(np.float32).tiny))
    distances: Floats = (products[np.arange(len(rows)), own, None] - products) / between
    distances[np.arange(len(rows)), own] = 0
    return distances


def join_cells(
    index: IVFIndex, queries: Floats | None, threshold: float, margin: float, found: PairCollector, progress: Progress | None = None
) -> None:
    """Adds the pairs (query, image of the index) that reach a similarity to `found`.

    A query looks through its own cell and all whose plane it lies near to, at most `margin` away: images in the middle of a cell through few cells,
    images between cells through many. With `largest_margin` nothing is missed; a smaller one, measured on a sample, misses what
    `likeness.duplicates.cell_margin` says. Memory is that of a block of queries and their similarities, whatever the number of images.

    Args:
        index: of the images.
        queries: (q, d) unit rows; None: the images of the index themselves.
        threshold, margin: as above.
        progress: called with (queries done, all).
    """
    count = len(index.rows) if queries is None else len(queries)
    size = max(1, _BLOCK_BYTES // (4 * index.vectors.shape[1]))
    with one_blas_thread(), ThreadPoolExecutor(cpu_count() or 1, thread_name_prefix="likeness-pairs") as threads:
        for begin in range(0, count, size):
            if queries is None:
                block = np.array(index.vectors[begin : begin + size])
                numbers = np.asarray(index.rows[begin : begin + size])
                own = np.searchsorted(index.starts, np.arange(begin, begin + len(block)), side="right") - 1
            else:
                block = np.array(queries[begin : begin + size])
                numbers, own = np.arange(begin, begin + len(block)), None
            _join_block(index, block, numbers, own, (threshold, margin), found, threads)
            if progress:
                progress(begin + len(block), count, "Comparing like images")


def _join_block(
    index: IVFIndex,
    block: Floats,
    numbers: Rows,
    own: Rows | None,
    reach: tuple[float, float],
    found: PairCollector,
    threads: ThreadPoolExecutor,
) -> None:
    """The pairs of some queries (b, d), which are the images of these numbers (b,) and, where that is known, lie in these cells (b,)."""
    threshold, margin = reach
    place, cell = np.hstack(list(threads.map(lambda part: _visits(block, own, part, index.centers, margin), _chunks(len(block), index))))
    order = np.argsort(cell, kind="stable")
    place, bounds = place[order], np.searchsorted(cell[order], np.arange(len(index.centers) + 1))

    def compare(number: int) -> None:
        visitors, part = place[bounds[number] : bounds[number + 1]], index.cell(number)
        members = np.asarray(index.vectors[part])
        if len(visitors) and len(members):
            similarities = block[visitors] @ members.T
            row, column = np.divmod(np.flatnonzero(similarities >= threshold - ROUNDING), len(members))
            found.add(numbers[visitors[row]], np.asarray(index.rows[part])[column], similarities[row, column])

    for _ in threads.map(compare, range(len(index.centers))):
        pass


def _chunks(count: int, index: IVFIndex) -> Iterator[slice]:
    size = max(1, _CHUNK_BYTES // (4 * len(index.centers)))
    for begin in range(0, count, size):
        yield slice(begin, min(begin + size, count))


def _visits(block: Floats, own: Rows | None, part: slice, centers: Floats, margin: float) -> Rows:
    """Places in the block and the cells that they look into, (2, visits)."""
    rows = block[part]
    mine = np.argmax(rows @ centers.T, axis=1) if own is None else own[part]
    place, cell = np.nonzero(plane_distances(rows, mine, centers) <= margin)
    return np.stack([place + part.start, cell])
