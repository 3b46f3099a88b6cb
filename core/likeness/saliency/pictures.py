"""Maps as pictures: colors, overlays, enlargement, and the figure of the command line. Needs only NumPy and Pillow."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.saliency.image_model import Pictures

if TYPE_CHECKING:
    from PIL.Image import Image

# blue over gray to yellow, as in the paper's figures; lightness increases evenly, also for color-blind people
_BLUE, _GREY, _YELLOW = (0, 40, 105), (125, 124, 122), (255, 233, 70)
_STOPS = np.array([_BLUE, (64, 78, 108), _GREY, (189, 175, 102), _YELLOW], dtype=np.float64)
_LUMA = np.array([0.299, 0.587, 0.114])
_GAP, _LINE = 6, 16


def map_picture(maps: NDArray[np.floating[Any]]) -> Pictures:
    """Maps (..., h, w) in [0, 1] as RGB (..., h, w, 3): 0 blue, 0.5 gray, 1 yellow, as in the paper. InputError: values outside."""
    return _colored(_within(maps, 0, 1))


def difference_picture(differences: NDArray[np.floating[Any]]) -> Pictures:
    """Differences (..., h, w) in [-1, 1] as RGB (..., h, w, 3): -1 blue, 0 gray, 1 yellow (InDiReCT, Figure 2). InputError: values outside."""
    return _colored((_within(differences, -1, 1) + 1) / 2)


def overlay(pixels: Pictures, colors: Pictures, strength: NDArray[np.floating[Any]] | float = 0.6) -> Pictures:
    """Blends colors over the gray image, both (..., h, w, 3). `strength` is from 0 (image) to 1 (colors), a number or one per pixel (..., h, w); the
    map itself as strength colors only salient pixels.
    """
    gray = (pixels @ _LUMA)[..., None]
    share = np.asarray(strength, dtype=np.float64)
    share = share[..., None] if share.ndim else share
    return _bytes(gray * (1 - share) + colors * share)


def blurred(maps: NDArray[np.floating[Any]], deviation: float) -> NDArray[np.floating[Any]]:
    """Maps (..., h, w) blurred by a Gaussian of `deviation` pixels (0: unchanged), which hides the grid of a model's strides and patches. InputError:
    a negative deviation.
    """
    from scipy.ndimage import gaussian_filter

    if not deviation >= 0:
        raise InputError(f"The maps cannot be blurred by {deviation} pixels; choose a number of at least 0.")
    return np.asarray(gaussian_filter(maps, deviation, axes=(-2, -1), mode="nearest")) if deviation else maps


def enlarged(pictures: Pictures, factor: int) -> Pictures:
    """Pictures (..., h, w, 3) with each pixel enlarged to `factor` x `factor`."""
    return pictures.repeat(factor, axis=-3).repeat(factor, axis=-2)


def figure(rows: Sequence[Sequence[Pictures]], titles: Sequence[str], labels: Sequence[str] = ()) -> "Image":
    """A grid of pictures of equal size (h, w, 3) with a title above each column and a label left of each row. InputError: no row, or a row without
    one picture per title.
    """
    from PIL import Image, ImageDraw

    if not rows or any(len(row) != len(titles) for row in rows):
        raise InputError(f"The {len(rows)} rows of the figure do not fit {len(titles)} titles; pass one picture per title in each row.")
    height, width = rows[0][0].shape[:2]
    left = 8 * max(map(len, labels), default=0)
    sheet = Image.new("RGB", (left + len(titles) * (width + _GAP) + _GAP, _LINE + len(rows) * (height + _GAP) + _GAP), "white")
    draw = ImageDraw.Draw(sheet)
    for column, title in enumerate(titles):
        draw.text((left + _GAP + column * (width + _GAP), 3), title, fill="black")
    for line, row in enumerate(rows):
        top = _LINE + _GAP + line * (height + _GAP)
        if labels:
            draw.text((_GAP, top), labels[line], fill="black")
        for column, picture in enumerate(row):
            sheet.paste(Image.fromarray(picture), (left + _GAP + column * (width + _GAP), top))
    return sheet


def _within(values: NDArray[np.floating[Any]], low: float, high: float) -> NDArray[np.floating[Any]]:
    if values.size and not (values.min() >= low and values.max() <= high):
        raise InputError(f"The values go from {values.min():.3g} to {values.max():.3g}, but colors are for {low:g} to {high:g}; scale them first.")
    return values


def _colored(values: NDArray[np.floating[Any]]) -> Pictures:
    """RGB of values in [0, 1]."""
    stops = np.linspace(0, 1, len(_STOPS))
    return _bytes(np.stack([np.interp(values, stops, channel) for channel in _STOPS.T], axis=-1))


def _bytes(values: NDArray[np.floating[Any]]) -> Pictures:
    return np.asarray(np.rint(values), dtype=np.uint8)
