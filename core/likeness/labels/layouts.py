"""Room layouts: one minus the mean intersection over union of segmentations (Kim et al., CVPR 2019, section 4.4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.io import MatError, check_readable, check_scans, mat_variable
from likeness.labels.kind import LabelKind, LabelOptions
from likeness.labels.protocol import Distances, Rows
from likeness.progress import Progress

Masks = NDArray[np.uint8]
Surfaces = NDArray[np.float32]
Matching = Literal["best", "numbers"]
# Regions up to which all pairs of images are matched at once: their sets are 2 to this power.
_MOST_AT_ONCE = 6


def layout_distances(a: Any, b: Any, matching: Matching = "best") -> Distances:
    """1 - mIoU (n, m) of segmentations a (n, h, w) and b (m, h, w), one number from 0 to 255 per pixel; 0 to 1.

    The mean is over the regions of the mask with more regions; unmatched ones count as 0. Label 0 is background. InputError: masks of different
    sizes, with other values than integers from 0 to 255, or without any region.

    Args:
        matching: "best": each region has its own partner, so that the mean is as large as it can be, whatever their numbers, as in the challenge of
            LSUN, whose toolkit numbers regions as it finds them. "numbers": those of the same number, which then have to be the same surface in all
            images; a number that only one mask has counts as 0.
    """
    first, second = _checked(a), _checked(b)
    if first.shape[1:] != second.shape[1:]:
        raise InputError(f"The masks have {first.shape[1:]} and {second.shape[1:]} pixels; bring them to one size.")
    if matching == "best":
        return _matched_distances(_by_turn(first), _by_turn(second))
    numbers = np.union1d(first, second)
    return _numbered_distances(_by_number(first, numbers), _by_number(second, numbers))


def _checked(masks: Any) -> Masks:
    given = np.asarray(masks)
    if given.ndim != 3 or given.dtype.kind not in "iub" or (given.size and (given.min() < 0 or given.max() > 255)):
        raise InputError(f"The masks have shape {given.shape} and type {given.dtype}; give one number from 0 to 255 per pixel, (n, h, w).")
    empty = np.flatnonzero(~given.any(axis=(1, 2)))
    if empty.size:
        raise InputError(f"The mask of image {empty[0]} shows no surface, only 0; remove this image.")
    return given.astype(np.uint8)


def _by_number(masks: Masks, numbers: NDArray[Any]) -> Surfaces:
    """Masks (k, n, h * w) of the pixels with each number except 0."""
    flat = masks.reshape(1, len(masks), -1)
    return np.asarray(flat == numbers[numbers > 0][:, None, None], dtype=np.float32)


def _by_turn(masks: Masks) -> Surfaces:
    """The regions of each image, (k, n, h * w), with k the maximum number of regions; missing ones are empty."""
    flat = masks.reshape(len(masks), masks.shape[1] * masks.shape[2])
    numbers = [np.unique(row[row > 0]) for row in flat]
    found = np.zeros((max(map(len, numbers), default=0), *flat.shape), np.float32)
    for place, own in enumerate(numbers):
        found[: len(own), place] = flat[place] == own[:, None]
    return found


def _numbered_distances(first: Surfaces, second: Surfaces) -> Distances:
    total, shown = (np.zeros((first.shape[1], second.shape[1]), np.float32) for _ in range(2))
    for ours, theirs in zip(first, second, strict=True):
        both, union = _overlap(ours, theirs)
        total += both / np.maximum(union, 1)
        shown += union > 0
    return np.asarray(np.maximum(1 - total / shown, 0), dtype=np.float32)


def _matched_distances(first: Surfaces, second: Surfaces) -> Distances:
    """Distances by the best assignment of regions, for all pairs at once: dynamic programming over regions, with the best sum for each set of used
    partners.
    """
    if len(first) > len(second):
        return _matched_distances(second, first).T
    regions = np.maximum.outer(*(surfaces.any(axis=2).sum(axis=0) for surfaces in (first, second)))
    if len(second) > _MOST_AT_ONCE:
        return np.asarray(1 - _assigned(first, second) / regions, dtype=np.float32)
    # Held-Karp style: best[set of used partners] is the largest sum of overlaps so far, for all pairs of images at once
    best = {frozenset[int](): np.zeros(regions.shape, np.float32)}
    for ours in first:
        shares = [both / np.maximum(union, 1) for both, union in (_overlap(ours, theirs) for theirs in second)]
        grown: dict[frozenset[int], NDArray[np.float32]] = {}
        for taken, total in best.items():
            for place in set(range(len(second))) - taken:
                chosen, value = taken | {place}, total + shares[place]
                grown[chosen] = np.asarray(np.maximum(grown.get(chosen, value), value), dtype=np.float32)
        best = grown
    return np.asarray(np.maximum(1 - np.maximum.reduce(list(best.values())) / regions, 0), dtype=np.float32)


def _assigned(first: Surfaces, second: Surfaces) -> NDArray[np.float32]:
    """The same sums, pair by pair, for masks with many regions."""
    from scipy.optimize import linear_sum_assignment

    sums = np.empty((first.shape[1], second.shape[1]), np.float32)
    for row, column in np.ndindex(sums.shape):
        both, union = _overlap(first[:, row], second[:, column])
        shares = both / np.maximum(union, 1)
        sums[row, column] = shares[linear_sum_assignment(shares, maximize=True)].sum()
    return sums


def _overlap(ours: NDArray[np.float32], theirs: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Intersections and unions (n, m) of regions (n, p) with others (m, p), in pixels."""
    both = ours @ theirs.T
    return both, ours.sum(axis=1)[:, None] + theirs.sum(axis=1)[None, :] - both


