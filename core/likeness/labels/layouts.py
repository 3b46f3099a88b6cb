"""Room layouts: one less the mean intersection over union of segmentations (Kim et al., CVPR 2019, section 4.4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.io import check_readable, check_scans
from likeness.labels.kind import LabelKind, LabelOptions
from likeness.labels.protocol import Distances, Rows
from likeness.progress import Progress

Masks = NDArray[np.uint8]


def layout_distances(a: Any, b: Any) -> Distances:
    """1 - mIoU (n, m) of segmentations a (n, h, w) and b (m, h, w), 0 to 1.

    Labels are matched by their numbers: label 1 of one mask is the same surface as label 1 of the other. The mean is over the labels that
    occur in at least one of the two, so that a surface that only one of them shows counts as 0. A label of 0 is no surface, and its pixels
    belong to none.

    Raises:
        InputError: masks of different sizes, or that are no whole numbers from 0 to 255, or without any surface.
    """
    first, second = _checked(a), _checked(b)
    if first.shape[1:] != second.shape[1:]:
        raise InputError(f"The masks have {first.shape[1:]} and {second.shape[1:]} pixels; bring them to one size.")
    return _miou_distances(_surfaces(first), _surfaces(second), (len(first), len(second)))


def _checked(masks: Any) -> Masks:
    given = np.asarray(masks)
    if given.ndim != 3 or given.dtype.kind not in "iub" or (given.size and (given.min() < 0 or given.max() > 255)):
        raise InputError(f"The masks have shape {given.shape} and type {given.dtype}; give one number from 0 to 255 per pixel, (n, h, w).")
    empty = np.flatnonzero(~given.any(axis=(1, 2)))
    if empty.size:
        raise InputError(f"The mask of image {empty[0]} shows no surface, only 0; leave this image out.")
    return given.astype(np.uint8)


def _surfaces(masks: Masks) -> dict[int, NDArray[np.float32]]:
    """For each label the pixels that have it (n, h * w)."""
    flat = masks.reshape(len(masks), masks.shape[1] * masks.shape[2])
    return {int(label): (flat == label).astype(np.float32) for label in np.unique(flat) if label}


def _miou_distances(first: dict[int, NDArray[np.float32]], second: dict[int, NDArray[np.float32]], shape: tuple[int, int]) -> Distances:
    total, shown = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for label in sorted(first.keys() | second.keys()):
        ours, theirs = first.get(label), second.get(label)
        areas = _areas(ours, shape[0])[:, None] + _areas(theirs, shape[1])[None, :]
        both = ours @ theirs.T if ours is not None and theirs is not None else np.float32(0)
        union = areas - both
        total += both / np.maximum(union, 1)
        shown += union > 0
    return np.asarray(np.maximum(1 - total / shown, 0), dtype=np.float32)


def _areas(pixels: NDArray[np.float32] | None, count: int) -> NDArray[np.float32]:
    return np.zeros(count, np.float32) if pixels is None else pixels.sum(axis=1)


def read_layouts(files: Sequence[Path], size: int = 64) -> Masks:
    """Segmentations (n, size, size) from image files whose pixel values are labels, or .mat files with a variable `layout` (h, w) of labels,
    as those of LSUN Room Layout; the nearest pixel is taken, whatever the shape.

    Raises:
        InputError: a file that cannot be read, or has something else than labels.
    """
    from PIL import Image

    masks = np.empty((len(files), size, size), np.uint8)
    for number, file in enumerate(files):
        labels = _from_mat(file) if file.suffix.lower() == ".mat" else _from_image(file)
        masks[number] = np.asarray(Image.fromarray(labels).resize((size, size), Image.Resampling.NEAREST))
    return masks


def _from_image(file: Path) -> Masks:
    from PIL import Image

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
        raise InputError(
            f"The layout '{file.name}' cannot be read ({' '.join(str(error).split())[:100]}); bring it back or leave this image out."
        ) from error


def _from_mat(file: Path) -> Masks:
    from likeness.io import MatError, mat_variable

    try:
        found = mat_variable(check_readable(file), "layout", squeeze=False)
    except (MatError, OSError) as error:
        raise InputError(f"The layout '{file.name}' cannot be read ({error}); bring it back or leave this image out.") from error
    if found is None:
        raise InputError(f"The layout '{file.name}' has no variable 'layout'; save the labels (h, w) under this name.")
    found = np.asarray(found)
    if found.ndim != 2 or not found.size or found.dtype.kind not in "fiub" or not ((found >= 0) & (found <= 255) & (found % 1 == 0)).all():
        raise InputError(
            f"The layout '{file.name}' has shape {found.shape} and type {found.dtype}; give one whole number from 0 to 255 per pixel, (h, w)."
        )
    return np.asarray(found, dtype=np.uint8)


@dataclass(frozen=True)
class LayoutLabels:
    """`layout_distances` of n images.

    Attributes:
        masks: (n, h, w).
    """

    masks: Masks
    unit: str = field(default="1 - mIoU", init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "masks", _checked(self.masks))

    def __len__(self) -> int:
        return len(self.masks)

    @cached_property
    def _known(self) -> dict[int, NDArray[np.float32]]:
        return _surfaces(self.masks)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        """Distances (r, c)."""
        first, second = ({label: pixels[chosen] for label, pixels in self._known.items()} for chosen in (rows, columns))
        return _miou_distances(first, second, (len(rows), len(columns)))


def _read(table: ImageTable, options: LabelOptions, progress: Progress | None) -> LayoutLabels:
    column = (*options.columns, "layout")[0]
    if column not in table.attributes:
        raise InputError(f"'{table.name}' has no column '{column}'; it has {', '.join(table.attributes[:20]) or 'none'}.")
    return LayoutLabels(read_layouts([table.root / str(each) for each in table.frame[column]], options.size))


def _offered(table: ImageTable) -> dict[str, dict[str, Any]]:
    return {"Layout": {}} if "layout" in table.attributes else {}


KIND = LabelKind("layout", "a column of segmentation files", _read, _offered)
