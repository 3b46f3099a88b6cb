"""Thumbnails for galleries and maps, and as captioned HTML rows for notebooks."""

import base64
import io
import math
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from html import escape
from pathlib import Path
from typing import Any

from PIL import Image

from likeness.io import Part, image_size, name_to_text, part_path, read_image, split_part, spoken_name

THUMBNAIL_SIZE = 128  # pixels, of galleries and maps
LARGE_SIZE = 2048  # pixels, of a picture that is opened
_SMALL = 512  # pixels
_SIDE = 96  # of pictures in notebooks
_TILE = f"display:inline-block;width:{_SIDE}px;margin:2px;vertical-align:top;font:11px sans-serif;overflow:hidden;text-overflow:ellipsis"
_LARGE = 12_000_000  # pixels
_AROUND = 0.25  # of a region's longer side that is shown around it
# several browsers ask at once
_one_large = threading.Lock()
_few = threading.BoundedSemaphore(os.cpu_count() or 1)


def thumbnail(path: Path, size: int = THUMBNAIL_SIZE) -> bytes:
    """The image as WebP, at most `size` pixels wide and high, rotated by its EXIF data; small images are enlarged without smoothing, so that 32-pixel
    photos stay crisp. A region is shown with some of its image around it, dimmed. Raises OSError if the file is missing or not an image.
    """
    picture = _in_place(path, 2 * size, _AROUND)
    return _webp(picture, size / max(picture.size), quality=85, method=2)


def large_picture(path: Path, most: int = LARGE_SIZE) -> bytes:
    """The image as WebP, in full resolution up to `most` pixels in width and height; lossless if small. A region is shown in the whole image, dimmed
    around it. Raises OSError if the file is missing or not an image.
    """
    picture = _in_place(path, most)
    longest = max(picture.size)
    return _webp(picture, min(1, most / longest), quality=90, method=0, lossless=longest <= _SMALL)


def upright_picture(path: Path, least: int | None = None) -> Image.Image:
    """An upright RGB image for display. At most one image per processor is decoded at once, and only one large image. With `least`, the minimum width
    and height needed, a JPEG is decoded at a reduced size. Raises OSError if the file is missing or not an image.
    """
    try:
        return read_image(path, least, _LARGE if least is None else 4 * least * least, _turn)
    except OSError:
        raise
    except Exception as error:  # Pillow's parsers raise anything on foreign content
        raise OSError(f"'{path.name}' is damaged") from error


def _in_place(path: Path, least: int, around: float = math.inf) -> Image.Image:
    """As `upright_picture`, for a region with its image around it: at most this share of its longer side each way, dimmed."""
    from PIL import ImageDraw

    part = split_part(str(path))[1]
    if part is None or part.box is None:
        return upright_picture(path, least)
    whole = part_path(str(path), Part())
    try:
        size = image_size(Path(whole))
        left, top, right, bottom = part.edges(*size)
    except ValueError as error:  # also UnreadableImageError
        raise OSError(str(error)) from error
    margin = around * max(right - left, bottom - top)
    outer = Part(box=(left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin)).edges(*size)
    seen = Part(box=(outer[0], outer[1], outer[2] - outer[0], outer[3] - outer[1]))
    picture = upright_picture(Path(part_path(whole, seen)), least)
    scale = picture.width / (outer[2] - outer[0])
    left, right = (round((edge - outer[0]) * scale) for edge in (left, right))
    top, bottom = (round((edge - outer[1]) * scale) for edge in (top, bottom))
    dimmed = picture.point(lambda level: level * 0.4)
    dimmed.paste(picture.crop((left, top, right, bottom)), (left, top))
    ImageDraw.Draw(dimmed).rectangle((left - 1, top - 1, right, bottom), outline="white")
    return dimmed


@contextmanager
def _turn(pixels: int) -> Iterator[None]:
    # large before few: a thread that waits for the large slot does not hold one of the others
    with _one_large if pixels > _LARGE else nullcontext(), _few:
        yield


def _webp(picture: Image.Image, scale: float, **options: Any) -> bytes:
    filter = Image.Resampling.LANCZOS if scale < 1 else Image.Resampling.NEAREST
    width, height = (max(1, round(side * scale)) for side in picture.size)
    buffer = io.BytesIO()
    picture.resize((width, height), filter).save(buffer, "WEBP", **options)
    return buffer.getvalue()


def picture_html(title: str, paths: Sequence[Path], captions: Sequence[str]) -> str:
    """HTML with a heading and a captioned tile per image; texts are escaped. The name of an unreadable file replaces its image."""
    tiles = "".join(f'<div style="{_TILE}">{_picture(path)}<br>{escape(text)}</div>' for path, text in zip(paths, captions, strict=True))
    return f"<div><div>{escape(title)}</div>{tiles}</div>"


def _picture(path: Path) -> str:
    try:
        content = base64.b64encode(thumbnail(path, _SIDE)).decode()
    except OSError:
        return escape(spoken_name(name_to_text(str(path))))
    return f'<img src="data:image/webp;base64,{content}" alt="{escape(spoken_name(name_to_text(str(path))))}">'
