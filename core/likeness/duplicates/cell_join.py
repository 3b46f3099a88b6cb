"""Find all pairs above a similarity through the cells of an index: each image is compared with those of its own cell and of cells whose border is
near.
"""

from concurrent.futures import ThreadPoolExecutor
from os import cpu_count

import numpy as np

from likeness.duplicates.pairs import ROUNDING, Floats, PairCollector, Rows
from likeness.progress import Progress
from likeness.search import IVFIndex
from likeness.threads import one_blas_thread

_BLOCK_BYTES = 128 * 1024**2  # of the images that look into cells at a time
_CHUNK = 4096  # queries whose own cell is looked for at a time
AROUND = 512  # cells that an image may look into, those nearest to its own


def plane_distances(rows: Floats, own: Floats, others: Floats) -> Floats:
    """Distance (r, cells) of each row (r, d), in the cell of center `own` (d,), from the plane between that cell and each other one; at least 0, and
    0 if the other center is equal.
    """
    between = own - others
    lengths = np.linalg.norm(between, axis=1)
    distances: Floats = rows @ np.divide(between.T, lengths, out=np.zeros_like(between.T), where=lengths > 0)
    return distances


def join_cells(
    index: IVFIndex, queries: Floats | None, threshold: float, margin: float, found: PairCollector, progress: Progress | None = None
) -> None:
    """Adds the pairs (query, image of the index) that reach a similarity to `found`; of unit rows (q, d), or the images of the index themselves.

    A query searches its own cell and all cells whose plane is at most `margin` away: few cells for images in the middle of a cell, many for images
    between cells; at most the 512 cells nearest to its own. Up to that number, a margin of |x - y| misses no pair of that distance: with x in the
    cell of center a and y in that of b, x . (a - b) >= 0 >= y . (a - b), so x is at most (x - y) . (a - b) / |a - b| away from their plane. Memory
    is bounded by a block of queries and their similarities.
    """
    count = len(index.rows) if queries is None else len(queries)
    size = max(1, _BLOCK_BYTES // (4 * index.vectors.shape[1]))
    with one_blas_thread(), ThreadPoolExecutor(cpu_count() or 1, thread_name_prefix="likeness-pairs") as threads:
        for begin in range(0, count, size):
            if queries is None:
                block, numbers = np.array(index.vectors[begin : begin + size]), np.asarray(index.rows[begin : begin + size])
                own = np.searchsorted(index.starts, np.arange(begin, begin + len(block)), side="right") - 1
            else:
                block, numbers, own = _by_cell(np.asarray(queries[begin : begin + size]), begin, index.centers, threads)
            _join_block(index, block, numbers, own, (threshold, margin), found, threads)
            if progress:
                progress(begin + len(block), count, "Comparing like images")


def _by_cell(block: Floats, begin: int, centers: Floats, threads: ThreadPoolExecutor) -> tuple[Floats, Rows, Rows]:
    """Queries in the order of their cells, their numbers and cells."""
    parts = [block[start : start + _CHUNK] for start in range(0, len(block), _CHUNK)]
    own = np.concatenate(list(threads.map(lambda part: np.argmax(part @ centers.T, axis=1), parts)))
    order = np.argsort(own, kind="stable")
    return block[order], begin + order, own[order]


def _join_block(
    index: IVFIndex, block: Floats, numbers: Rows, own: Rows, reach: tuple[float, float], found: PairCollector, threads: ThreadPoolExecutor
) -> None:
    """The pairs of some queries (b, d) in the order of their cells (b,), which are the images of these numbers (b,)."""
    (threshold, margin), centers = reach, np.asarray(index.centers)
    bounds = np.searchsorted(own, np.arange(len(centers) + 1))

    def visits(cell: int) -> Rows:
        """Positions in the block and the cells that each searches, (2, visits)."""
        rows = block[bounds[cell] : bounds[cell + 1]]
        toward = centers @ centers[cell]
        near = np.arange(len(centers)) if len(centers) <= AROUND else np.argpartition(-toward, AROUND)[:AROUND]
        place, other = np.nonzero(plane_distances(rows, centers[cell], centers[near]) <= margin)
        return np.stack([bounds[cell] + place, near[other]])

    # first all visits, then the comparisons cell by cell: each cell's vectors are read once per block
    place, cell = np.hstack(list(threads.map(visits, np.flatnonzero(np.diff(bounds)).tolist())))
    order = np.argsort(cell, kind="stable")
    place, starts = place[order], np.searchsorted(cell[order], np.arange(len(centers) + 1))

    def compare(number: int) -> None:
        visitors, part = place[starts[number] : starts[number + 1]], index.cell(number)
        members = np.asarray(index.vectors[part])
        if len(members):
            similarities = block[visitors] @ members.T
            row, column = np.divmod(np.flatnonzero(similarities >= threshold - ROUNDING), len(members))
            found.add(numbers[visitors[row]], np.asarray(index.rows[part])[column], similarities[row, column])

    for _ in threads.map(compare, np.flatnonzero(np.diff(starts)).tolist()):
        pass
