"""Small pictures of many images in few files, as large as a bound on their bytes allows."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from likeness.data import upright_picture
from likeness.errors import InputError
from likeness.reports.options import ReportOptions

ACROSS = 16  # pictures in a row of a sheet, which has as many rows
# Pixels of a side and WebP quality, the best first. Sides are multiples of 16, the side of WebP's blocks: no picture colors its neighbor.
_STEPS = (
    *((128, 85), (128, 75), (128, 60), (112, 70), (96, 75), (96, 60), (80, 70), (80, 55), (64, 70), (64, 55)),
    *((48, 65), (48, 50), (32, 60), (32, 40), (16, 50), (16, 20)),
)
_LEAST_BYTES = 0.04  # a pixel takes more than this, so that larger pictures need not be tried
_TRIED = 96  # pictures that tell how many bytes all will take
_PART = 64  # images that are read between two looks at the progress
_GRAY = (128, 128, 128)


@dataclass(frozen=True, eq=False)
class PictureSheets:
    """Pictures of m images, `ACROSS` times `ACROSS` on each sheet (WebP), row by row, each at the left upper corner of a square of `side` pixels.

    `sizes` (m, 2) are widths and heights, 0 for an image that can't be read.
    """

    side: int
    sizes: NDArray[np.int64]
    files: list[bytes]


def picture_sheets(paths: Sequence[Path], most_bytes: int, options: ReportOptions) -> PictureSheets:
    """The largest pictures that fit into `most_bytes` in all; an image that can't be read has none.

    InputError: not even the smallest pictures fit, or the work was stopped.
    """
    steps = [step for step in _STEPS if len(paths) * step[0] ** 2 * _LEAST_BYTES <= most_bytes]
    pictures = _read(paths, steps[0][0], options) if steps else []
    largest = max((max(each.size) for each in pictures if each is not None), default=16)
    for side, quality in steps:
        if side >= largest + 16:
            continue  # no image is that large
        tried = pictures[:: max(1, len(pictures) // _TRIED)]
        expected = len(_sheet([_fitted(each, side) for each in tried], side, quality)) * len(pictures) / max(1, len(tried))
        if expected > most_bytes:
            continue
        fitted = [_fitted(each, side) for each in pictures]
        files = []
        for begin in range(0, len(fitted), ACROSS * ACROSS):
            options.check_stop()
            files.append(_sheet(fitted[begin : begin + ACROSS * ACROSS], side, quality))
        if sum(map(len, files)) <= most_bytes:
            return PictureSheets(side, np.array([(0, 0) if each is None else each.size for each in fitted], np.int64), files)
    raise InputError(f"Pictures of {len(paths):,} images do not fit into {most_bytes / 1e6:.1f} MB; show fewer images, or allow a larger file.")


def _read(paths: Sequence[Path], side: int, options: ReportOptions) -> list[Image.Image | None]:
    """The images within a square of this side, upright; None for one that can't be read."""
    found: list[Image.Image | None] = []
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for begin in range(0, len(paths), _PART):
            found += pool.map(lambda path: _picture(path, side), paths[begin : begin + _PART])
            options.progress(len(found), len(paths), "Reading the images")
            options.check_stop()
    return found


def _picture(path: Path, side: int) -> Image.Image | None:
    try:
        return _fitted(upright_picture(path, 2 * side), side)
    except OSError:
        return None


def _fitted(picture: Image.Image | None, side: int) -> Image.Image | None:
    """The picture within a square of this side; a smaller one as it is."""
    if picture is None or max(picture.size) <= side:
        return picture
    scale = side / max(picture.size)
    width, height = (max(1, round(each * scale)) for each in picture.size)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _sheet(pictures: Sequence[Image.Image | None], side: int, quality: int) -> bytes:
    rows = -(-len(pictures) // ACROSS)
    sheet = Image.new("RGB", (side * min(ACROSS, len(pictures)), side * rows), _GRAY)
    for place, picture in enumerate(pictures):
        if picture is not None:
            sheet.paste(picture, (side * (place % ACROSS), side * (place // ACROSS)))
    buffer = BytesIO()
    sheet.save(buffer, "WEBP", quality=quality, method=4)
    return buffer.getvalue()
