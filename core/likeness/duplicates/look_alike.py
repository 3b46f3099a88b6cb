"""Whether two pictures are alike pixel by pixel, whatever an encoder sees in them: nearly so are a picture and its copy, and hardly any others."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from likeness.io import UnreadableImageError, read_image

if TYPE_CHECKING:
    from likeness.data import ImageTable

ALIKE = 0.95  # correlation from which on two pictures look like copies
_SIDE = 32  # pixels of the thumbnails that are compared
_CUTS = (0.0, 0.05, 0.1)  # shares of one of the two pictures that may be cut off the other
_READ = 128  # pixels that are enough of a JPEG


def pixel_correlation(first: Image.Image, second: Image.Image) -> float:
    """Correlation of the gray values of two pictures, both stretched to 32 x 32 pixels, -1 to 1.

    The largest where up to a tenth of the width and height is cut off either one. Two pictures of one gray each have 1.
    """
    one, other = _cuts(first), _cuts(second)
    return float(max((one[:1] @ other.T).max(), (one @ other[0]).max()))


def _cuts(image: Image.Image) -> NDArray[np.float64]:
    """Thumbnails (c, 32 * 32) of the middle of a picture, less their mean, of length 1."""
    gray, rows = image.convert("L"), []
    for cut in _CUTS:
        left, top = image.width * cut / 2, image.height * cut / 2
        part = gray.resize((_SIDE, _SIDE), Image.Resampling.BOX, box=(left, top, image.width - left, image.height - top))
        pixels = np.asarray(part, np.float64).ravel()
        pixels = pixels - pixels.mean()
        length = float(np.linalg.norm(pixels))
        rows.append(pixels / length if length else np.full(len(pixels), len(pixels) ** -0.5))
    return np.stack(rows)


def look_alike(table: "ImageTable", pairs: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of some pairs (p, 2) of a table's images look like copies (p,), and of which both could be read (p,)."""
    alike, is_read = np.zeros(len(pairs), np.bool_), np.ones(len(pairs), np.bool_)
    for place, (first, second) in enumerate(pairs.tolist()):
        try:
            alike[place] = pixel_correlation(_read(table, first), _read(table, second)) >= ALIKE
        except (UnreadableImageError, OSError):
            is_read[place] = False
    return alike, is_read


def _read(table: "ImageTable", row: int) -> Any:
    return read_image(table.file(row), _READ)
