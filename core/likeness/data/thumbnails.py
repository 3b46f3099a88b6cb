"""Small copies of images for galleries and maps."""

import io
from pathlib import Path


def thumbnail(path: Path, size: int = 128) -> bytes:
    """The image, at most `size` pixels wide and high, as WebP.

    Orientation follows the image's EXIF data; small images are enlarged without smoothing, so that 32-pixel photos stay crisp.

    Raises:
        OSError: if the file is missing or not an image.
    """
    from PIL import Image, ImageOps

    with Image.open(path) as image:
        image.draft("RGB", (2 * size, 2 * size))
        picture = ImageOps.exif_transpose(image).convert("RGB")
    scale = size / max(picture.size)
    filter = Image.Resampling.LANCZOS if scale < 1 else Image.Resampling.NEAREST
    width, height = (max(1, round(side * scale)) for side in picture.size)
    buffer = io.BytesIO()
    picture.resize((width, height), filter).save(buffer, "WEBP", quality=85, method=2)
    return buffer.getvalue()
