"""The preview that a camera puts into a raw file: a JPEG as large as the picture, or nearly so. The sensor's data are not developed.

Only in the process that decodes foreign images.
"""

import io
from pathlib import Path

from PIL import Image

from likeness.io.confinement import check_readable
from likeness.io.unreadable import MissingPackageError, RefusedImageError

RAW_SUFFIXES = frozenset([".3fr", ".arw", ".cr2", ".cr3", ".dng", ".erf", ".iiq", ".nef", ".nrw", ".orf", ".pef", ".raf", ".rw2", ".srw"])
_ORIENTATION = 0x0112
# LibRaw's turns as Pillow's
_TURNS = {3: Image.Transpose.ROTATE_180, 5: Image.Transpose.ROTATE_90, 6: Image.Transpose.ROTATE_270}


def load_rawpy(name: str) -> None:
    """Raises MissingPackageError where rawpy is not installed; `name` stands in the message."""
    try:
        import rawpy  # noqa: F401
    except ImportError as error:
        raise MissingPackageError(name, "rawpy", "photos") from error


def raw_preview(path: Path) -> Image.Image:
    """The largest preview in a raw file, upright; of a JPEG the header alone was read.

    Raises:
        RefusedImageError: the file holds none.
        Exception: of LibRaw or Pillow, for damaged content.
    """
    import rawpy

    with check_readable(path).open("rb") as file, rawpy.imread(file) as raw:
        try:
            preview, flip = raw.extract_thumb(), raw.sizes.flip
        except (rawpy.LibRawNoThumbnailError, rawpy.LibRawUnsupportedThumbnailError) as error:
            raise RefusedImageError(path.name, "holds no preview that can be read; export it as JPEG.") from error
    if preview.format == rawpy.ThumbFormat.JPEG:
        image: Image.Image = Image.open(io.BytesIO(preview.data), formats=("JPEG",))
        upright = image.getexif().get(_ORIENTATION) is not None
    else:
        image, upright = Image.fromarray(preview.data), False
    return image if upright or flip not in _TURNS else image.transpose(_TURNS[flip])
