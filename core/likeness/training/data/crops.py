"""Crops of images: drawn by a seed on the host, cut on the device of the pixels."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import grid_sample

Shares = NDArray[np.float64]
# aspect ratio as in torchvision's RandomResizedCrop, and for whole images also its range of areas
_RATIO = (3 / 4, 4 / 3)
_SQUARE_AREA, _WHOLE_AREA = (0.16, 1.0), (0.08, 1.0)
_TRIES = 10
# largest change of size and position, as shares of the crop's side
_JITTER = (0.05, 0.03)
_ALL = slice(None)
_NO_SEEDS = np.array([], dtype=np.int64)


class Crops(NamedTuple):
    """Crops of a batch: boxes (n, 4) of center (x, y), width and height, from -1 to 1 over the image, in double precision; negative widths mirror.
    None: the exact center pixels, `mirrored` or not. `seeds` (n,) are of the transforms that follow, for each image.
    """

    boxes: Tensor | None = None
    mirrored: bool = False
    seeds: NDArray[np.int64] = _NO_SEEDS


MIDDLE = Crops()


def cut_crops(pixels: Tensor, crops: Crops, size: int) -> Tensor:
    """Crops (n, 3, size, size), with values 0 to 1, of 8-bit images (n, s, s, 3), on their device.

    Boxes are sampled bilinearly; edge pixels are repeated outside the image.
    """
    if crops.boxes is None:
        edge = (pixels.shape[1] - size) // 2
        middle = _values(pixels[:, edge : edge + size, edge : edge + size])
        return middle.flip(3) if crops.mirrored else middle
    # float32 would shift positions by about 1e-5 of a pixel
    line = (torch.arange(size, dtype=crops.boxes.dtype, device=pixels.device) + 0.5) / size * 2 - 1
    left, top, wide, high = crops.boxes.to(pixels.device).T[:, :, None]
    grid = torch.empty(len(pixels), size, size, 2, device=pixels.device)
    grid[..., 0], grid[..., 1] = (left + wide * line)[:, None, :], (top + high * line)[:, :, None]
    return grid_sample(_values(pixels), grid, mode="bilinear", padding_mode="border", align_corners=False)


def random_crops(count: int, rng: np.random.Generator, part: slice = _ALL) -> Crops:
    """Random crops, half of them mirrored, for training.

    A crop has 16 to 100 % of the area of the square and an aspect ratio of 3/4 to 4/3. The authors of language guidance crop the whole image:
    `whole_crops`. `part` selects rows of the batch of `count` images; their crops do not depend on it.
    """
    area = rng.uniform(*_SQUARE_AREA, count)
    # log-uniform: wide and high crops are equally likely
    ratio = np.exp(rng.uniform(np.log(_RATIO[0]), np.log(_RATIO[1]), count))
    wide, high = (np.minimum(1.0, np.sqrt(area * factor)) for factor in (ratio, 1 / ratio))
    # centers for which the box stays inside the image
    left, top = ((2 * rng.random(count) - 1) * (1 - extent) for extent in (wide, high))
    mirror = np.where(rng.random(count) < 0.5, -1.0, 1.0)
    return _boxes(part, left, top, wide * mirror, high)


def jittered_crops(count: int, shown: float, rng: np.random.Generator, part: slice = _ALL) -> Crops:
    """Center crops with sizes changed by at most 5 % and positions by at most 3 %; all mirrored, or none. `shown`: side of the crops relative to the
    images'.

    For continuous labels such as poses, which change with a crop, and with a mirror unless all images are mirrored alike.
    """
    scale = shown * (1 + 2 * _JITTER[0] * rng.uniform(-1, 1, count))
    left, top = (shown * 2 * _JITTER[1] * rng.uniform(-1, 1, count) for _ in range(2))
    mirror = -1 if rng.random() < 0.5 else 1
    return _boxes(part, left, top, scale * mirror, scale)


def mirrored_crops(rng: np.random.Generator) -> Crops:
    """Center crops, all mirrored, or none."""
    return Crops(mirrored=bool(rng.random() < 0.5))


def whole_crops(aspect: Shares, count: int, rng: np.random.Generator, part: slice = _ALL) -> Crops:
    """Random crops of whole images, half of them mirrored, as torchvision's RandomResizedCrop draws them (`crop_shares`), but in fractions of pixels.

    `aspect` is the width / height of the images of the part; other arguments as for `random_crops`.
    """
    area = rng.uniform(*_WHOLE_AREA, (_TRIES, count))
    ratio = np.exp(rng.uniform(np.log(_RATIO[0]), np.log(_RATIO[1]), (_TRIES, count)))
    across, down, mirrored = rng.uniform(-1, 1, count), rng.uniform(-1, 1, count), rng.random(count) < 0.5
    # all crops of the batch are drawn, and those of the part used: they do not depend on the number of processes
    wide, high, fits = crop_shares(aspect.astype(np.float64), area[:, part], ratio[:, part])
    left, top = np.where(fits, across[part] * (1 - wide), 0), np.where(fits, down[part] * (1 - high), 0)
    return _boxes(_ALL, left, top, np.where(mirrored[part], -wide, wide), high)


def crop_shares(aspect: Shares, area: Shares, ratio: Shares) -> tuple[Shares, Shares, NDArray[np.bool_]]:
    """Width and height (n,) of crops, relative to the image, and whether any try fits (n,).

    Uses the first try that fits into the image, or else the largest central crop with a ratio of 3/4 to 4/3. `aspect` (n,) is the width / height of
    the images; `area` and `ratio` (tries, n) are the share of the image's area and the width / height of the crop.
    """
    wide, high = np.sqrt(area * ratio / aspect), np.sqrt(area * aspect / ratio)
    fits = (wide <= 1) & (high <= 1)
    first, images = fits.argmax(axis=0), np.arange(len(aspect))
    nearest = np.clip(aspect, *_RATIO)
    central = np.minimum(1.0, nearest / aspect), np.minimum(1.0, aspect / nearest)
    found: NDArray[np.bool_] = np.any(fits, axis=0)
    return np.where(found, wide[first, images], central[0]), np.where(found, high[first, images], central[1]), found


def _values(pixels: Tensor) -> Tensor:
    return pixels.permute(0, 3, 1, 2).float().div_(255)


def _boxes(part: slice, *sides: Shares) -> Crops:
    return Crops(torch.from_numpy(np.stack([each[part] for each in sides], axis=1)))
