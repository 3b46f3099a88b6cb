"""Whether what was uploaded as an image is one: by decoding its content, in a few known formats, within a number of pixels."""

import io
from typing import TYPE_CHECKING

from likeness.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

# Format as Pillow names it -> suffix under which it is kept. EPS and PDF start programs, SVG and HTML are no pixels: they are not among these.
FORMATS = {"JPEG": ".jpg", "MPO": ".jpg", "PNG": ".png", "WEBP": ".webp", "GIF": ".gif", "BMP": ".bmp", "TIFF": ".tif"}
_OPENED = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")  # Pillow makes an MPO of a JPEG that holds several
MAX_PIXELS = 64_000_000
_LONGEST_SIDE = 65_500
_SHOWN = 80


def image_suffix(content: bytes, name: str, max_pixels: int = MAX_PIXELS) -> str:
    """The suffix that fits the content of an uploaded image, whose first frame was decoded whole.

    Args:
        content: of the file.
        name: as the browser gave it; stands in messages and counts for nothing else.
        max_pixels: of one image.

    Raises:
        InputError: another format, a damaged image, or more pixels than are allowed, told before decoding.
    """
    return FORMATS[str(opened_image(content, name, max_pixels).format)]


def opened_image(content: bytes, name: str, max_pixels: int = MAX_PIXELS) -> "Image":
    """The image of an uploaded file, decoded; raises InputError as `image_suffix`."""
    import warnings

    from PIL import Image

    Image.init()  # of these, `Image.open` alone knows half
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of sizes that are checked here, and of odd metadata
            image = Image.open(io.BytesIO(content), formats=_OPENED)
            _check_size(image, name, max_pixels)
            image.load()
    except InputError:
        raise
    except Exception as error:  # Pillow's parsers raise anything on foreign content
        raise InputError(
            f"The image '{plain_name(name)}' cannot be read: by its content it is not a sound JPEG, PNG, WebP, GIF, BMP or TIFF; leave it out or "
            "save it again as PNG or JPEG."
        ) from error
    return image


def plain_name(name: str) -> str:
    """A file's name as it may stand in a sentence: without signs that cannot be seen, and not too long."""
    shown = "".join(sign if sign.isprintable() else "_" for sign in name)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN // 2]}…{shown[-_SHOWN // 2 :]}"


def _check_size(image: "Image", name: str, limit: int) -> None:
    """By what the header declares. Of an animation the first frame alone is ever decoded."""
    width, height = image.size
    if width * height > limit or max(width, height) > _LONGEST_SIDE:
        raise InputError(
            f"The image '{plain_name(name)}' is {width:,} x {height:,} pixels, and {limit:,} are allowed; make it smaller and upload it again."
        )
