"""Map gray images of more than 8 bits to black and white.

The range comes from the file if its format has one. Floats, 32-bit integers and 10- to 14-bit devices in 16-bit files have none: then the values of
the image decide (usually minimum and maximum; in 16-bit files the number of bits of the maximum), as in FIJI and napari, and a remark says so.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_BYTE, _FULL, _WHOLE = 255, 65_535, (65_535, 2**31 - 1, 2**32 - 1)
_DEVICE_BITS = (10, 12, 14)
_SCALED = ("PPM", "JPEG2000")  # formats that Pillow scales to 16 bits by the range that the file names
_VOID = 1e38  # beyond it there is no measurement: -3.4e38 marks what lies outside a map
_BITS, _SIGN, _GDAL_NODATA = 258, 339, 42_113  # tags of TIFF
_RANGE_TAGS = ((280, 281), (340, 341))  # of the least and the largest value

Strips = Callable[[Image.Image], Iterator[tuple[Image.Image, int]]]


@dataclass(frozen=True)
class GrayRange:
    """The values that become black (`low`) and white (`high`). Pixels of value `void` are missing and become black; those of value `transparent`
    become white. Pillow holds `unsigned` 32-bit values as signed ones. `remark` is for users; "" if the file names the range.
    """

    low: float
    high: float
    void: float | None = None
    transparent: int | None = None
    unsigned: bool = False
    remark: str = ""

    def values(self, image: Image.Image) -> NDArray[Any]:
        """The image's values (h, w)."""
        found = np.asarray(image)
        return found.view(np.uint32) if self.unsigned else found

    def counted(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Mask of measured values: finite and neither void nor transparent."""
        good = np.abs(values) < _VOID if values.dtype.kind == "f" else np.ones(values.shape, bool)
        for mark in (self.void, self.transparent):
            if mark is not None:
                good &= ~_are(values, mark)
        return good

    def gray(self, image: Image.Image) -> Image.Image:
        """The image as 8-bit gray; missing values are black."""
        values = self.values(image)
        levels = (values.astype(np.float64) - self.low) * (255 / (self.high - self.low))
        levels[np.isnan(values) if self.void is None else np.isnan(values) | _are(values, self.void)] = 0
        return Image.fromarray(np.clip(levels, 0, 255).round().astype(np.uint8))

    def clear(self, image: Image.Image) -> Image.Image | None:
        """Mask of transparent pixels, or None."""
        return None if self.transparent is None else Image.fromarray((_are(self.values(image), self.transparent) * 255).astype(np.uint8))


def _are(values: NDArray[Any], mark: float) -> NDArray[np.bool_]:
    with np.errstate(over="ignore"):  # marks of software that computes with 64 bits
        return np.asarray(values == mark)


def gray_range(image: Image.Image, strips: Strips) -> GrayRange:
    """The range of an opened deep gray image; values are read a few rows at a time."""
    transparent = image.info.get("transparency")
    unsigned = image.mode == "I" and _tag(image, _SIGN) == 1
    marks = GrayRange(0, 1, _tag(image, _GDAL_NODATA), transparent if isinstance(transparent, int) else None, unsigned)
    if image.format in _SCALED and image.mode != "F":
        return replace(marks, high=_FULL)
    own, named = _own_range(image, strips, marks), _named(image)
    if named and (own is None or (named[0] <= own[0] and own[1] <= named[1])):
        return replace(marks, low=named[0], high=named[1])
    short = image.mode.startswith("I;16")
    if own is None or own[0] == own[1]:
        return replace(marks, high=_FULL if short else 1 if image.mode == "F" and own is not None and own[0] <= 1 else _BYTE)
    bits = next((bits for bits in _DEVICE_BITS if own[1] < 1 << bits), 16)
    if not short or own[1] <= _BYTE:
        said = f"its brightness is scaled from its own range ({own[0]:,.6g} to {own[1]:,.6g})"
        return replace(marks, low=own[0], high=own[1], remark=said)
    return replace(marks, high=(1 << bits) - 1, remark="" if bits == 16 else f"its 16 bits are read as {bits}, because it has no larger values")


def _own_range(image: Image.Image, strips: Strips, marks: GrayRange) -> tuple[float, float] | None:
    """Minimum and maximum measured value of an image, or None."""
    least, largest = np.inf, -np.inf
    for strip, _ in strips(image):
        values = marks.values(strip)
        counted = marks.counted(values)
        values = values if counted.all() else values[counted]
        if values.size:
            least, largest = min(least, float(values.min())), max(largest, float(values.max()))
    return (least, largest) if least <= largest else None


def _named(image: Image.Image) -> tuple[float, float] | None:
    """The range that a TIFF names by fewer than 16 bits or by tags. A range as wide as its data type is ignored, because software writes it by
    default.
    """
    bits = _tag(image, _BITS)
    if bits is not None and bits < 16:
        return 0, (1 << int(bits)) - 1
    for low, high in _RANGE_TAGS:
        least, largest = _tag(image, low) or 0, _tag(image, high)
        if largest is not None and least < largest and largest not in _WHOLE:
            return least, largest
    return None


def _tag(image: Image.Image, number: int) -> float | None:
    """The first number of a TIFF tag, or None."""
    with contextlib.suppress(Exception):  # Pillow's parsers raise anything on damaged tags
        found = image.tag_v2[number]  # type: ignore[attr-defined]
        return float(found.strip(" \0") if isinstance(found, str) else found[0] if isinstance(found, tuple) else found)
    return None
