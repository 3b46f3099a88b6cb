"""Gray images of more than 8 bits: which of their values is black, and which is white.

A format's own range counts where it names one. Floats, 32-bit integers and devices of 10 to 14 bits in files of 16 name none: the picture's
values decide, as in FIJI and napari, and that is said beside the image.
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
    """Which values of an image are black (`low`) and white (`high`), and which are none: `void` marks pixels without one, which become black, and
    `transparent` pixels that become white. Pillow holds `unsigned` 32-bit values as signed ones. The remark is for people; "" where the format names
    the range.
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
        """Which values are measurements: finite, and no marks."""
        good = np.abs(values) < _VOID if values.dtype.kind == "f" else np.ones(values.shape, bool)
        for mark in (self.void, self.transparent):
            if mark is not None:
                good &= ~_are(values, mark)
        return good

    def gray(self, image: Image.Image) -> Image.Image:
        """The image as 8-bit gray, black where it has no value."""
        values = self.values(image)
        levels = (values.astype(np.float64) - self.low) * (255 / (self.high - self.low))
        levels[np.isnan(values) if self.void is None else np.isnan(values) | _are(values, self.void)] = 0
        return Image.fromarray(np.clip(levels, 0, 255).round().astype(np.uint8))

    def clear(self, image: Image.Image) -> Image.Image | None:
        """A mask of the transparent pixels; None where there are none."""
        return None if self.transparent is None else Image.fromarray((_are(self.values(image), self.transparent) * 255).astype(np.uint8))


def _are(values: NDArray[Any], mark: float) -> NDArray[np.bool_]:
    with np.errstate(over="ignore"):  # marks of software that computes with 64 bits
        return np.asarray(values == mark)


def gray_range(image: Image.Image, strips: Strips) -> GrayRange:
    """The range of a deep gray image as it was opened, whose values are looked at some rows at a time."""
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
        said = f"its brightness is scaled to black and white by its own range ({own[0]:,.6g} to {own[1]:,.6g})"
        return replace(marks, low=own[0], high=own[1], remark=said)
    return replace(marks, high=(1 << bits) - 1, remark="" if bits == 16 else f"its 16 bits are read as {bits}, since it has no larger values")


def _own_range(image: Image.Image, strips: Strips, marks: GrayRange) -> tuple[float, float] | None:
    """The least and the largest measurement of an image; None where it has none."""
    least, largest = np.inf, -np.inf
    for strip, _ in strips(image):
        values = marks.values(strip)
        counted = marks.counted(values)
        values = values if counted.all() else values[counted]
        if values.size:
            least, largest = min(least, float(values.min())), max(largest, float(values.max()))
    return (least, largest) if least <= largest else None


def _named(image: Image.Image) -> tuple[float, float] | None:
    """The range that a TIFF names: by fewer than 16 bits, or by tags; not by one as wide as its numbers, which software writes unasked."""
    bits = _tag(image, _BITS)
    if bits is not None and bits < 16:
        return 0, (1 << int(bits)) - 1
    for low, high in _RANGE_TAGS:
        least, largest = _tag(image, low) or 0, _tag(image, high)
        if largest is not None and least < largest and largest not in _WHOLE:
            return least, largest
    return None


def _tag(image: Image.Image, number: int) -> float | None:
    """The first number of a tag of a TIFF; None where there is none."""
    with contextlib.suppress(Exception):  # Pillow's parsers raise anything on damaged tags
        found = image.tag_v2[number]  # type: ignore[attr-defined]
        return float(found.strip(" \0") if isinstance(found, str) else found[0] if isinstance(found, tuple) else found)
    return None
