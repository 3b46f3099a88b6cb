"""Small copies of images for galleries and maps."""

import io
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.io import check_readable

if TYPE_CHECKING:
    from PIL import Image

_LARGE = 12_000_000  # pixels
_one_large = threading.Lock()


def thumbnail(path: Path, size: int = 128) -> bytes:
    """The image, at most `size` pixels wide and high, as WebP.

    Orientation follows the image's EXIF data; small images are enlarged without smoothing, so that 32-pixel photos stay crisp.

    Raises:
        OSError: if the file is missing or not an image.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(check_readable(path)) as image:
            image.draft("RGB", (2 * size, 2 * size))
            # several browsers ask at once: large images are held in memory one at a time
            with _one_large if image.width * image.height > _LARGE else nullcontext():
                return _shrunk(ImageOps.exif_transpose(image).convert("RGB"), size)
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
