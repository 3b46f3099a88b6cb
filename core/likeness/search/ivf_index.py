"""Inverted file index of an encoder's vectors on disk, which serves every notion."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from likeness.arrays import to_numpy
from likeness.errors import InputError
from likeness.io import decoded, parse_json, read_array, regular_file
from likeness.progress import Progress
from likeness.search.index_folder import replaced_folder, whole_folder
from likeness.search.indexed_search import IndexedSearch
from likeness.search.notion_view import Cells, Floats

_VERSION = 1
_ITERATIONS = 10
# Vectors that k-means sees for each cell; more move its centers by less than their spread.
_PER_CELL = 40
_BLOCK_BYTES = 256 * 1024**2
_FILES = ("centers", "starts", "rows", "vectors")
_ABOUT = "about.json"
_SPOT_CHECKS = 16


class IVFIndex(Cells):
    """An index on disk."""

    @property
    def summary(self) -> str:
        """How large it is, in a few words."""
        n, d = self.vectors.shape
        return f"{n:,} images, {d} dimensions, {len(self.centers):,} cells, {self.vectors.nbytes / 1e6:,.0f} MB"

    def search(self, vectors: Floats, U: Any = None) -> IndexedSearch:
        """The search in a space of these vectors (n, m), exact if that is as fast."""
        return IndexedSearch(vectors, self, U)


def cells_for(count: int) -> int:
    """4 sqrt(n) cells, so that ranking cells costs about as much as searching them."""
    return max(1, min(int(4 * np.sqrt(count)), count // _PER_CELL))


class _Watch:
    """Reports progress, and stops the work on request."""

    def __init__(self, total: int, progress: Progress | None, should_stop: Callable[[], bool] | None) -> None:
        self._total, self._progress, self._should_stop, self._done = total, progress, should_stop, 0

    def add(self, count: int) -> None:
        self._done += count
        if self._progress:
            self._progress(self._done, self._total)
        if self._should_stop and self._should_stop():
            raise InputError("The index was stopped before it was complete; build it again.")


def _write(rows: Floats, folder: Path, cells: int, seed: int, watch: _Watch) -> None:
    import faiss

    quantizer = faiss.IndexFlatIP(rows.shape[1])
    quantizer.add(_centers(rows, cells, seed))
    # first pass: the cell of each vector, from which the layout of the file follows
    cell_of = np.empty(len(rows), np.int32)
    for begin, block in _blocks(rows):
        cell_of[begin : begin + len(block)] = quantizer.search(block, 1)[1][:, 0]
        watch.add(len(block))
    starts = np.concatenate([[0], np.cumsum(np.bincount(cell_of, minlength=cells))]).astype(np.int64)
    np.save(folder / "centers.npy", quantizer.reconstruct_n(0, cells))
    np.save(folder / "starts.npy", starts)
    order = np.lib.format.open_memmap(folder / "rows.npy", "w+", np.int64, (len(rows),))
    vectors = np.lib.format.open_memmap(folder / "vectors.npy", "w+", np.float32, rows.shape)
    for name in ("rows", "vectors"):
        _reserve(folder / f"{name}.npy")
    # second pass: copy each block of vectors to the free places of their cells
    free = starts[:-1].copy()
    for begin, block in _blocks(rows):
        mine = cell_of[begin : begin + len(block)]
        by_cell = np.argsort(mine, kind="stable")
        counts = np.bincount(mine, minlength=cells)
        # the i-th of a cell's vectors in this block goes to the i-th free place of the cell
        places = np.arange(len(block)) + np.repeat(free - (np.cumsum(counts) - counts), counts)
        order[places], vectors[places] = begin + by_cell, block[by_cell]
        free += counts
        watch.add(len(block))
    order.flush()
    vectors.flush()
    # written last: an index without it counts as incomplete, and sizes reveal truncated files
    sizes = {name: (folder / f"{name}.npy").stat().st_size for name in _FILES}
    (folder / _ABOUT).write_text(json.dumps({"version": _VERSION, "bytes": sizes}))


def _reserve(file: Path) -> None:
    """Allocates the disk space now: a memory-mapped file without space would crash the process later instead of raising an error."""
    if hasattr(os, "posix_fallocate"):
        with file.open("r+b") as opened:
            os.posix_fallocate(opened.fileno(), 0, file.stat().st_size)


def _centers(rows: Floats, cells: int, seed: int) -> Floats:
    """Unit centers (cells, d) from k-means on a sample."""
    import faiss

    chosen = np.sort(np.random.default_rng(seed).choice(len(rows), min(len(rows), cells * _PER_CELL), replace=False))
    model = faiss.Kmeans(
        rows.shape[1], cells, niter=_ITERATIONS, spherical=True, seed=seed, min_points_per_centroid=1, max_points_per_centroid=_PER_CELL
    )
    model.train(_finite(rows[chosen]))
    return np.asarray(model.centroids, np.float32)


def _blocks(rows: Floats) -> Iterator[tuple[int, Floats]]:
    size = max(1, _BLOCK_BYTES // (4 * rows.shape[1]))
    for begin in range(0, len(rows), size):
        yield begin, _finite(rows[begin : begin + size])


def _finite(rows: Floats) -> Floats:
    block: Floats = np.ascontiguousarray(rows, dtype=np.float32)
    # one NaN or infinity makes the sum of its row non-finite, which is cheaper to test than every value
    if not np.isfinite(block.sum(axis=1)).all():
        raise InputError("Some vectors have NaN or infinity; embed those images again.")
    return block


def _same_vectors(index: IVFIndex, rows: Floats) -> bool:
    """True if a sample of the stored vectors equals the rows they belong to."""
    # comparing all vectors would read both files; an index of other vectors differs in nearly every row
    places = np.linspace(0, len(rows) - 1, min(_SPOT_CHECKS, len(rows))).astype(int)
    named = index.rows[places]
    return bool((named >= 0).all() and (named < len(rows)).all()) and np.array_equal(index.vectors[places], rows[named].astype(np.float32))


def build_index(
    vectors: Any,
    place: Path | str,
    *,
    cells: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> IVFIndex:
    """Indexes vectors (n, d), unit rows, which may be memory-mapped, in a folder; an index that is there is replaced as a whole.

    An inverted file (IVF): centers by the spherical k-means of faiss on a sample, then two passes over the vectors, to assign cells and to write
    them. Memory: a block of 256 MB and 12 bytes per image. Disk: the size of the vectors.

    Args:
        cells: number of cells; None: 4 sqrt(n).
        seed: of the sample and of k-means.
        progress: called with (steps done, steps), 2 n steps.

    Raises:
        InputError: invalid or non-finite vectors, no disk space, or a stop.
    """
    rows = to_numpy(vectors)
    if rows.ndim != 2 or not rows.size or rows.dtype.kind != "f":
        raise InputError(f"An index needs rows of numbers, but the array has shape {rows.shape} and dtype {rows.dtype}; pass one vector per image.")
    wanted = cells_for(len(rows)) if cells is None else cells
    if not 1 <= wanted <= len(rows):
        raise InputError(f"{wanted} cells do not fit {len(rows)} vectors; choose 1 to {len(rows)}, or use the default.")
    target = Path(place)
    try:
        with replaced_folder(target) as partial:
            _write(rows, partial, wanted, seed, _Watch(2 * len(rows), progress, should_stop))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"The index cannot be written to '{target}' ({reason}); free space or choose another folder.") from error
    return open_index(target, rows)


def open_index(place: Path | str, vectors: Any) -> IVFIndex:
    """Opens the index of these vectors (n, d) without reading it.

    InputError: it is missing, truncated, damaged or belongs to other vectors.
    """
    path, rows = whole_folder(Path(place)), to_numpy(vectors)
    try:
        about = parse_json(decoded(regular_file(path / _ABOUT).read_bytes(), f"'{_ABOUT}'"), f"'{_ABOUT}'")
        short = [name for name in _FILES if (path / f"{name}.npy").stat().st_size != about["bytes"][name]]
        if short or about["version"] != _VERSION:
            raise ValueError(f"'{short[0]}.npy' has not the size that it was written with" if short else "it is of another version")
        index = IVFIndex(*(read_array(path / f"{name}.npy", mapped=True) for name in _FILES))
    except FileNotFoundError as error:
        raise InputError(f"There is no complete index in '{path}'; build it again.") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"The index in '{path}' is damaged ({error}); build it again.") from error
    if index.vectors.shape != rows.shape or not _same_vectors(index, rows):
        raise InputError(f"The index in '{path}' belongs to other vectors than these {' x '.join(map(str, rows.shape))}; build it again.")
    return index
