"""Find pairs of similar images: near copies in an encoder's space, "the same garment" or "the same scene" in a notion's."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from likeness.duplicates.cell_join import join_cells
from likeness.duplicates.cell_margin import Sample, cell_margin, compare_sample
from likeness.duplicates.pairs import MOST_PAIRS, NearPairs, PairCollector, Rows, join_blocks
from likeness.errors import InputError
from likeness.io import cache_dir, make_folder
from likeness.progress import Progress
from likeness.search import IVFIndex, build_index

if TYPE_CHECKING:
    from likeness.space import Space

# Images up to which every pair is compared: half a minute on two cores.
EXACT_IMAGES = 50_000


def near_copies(
    space: "Space", threshold: float, *, exact: bool | None = None, seed: int = 0, progress: Progress | None = None, most: int = MOST_PAIRS
) -> NearPairs:
    """All pairs of images of a space whose cosine similarity reaches a threshold.

    Up to 50,000 images every pair is compared. With more, images are compared with those of their own index cell and of cells whose border is near;
    the margin is tuned on 512 images for a recall above 0.99, which is measured on 1,024 others, compared with all. If the space has no index (a
    notion's never has, because its neighbors differ from the encoder's), a temporary one is built, which takes as much disk space as the vectors.
    Memory is bounded by a block of images and the pairs found.

    Args:
        threshold: above 0, up to 1; `likeness.duplicates.suggest_threshold` suggests one.
        exact: compare every pair (True) or use cells (False); None: by the number of images.
        most: pairs that there is room for.

    Raises:
        InputError: a threshold out of range, or more pairs than that (`TooManyPairsError`).

    Example:
        >>> import numpy as np, likeness as lk
        >>> pairs = near_copies(lk.Space(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.01]])), 0.99)
        >>> pairs.rows.tolist(), pairs.message
        ([[0, 2]], 'Exact: every pair of images was compared.')
    """
    return _pairs(space, None, threshold, exact, seed, progress, most)


def near_copies_between(
    first: "Space",
    second: "Space",
    threshold: float,
    *,
    exact: bool | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    most: int = MOST_PAIRS,
) -> NearPairs:
    """As `near_copies`, for pairs between two spaces of the same encoder and notion, such as test and training images. Cells are those of `second`.

    Raises:
        InputError: as above, or the spaces differ in encoder or dimensions.
    """
    if first.vectors.shape[1] != second.vectors.shape[1] or first.encoder_name != second.encoder_name:
        said = [f"'{each.name}' ({each.encoder_name or 'no encoder'}, {each.vectors.shape[1]} dimensions)" for each in (first, second)]
        raise InputError(f"{said[0]} and {said[1]} are different spaces; embed both sets of images with the same encoder and notion.")
    return _pairs(first, second, threshold, exact, seed, progress, most)


def check_threshold(threshold: float) -> float:
    """The threshold itself; raises InputError unless it is above 0 and at most 1."""
    if not 0 < threshold <= 1:
        raise InputError(f"The threshold is {threshold:g}; pass a cosine similarity above 0, up to 1, such as 0.95.")
    return threshold


def _pairs(
    first: "Space", second: "Space | None", threshold: float, exact: bool | None, seed: int, progress: Progress | None, most: int
) -> NearPairs:
    check_threshold(threshold)
    within, other = second is None, first if second is None else second
    collector = PairCollector(len(other), threshold, within, most)
    if exact or (exact is None and len(first) * len(other) <= EXACT_IMAGES**2):
        join_blocks(first.vectors, None if second is None else second.vectors, threshold, collector, progress)
        return NearPairs(*collector.pairs(), threshold)
    with _cells(other, seed, progress) as index:
        sample = compare_sample(first.vectors, other.vectors, threshold, within, seed, progress)
        margin = cell_margin(np.asarray(first.vectors[sample.tuned]), sample.nearest, index.centers, threshold, both=within)
        join_cells(index, None if within else first.vectors, threshold, margin, collector, progress)
    rows, similarities = collector.pairs()
    return NearPairs(rows, similarities, threshold, False, len(sample.pairs), _found(sample, rows, len(other), within))


@contextmanager
def _cells(space: "Space", seed: int, progress: Progress | None) -> Iterator[IVFIndex]:
    """The space's own index if its cells are those of the space, else a temporary one."""
    if isinstance(space.index, IVFIndex) and space.linear is None:
        yield space.index
        return
    folder = cache_dir() / "duplicates"
    make_folder(folder)
    # in the cache, not in the system's temporary folder, which may be a small memory file system
    with tempfile.TemporaryDirectory(dir=folder) as place:
        told = (lambda done, total: progress(done, total, "Dividing into cells")) if progress else None
        index = build_index(space.vectors, Path(place) / "index", seed=seed, progress=told)
        assert isinstance(index, IVFIndex)
        yield index


def _found(sample: Sample, rows: Rows, columns: int, within: bool) -> int:
    """The number of the sample's pairs that were found."""
    pairs = np.sort(sample.pairs, axis=1) if within else sample.pairs
    return int(np.isin(pairs[:, 0] * columns + pairs[:, 1], rows[:, 0] * columns + rows[:, 1]).sum())
