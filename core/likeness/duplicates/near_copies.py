"""Find pairs of similar images: near copies in an encoder's space, "the same garment" or "the same scene" in a notion's."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from likeness.arrays import row_slices
from likeness.duplicates.cell_join import join_cells
from likeness.duplicates.pairs import MOST_PAIRS, ROUNDING, Floats, NearPairs, PairCollector, Rows, join_blocks
from likeness.errors import InputError
from likeness.io import cache_dir, make_folder
from likeness.progress import Progress
from likeness.search import IVFIndex, build_index
from likeness.space import Space

# Images up to which every pair is compared: half a minute on two cores.
_EXACT_IMAGES = 50_000


def near_copies(
    space: Space,
    threshold: float,
    other: Space | None = None,
    *,
    exact: bool | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    most: int = MOST_PAIRS,
) -> NearPairs:
    """All pairs of images of a space, or of one and another space of the same encoder and notion, whose cosine similarity reaches a threshold.

    Up to 50,000 images every pair is compared. With more, images are compared with those of their own index cell and of cells whose border is near;
    the margin is tuned on 512 images for a recall above 0.99, which is measured on 1,024 others, compared with all. If the space has no index (a
    notion's never has, because its neighbors differ from the encoder's), a temporary one is built, which takes as much disk space as the vectors.
    Memory is bounded by a block of images and the pairs found.

    Args:
        threshold: above 0, up to 1; `likeness.duplicates.suggest_threshold` suggests one.
        other: such as the training images of test images; cells are those of this space.
        exact: compare every pair (True) or use cells (False); None: by the number of images.
        most: pairs that there is room for.

    Raises:
        InputError: a threshold out of range, spaces that differ in encoder or dimensions, or more pairs than that (`TooManyPairsError`).

    Example:
        >>> import numpy as np, likeness as lk
        >>> pairs = near_copies(lk.Space(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.01]])), 0.99)
        >>> pairs.rows.tolist(), pairs.message
        ([[0, 2]], 'Exact: every pair of images was compared.')
    """
    check_threshold(threshold)
    within, second = other is None, space if other is None else other
    if space.vectors.shape[1] != second.vectors.shape[1] or space.encoder_name != second.encoder_name:
        said = [f"'{each.name}' ({each.encoder_name or 'no encoder'}, {each.vectors.shape[1]} dimensions)" for each in (space, second)]
        raise InputError(f"{said[0]} and {said[1]} are different spaces; embed both sets of images with the same encoder and notion.")
    collector = PairCollector(len(second), threshold, within, most)
    if exact or (exact is None and len(space) * len(second) <= _EXACT_IMAGES**2):
        join_blocks(space.vectors, None if within else second.vectors, threshold, collector, progress)
        return NearPairs(*collector.pairs(), threshold)
    with _cells(second, seed, progress) as index:
        sample = compare_sample(space.vectors, second.vectors, threshold, within, seed, progress)
        margin = cell_margin(np.asarray(space.vectors[sample.tuned]), sample.nearest, index.centers, threshold, both=within)
        join_cells(index, None if within else space.vectors, threshold, margin, collector, progress)
    rows, similarities = collector.pairs()
    sampled = np.sort(sample.pairs, axis=1) if within else sample.pairs
    found = np.isin(sampled[:, 0] * len(second) + sampled[:, 1], rows[:, 0] * len(second) + rows[:, 1])
    return NearPairs(rows, similarities, threshold, False, len(sampled), int(found.sum()))


def check_threshold(threshold: float) -> float:
    """The threshold itself; raises InputError unless it is above 0 and at most 1."""
    if not 0 < threshold <= 1:
        raise InputError(f"The threshold is {threshold:g}; pass a cosine similarity above 0, up to 1, such as 0.95.")
    return threshold


@contextmanager
def _cells(space: Space, seed: int, progress: Progress | None) -> Iterator[IVFIndex]:
    """The space's own index if its cells are those of the space, else a temporary one."""
    if isinstance(space.index, IVFIndex) and space.linear is None:
        yield space.index
        return
    folder = cache_dir() / "duplicates"
    make_folder(folder)
    # in the cache, not in the system's temporary folder, which may be a small memory file system
    with tempfile.TemporaryDirectory(dir=folder) as place:
        told = (lambda done, total, *stage: progress(done, total, "Dividing into cells")) if progress else None
        yield build_index(space.vectors, Path(place) / "index", seed=seed, progress=told)


