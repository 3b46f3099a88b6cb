"""Check that an uploaded file is an image: by content, in a few known formats, within limits of pixels and scans.

Runs in a separate process (`likeness.io.foreign_images`), because decoding a malicious file can take all time and memory.
"""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import (
    AvifImagePlugin as _AvifImagePlugin,  # noqa: F401
    Image,
    TiffImagePlugin as _TiffImagePlugin,  # noqa: F401  (Pillow reads only formats whose modules are imported, and itself imports the others)
    WebPImagePlugin as _WebPImagePlugin,  # noqa: F401
)

from likeness.errors import InputError
from likeness.io.color_profiles import image_colors
from likeness.io.file_formats import is_heif
from likeness.io.file_parts import Part, RegionError
from likeness.io.jpeg_scans import MAX_SCANS, has_more_scans
from likeness.io.rgb import cropped, to_rgb
from likeness.io.unreadable import RefusedImageError

# Format as Pillow names it -> suffix under which it is kept. EPS and PDF start programs, SVG and HTML are no pixels: they are not among these.
FORMATS = {
    "JPEG": ".jpg",
    "MPO": ".jpg",
    "PNG": ".png",
    "WEBP": ".webp",
    "GIF": ".gif",
    "BMP": ".bmp",
    "TIFF": ".tif",
    "AVIF": ".avif",
    "HEIF": ".heic",
}
_OPENED = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF")  # Pillow makes an MPO of a JPEG that holds several
_LONGEST_SIDE = 65_500
_MOST_SCANNED = 2_000_000_000  # pixels of a JPEG in all its scans; two seconds


def opened_image(content: bytes, name: str, max_pixels: int) -> Image.Image:
    """Opens an untrusted image and reads only its header. The name is only used in messages.

    Raises:
        RefusedImageError: another format, a damaged header, too many pixels, or a JPEG of too many scans.
    """
    with _answered(name):
        image = Image.open(io.BytesIO(content), formats=("HEIF",) if is_heif(content) else _OPENED)
    check_size(image, name, max_pixels)
    most = min(MAX_SCANS, _MOST_SCANNED // max(1, image.width * image.height))
    if has_more_scans(content, most):
        raise RefusedImageError(name, f"is a JPEG of more than {most} scans, which takes too long to decode; save it again as PNG or JPEG.")
    return image


def image_suffix(image: Image.Image, name: str) -> str:
    """Decodes the first frame of an opened image, checks its color profile, and returns the suffix of its format. Raises RefusedImageError if it is
    damaged.
    """
    with _answered(name):
        image_colors(image)
        image.load()
        return FORMATS[str(image.format)]


def rgb_picture(image: Image.Image, name: str, max_pixels: int, part: Part | None = None) -> tuple[Image.Image, tuple[int, int]]:
    """Decodes the first frame of an opened image, or a region of it, as upright RGB, reduced by an integer factor if it has more than `max_pixels`,
    and its size before that. Raises RefusedImageError if it is damaged or has no such region.
    """
    with _answered(name):
        picture = to_rgb(image)
    try:
        picture = cropped(picture, part)
    except RegionError as error:
        raise RefusedImageError(name, f"cannot be read: {error}; correct it.") from error
    factor = 1
    while picture.width * picture.height > max_pixels * factor**2:
        factor += 1
    return picture.reduce(factor) if factor > 1 else picture, picture.size


@contextmanager
def _answered(name: str) -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of sizes that are checked here, and of odd metadata
            yield
    except (InputError, MemoryError):
        raise
    except Exception as error:  # Pillow's parsers raise anything on foreign content
        raise RefusedImageError(
            name, "cannot be read: its content is not a valid JPEG, PNG, WebP, GIF, BMP, TIFF, AVIF or HEIC; save it again as PNG or JPEG."
        ) from error


def check_size(image: Image.Image, name: str, limit: int) -> None:
    """Raises RefusedImageError for too many pixels, by the header; only the first frame of an animation is ever decoded."""
    width, height = image.size
    if width * height > limit or max(width, height) > _LONGEST_SIDE:
        raise RefusedImageError(name, f"is {width:,} x {height:,} pixels, more than the limit of {limit:,}; make it smaller.")
