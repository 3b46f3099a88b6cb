"""Whole images of a run for crops in training, as torchvision's RandomResizedCrop and the authors of language guidance cut them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.progress import Progress
from likeness.training.data.pixels import MARGIN, Pixels, cached_images, image_files_digest, kept_size, sample_crops

if TYPE_CHECKING:
    import torch

    from likeness.data import ImageTable

# Records of "pixels" (s, s, 3), the whole image squeezed to a square, and "aspect", its width over its height.
WholeImages = NDArray[np.void]
Shares = NDArray[np.float64]
_SCALE, _RATIO = (0.08, 1.0), (3 / 4, 4 / 3)
_TRIES = 10


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


def whole_crops(images: WholeImages, size: int, rng: np.random.Generator, part: slice = slice(None), total: int | None = None) -> "torch.Tensor":
    """Random crops of whole images, half of them mirrored, (n, 3, size, size), values 0 to 1; arguments as for `random_crops`.

    Drawn as torchvision's RandomResizedCrop does (`crop_shares`), but in fractions of pixels.
    """
    count = len(images) if total is None else total
    area = rng.uniform(*_SCALE, (_TRIES, count))
    ratio = np.exp(rng.uniform(np.log(_RATIO[0]), np.log(_RATIO[1]), (_TRIES, count)))
    across, down, mirrored = rng.uniform(-1, 1, count), rng.uniform(-1, 1, count), rng.random(count) < 0.5
    wide, high, fits = crop_shares(images["aspect"].astype(np.float64), area[:, part], ratio[:, part])
    left, top = np.where(fits, across[part] * (1 - wide), 0), np.where(fits, down[part] * (1 - high), 0)
    return sample_crops(images["pixels"], size, left, top, np.where(mirrored[part], -wide, wide), high)


def crop_shares(aspect: Shares, area: Shares, ratio: Shares) -> tuple[Shares, Shares, NDArray[np.bool_]]:
    """Width and height (n,) of crops, as shares of those of the image, and which of them fit (n,).

    The first try that lies within the image counts; where none fits, the largest crop with a ratio of 3/4 to 4/3, which is central.

    Args:
        aspect: (n,) width over height of the images.
        area, ratio: (tries, n) share of the image's area, and width over height of the crop.
    """
    wide, high = np.sqrt(area * ratio / aspect), np.sqrt(area * aspect / ratio)
    fits = (wide <= 1) & (high <= 1)
    first, images = fits.argmax(axis=0), np.arange(len(aspect))
    nearest = np.clip(aspect, *_RATIO)
    central = np.minimum(1.0, nearest / aspect), np.minimum(1.0, aspect / nearest)
    found: NDArray[np.bool_] = np.any(fits, axis=0)
    return np.where(found, wide[first, images], central[0]), np.where(found, high[first, images], central[1]), found


def _squeezed(image: Any, side: int) -> Pixels:
    from PIL import Image

    return np.asarray(image.resize((side, side), Image.Resampling.BICUBIC, reducing_gap=3.0).convert("RGB"), dtype=np.uint8)