TUNED, JUDGED = 512, 1024  # images that are compared with all others: those that set the margin, and those that tell what it finds
# More than the .99 that are promised: another 512 images may do worse by some thousandths.
_SHARE = 0.997
_SAME = 1 - 1e-4  # copies that lie so near to an image show no direction in which others differ from it


@dataclass(frozen=True)
class Sample:
    """A random sample of images, compared with all others.

    Attributes:
        tuned: rows (t,) whose nearest images determine the margin.
        nearest: vectors (t, d) of the most similar image of each that is not an exact copy.
        pairs: (p, 2) rows of the first side, drawn apart from `tuned`, and of the second that reach the threshold; they tell what was found.
    """

    tuned: Rows
    nearest: Floats
    pairs: Rows


def compare_sample(queries: Floats, others: Floats, threshold: float, within: bool, seed: int = 0, progress: Progress | None = None) -> Sample:
    """Compares images drawn from the first side (n, d) with all of the second (m, d), in one pass over it. `within`: both are the same images; an
    image is then not compared with itself."""
    drawn = np.random.default_rng(seed).permutation(len(queries))[: TUNED + JUDGED]
    half = min(TUNED, len(drawn) // 3 or 1)
    rows = np.ascontiguousarray(queries[drawn])
    best, where = np.full(half, -np.inf, np.float32), np.zeros(half, np.int64)
    pairs = []
    for part in row_slices(*others.shape):
        near = rows @ np.asarray(others[part]).T
        if within:
            inside = np.flatnonzero((drawn >= part.start) & (drawn < part.stop))
            near[inside, drawn[inside] - part.start] = -np.inf
        judged, column = np.nonzero(near[half:] >= threshold - ROUNDING)
        pairs.append(np.stack([drawn[half + judged], part.start + column], axis=1))
        no_copies = np.where(near[:half] < _SAME, near[:half], -np.inf)
        first = no_copies.argmax(axis=1)
        values = no_copies[np.arange(half), first]
        where, best = np.where(values > best, part.start + first, where), np.maximum(values, best)
        if progress:
            progress(part.stop, len(others), "Measuring on a sample")
    kept = np.flatnonzero(np.isfinite(best))
    return Sample(drawn[:half][kept], np.ascontiguousarray(others[where[kept]]), np.concatenate(pairs))


def cell_margin(rows: Floats, nearest: Floats, centers: Floats, threshold: float, both: bool) -> float:
    """The margin of `join_cells` with which .997 of pairs that are no more alike than the threshold would be found.

    Each image x (t, d) is moved toward the most similar other one (t, d) until the cosine falls to the threshold. This simulates pairs at the
    threshold in a realistic direction; real pairs are nearer and found more often. `both`: images of either side look into the cells (cells, d) of
    the other, so that one of the two suffices.
    """
    if not len(rows):
        return float(np.sqrt(2 - 2 * (threshold - ROUNDING)))  # the distance of a pair at the threshold: misses nothing
    aside = nearest - np.einsum("ij,ij->i", rows, nearest)[:, None] * rows
    lengths = np.linalg.norm(aside, axis=1, keepdims=True)
    moved = np.asarray(threshold * rows + np.sqrt(max(0.0, 1 - threshold**2)) * aside / np.maximum(lengths, 1e-12), np.float32)
    cell, moved_cell = ((each @ centers.T).argmax(axis=1) for each in (rows, moved))
    needed = _distance(rows, centers[cell], centers[moved_cell])
    if both:
        needed = np.minimum(needed, _distance(moved, centers[moved_cell], centers[cell]))
    return float(np.quantile(needed, _SHARE, method="higher"))


def _distance(rows: Floats, own: Floats, other: Floats) -> Floats:
    """Of each row from the plane between two centers (t, d); 0 where both are the same."""
    between = own - other
    distances: Floats = np.einsum("ij,ij->i", rows, between) / np.maximum(np.linalg.norm(between, axis=1), np.finfo(np.float32).tiny)
    return distances
