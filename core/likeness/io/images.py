"""Reading image files as upright, opaque RGB."""

from pathlib import Path
from typing import BinaryIO

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from likeness.errors import InputError
from likeness.io.confinement import check_readable
from likeness.io.transient import TransientError, check_memory


class UnreadableImageError(InputError):
    """An image whose content cannot be read, now or later, until the file changes; `reason` leaves out the name."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"The image '{name}' cannot be read: {reason}; replace it or leave it out.")
        self.reason = reason


_WITH_ALPHA = ("LA", "La", "RGBA", "RGBa", "PA")
_ORIENTATION = 0x0112


def read_image(path: Path) -> Image.Image:
    """Reads a file as RGB: turned upright by its EXIF tag, transparent parts over white, any mode.

    Raises:
        UnreadableImageError: if the content is no image or is damaged.
        TransientError: if there is not enough memory now.
        OSError: if the file cannot be opened (missing, not permitted).
    """
    with check_readable(path).open("rb") as file:
        return decode_image(file, path.name)


def decode_image(file: BinaryIO, name: str) -> Image.Image:
    """Like `read_image`, from an open file; `name` stands in messages."""
    try:
        with Image.open(file) as image:
            return to_rgb(image)
    except MemoryError as error:
        raise TransientError(f"The image '{name}'", error) from error
    except Exception as error:  # Pillow's parsers raise anything on foreign content
        # The system's own errors (a failing disk) carry a number; Pillow's about damaged content do not.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        try:
            check_memory()
        except MemoryError as short:
            raise TransientError(f"The image '{name}'", short) from error
        raise UnreadableImageError(name, _reason(error)) from error


def _reason(error: Exception) -> str:
    if isinstance(error, UnidentifiedImageError):
        return "it is empty or not an image in a known format"
    return "it has more pixels than is safe to decode" if isinstance(error, Image.DecompressionBombError) else f"it is damaged ({error})"


def to_rgb(image: Image.Image) -> Image.Image:
    """An upright RGB copy of an image in any mode; transparent parts become white."""
    if image.getexif().get(_ORIENTATION, 1) != 1:
        image = ImageOps.exif_transpose(image)
    if image.mode == "RGB" and "transparency" not in image.info:
        image.load()
        return image
    if image.mode in _WITH_ALPHA or "transparency" in image.info:
        layer = image.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(white, layer).convert("RGB")
    if image.mode.startswith(("I", "F")):
        image = _to_8_bit(image)
    return image.convert("RGB")


def _to_8_bit(image: Image.Image) -> Image.Image:
    """Pillow clips 16-bit and float pixels at 255 when it converts them: scale them instead."""
    pixels = np.asarray(image, dtype=np.float64)
    if image.mode.startswith("I"):
        scale = 255 / 65535 if image.mode.startswith("I;16") or pixels.max() > 255 else 1.0
    else:
        scale = 255.0 if pixels.max() <= 1 else 1.0
    return Image.fromarray(np.clip(np.nan_to_num(pixels) * scale, 0, 255).round().astype(np.uint8))
