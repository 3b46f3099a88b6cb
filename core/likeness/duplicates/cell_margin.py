"""Measure on a dataset how near to a cell border an image must be to search the next cell."""

from dataclasses import dataclass

import numpy as np

from likeness.arrays import row_slices
from likeness.duplicates.cell_join import largest_margin
from likeness.duplicates.pairs import ROUNDING, Floats, Rows
from likeness.progress import Progress

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
    most = largest_margin(threshold)
    if not len(rows):
        return most
    aside = nearest - np.einsum("ij,ij->i", rows, nearest)[:, None] * rows
    lengths = np.linalg.norm(aside, axis=1, keepdims=True)
    moved = np.asarray(threshold * rows + np.sqrt(max(0.0, 1 - threshold**2)) * aside / np.maximum(lengths, 1e-12), np.float32)
    cell, moved_cell = ((each @ centers.T).argmax(axis=1) for each in (rows, moved))
    needed = _distance(rows, centers[cell], centers[moved_cell])
    if both:
        needed = np.minimum(needed, _distance(moved, centers[moved_cell], centers[cell]))
    return min(most, float(np.quantile(needed, _SHARE, method="higher")))


def _distance(rows: Floats, own: Floats, other: Floats) -> Floats:
    """Of each row from the plane between two centers (t, d); 0 where both are the same."""
    between = own - other
    distances: Floats = np.einsum("ij,ij->i", rows, between) / np.maximum(np.linalg.norm(between, axis=1), np.finfo(np.float32).tiny)
    return distances