def read_layouts(files: Sequence[Path], size: int = 64) -> Masks:
    """Segmentations (n, size, size) from image files whose pixel values are labels, or .mat files with a variable `layout` (h, w) of labels, as those
    of LSUN Room Layout; resized by nearest neighbor, whatever the shape. InputError: an unreadable file, or one without labels.
    """
    masks = np.empty((len(files), size, size), np.uint8)
    for number, file in enumerate(files):
        labels = _from_mat(file) if file.suffix.lower() == ".mat" else _from_image(file)
        masks[number] = np.asarray(Image.fromarray(labels).resize((size, size), Image.Resampling.NEAREST))
    return masks


def _from_image(file: Path) -> Masks:
    try:
        with check_readable(file).open("rb") as content:
            check_scans(content, file.name)
            image = Image.open(content)
            if image.mode not in ("L", "P", "1"):
                raise InputError(f"The layout '{file.name}' has mode {image.mode}; give one 8-bit label per pixel, as gray or palette PNG.")
            return np.asarray(image, dtype=np.uint8)
    except InputError:
        raise
    except Exception as error:  # Pillow's parsers raise anything on foreign content
        raise InputError(f"The layout '{file.name}' cannot be read ({' '.join(str(error).split())[:100]}); leave this image out.") from error


def _from_mat(file: Path) -> Masks:
    try:
        found = mat_variable(check_readable(file), "layout", squeeze=False)
    except (MatError, OSError) as error:
        raise InputError(f"The layout '{file.name}' cannot be read ({error}); bring it back or leave this image out.") from error
    if found is None:
        raise InputError(f"The layout '{file.name}' has no variable 'layout'; save the labels (h, w) under this name.")
    found = found if isinstance(found, np.ndarray) else np.array(found, dtype=object)
    if found.ndim != 2 or not found.size or found.dtype.kind not in "fiub" or not ((found >= 0) & (found <= 255) & (found % 1 == 0)).all():
        raise InputError(f"The layout '{file.name}' has shape {found.shape} and type {found.dtype}; give whole numbers from 0 to 255, (h, w).")
    return np.asarray(found, dtype=np.uint8)


@dataclass(frozen=True)
class LayoutLabels:
    """`layout_distances` of n images, from masks (n, h, w)."""

    masks: Masks
    matching: Matching = "best"
    unit: str = field(default="1 - mIoU", init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "masks", _checked(self.masks))

    def __len__(self) -> int:
        return len(self.masks)

    @cached_property
    def _known(self) -> Surfaces:
        return _by_turn(self.masks) if self.matching == "best" else _by_number(self.masks, np.unique(self.masks))

    def between(self, rows: Rows, columns: Rows) -> Distances:
        compare = _matched_distances if self.matching == "best" else _numbered_distances
        return compare(self._known[:, rows], self._known[:, columns])


def _read(table: ImageTable, options: LabelOptions, progress: Progress | None) -> LayoutLabels:
    column = (*options.columns, "layout")[0]
    if column not in table.attributes:
        raise InputError(f"'{table.name}' has no column '{column}'; it has {', '.join(table.attributes[:20]) or 'none'}.")
    return LayoutLabels(read_layouts([table.root / str(each) for each in table.frame[column]], options.size), options.matching)


KIND = LabelKind("layout", "a column of segmentation files", _read, lambda table: {"Layout": {}} if "layout" in table.attributes else {})
