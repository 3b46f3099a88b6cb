"""Whole images of a run for crops in training, as torchvision's RandomResizedCrop and the authors of language guidance cut them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.progress import Progress
from likeness.training.data.pixels import MARGIN, Pixels, cached_images, image_files_digest, kept_size

if TYPE_CHECKING:
    from likeness.data import ImageTable

# Records of "pixels" (s, s, 3), the whole image squeezed to a square, and "aspect", its width over its height.
WholeImages = NDArray[np.void]


def load_whole_images(table: "ImageTable", size: int, progress: Progress | None = None, should_stop: Callable[[], bool] | None = None) -> WholeImages:
    """Each image with all its edges, squeezed to a square of `kept_size(size)`, and its aspect: (n,) records, mapped from the cache.

    A side that is the longer one loses resolution by that; evaluation reads the squares of `load_pixels` instead.

    Args:
        table, size, progress, should_stop: as for `load_pixels`.

    Raises:
        InputError: as `load_pixels`.
    """
    side = kept_size(size)
    record = np.dtype([("aspect", np.float32), ("pixels", np.uint8, (side, side, 3))])
    key = image_files_digest(table, f"{size} {MARGIN} whole")
    return cached_images(table, key, record, (), lambda image: (image.width / image.height, _squeezed(image, side)), progress, should_stop)


def _squeezed(image: Any, side: int) -> Pixels:
    from PIL import Image

    return np.asarray(image.resize((side, side), Image.Resampling.BICUBIC, reducing_gap=3.0).convert("RGB"), dtype=np.uint8)
