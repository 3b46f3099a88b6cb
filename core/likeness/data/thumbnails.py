"""Thumbnails for galleries and maps, and as captioned HTML rows for notebooks."""

import base64
import io
import os
import threading
from collections.abc import Sequence
from contextlib import nullcontext
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.io import check_readable, check_scans, image_apart, name_to_text, to_rgb

if TYPE_CHECKING:
    from PIL import Image

THUMBNAIL_SIZE = 128  # pixels, of galleries and maps
LARGE_SIZE = 2048  # pixels, of a picture that is opened
_SMALL = 512  # pixels
_SIDE = 96  # of pictures in notebooks
_TILE = f"display:inline-block;width:{_SIDE}px;margin:2px;vertical-align:top;font:11px sans-serif;overflow:hidden;text-overflow:ellipsis"
_LARGE = 12_000_000  # pixels
# several browsers ask at once
_one_large = threading.Lock()
_few = threading.BoundedSemaphore(os.cpu_count() or 1)


def thumbnail(path: Path, size: int = THUMBNAIL_SIZE) -> bytes:
    """The image as WebP, at most `size` pixels wide and high, rotated by its EXIF data; small images are enlarged without smoothing, so that 32-pixel
    photos stay crisp. Raises OSError if the file is missing or not an image.
    """
    return _shrunk(upright_picture(path, 2 * size), size)


def large_picture(path: Path, most: int = LARGE_SIZE) -> bytes:
    """The image as WebP, in full resolution up to `most` pixels in width and height; lossless if small. Raises OSError if the file is missing or not
    an image.
    """
    from PIL import Image

    picture = upright_picture(path, most)
    longest = max(picture.size)
    if longest > most:
        width, height = (max(1, round(side * most / longest)) for side in picture.size)
        picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", quality=90, method=0, lossless=longest <= _SMALL)
    return buffer.getvalue()


def upright_picture(path: Path, least: int | None = None) -> "Image.Image":
    """An upright RGB image for display. At most one image per processor is decoded at once, and only one large image. With `least`, the minimum width
    and height needed, a JPEG is decoded at a reduced size. Raises OSError if the file is missing or not an image.
    """
    from PIL import Image

    try:
        apart = image_apart(path, _LARGE if least is None else 4 * least * least)
        if apart is not None:
            return apart
        with check_readable(path).open("rb") as file:
            check_scans(file, path.name)
            with Image.open(file) as image:
                if least is not None:
                    image.draft("RGB", (least, least))
                # large before few: a thread that waits for the large slot does not hold one of the others
                with _one_large if image.width * image.height > _LARGE else nullcontext(), _few:
                    return to_rgb(image)
    except OSError:
        raise
    except Exception as error:  # Pillow's parsers raise anything on foreign content
        raise OSError(f"'{path.name}' is damaged") from error


def _shrunk(picture: "Image.Image", size: int) -> bytes:
    from PIL import Image

    scale = size / max(picture.size)
    filter = Image.Resampling.LANCZOS if scale < 1 else Image.Resampling.NEAREST
    width, height = (max(1, round(side * scale)) for side in picture.size)
    buffer = io.BytesIO()
    picture.resize((width, height), filter).save(buffer, "WEBP", quality=85, method=2)
    return buffer.getvalue()


def picture_html(title: str, paths: Sequence[Path], captions: Sequence[str]) -> str:
    """HTML with a heading and a captioned tile per image; texts are escaped. The name of an unreadable file replaces its image."""
    tiles = "".join(f'<div style="{_TILE}">{_picture(path)}<br>{escape(text)}</div>' for path, text in zip(paths, captions, strict=True))
    return f"<div><div>{escape(title)}</div>{tiles}</div>"


def _picture(path: Path) -> str:
    try:
        content = base64.b64encode(thumbnail(path, _SIDE)).decode()
    except OSError:
        return escape(name_to_text(path.name))
    return f'<img src="data:image/webp;base64,{content}" alt="{escape(name_to_text(path.name))}">'
