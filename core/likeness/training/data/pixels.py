"""The images of a run, decoded once: 8-bit pixels on disk, cropped and flipped in batches."""

import hashlib
import os
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import cache_dir, compute_once_locked, file_of
from likeness.progress import Progress

if TYPE_CHECKING:
    import torch

    from likeness.data import ImageTable

Pixels = NDArray[np.uint8]
Vector = NDArray[np.float64]
# Side of the kept image over that of the crop: 256 and 224 in the papers' protocol.
MARGIN = 8 / 7
_SCALE, _RATIO = (0.16, 1.0), (3 / 4, 4 / 3)
# Largest change of size and position, as shares of the crop's side.
_JITTER = (0.05, 0.03)


def kept_size(size: int) -> int:
    """Side at which an image is kept so that a crop of `size` can be cut from it."""
    return round(size * MARGIN)


def load_pixels(
    table: "ImageTable",
    size: int,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    kept: int | None = None,
    frame: str = "square",
) -> Pixels:
    """Each image's center square, scaled to `kept_size(size)`: (n, s, s, 3), mapped from a file in the cache.

    The file is made once for the same paths, file sizes and times, also by several processes at once; it is mapped, so that all
    processes of a machine share its memory.

    Args:
        table: n images.
        size: side of the images that the network reads.
        progress: called with (images done, n, what is being done).
        should_stop: called between images; once true, the work ends with an InputError and nothing is kept.
        kept: s, in place of `kept_size(size)`.
        frame: "square", or "whole": all of the image, squeezed to a square.

    Raises:
        InputError: for the first image that cannot be read, or when stopped.
    """
    side, keep = kept or kept_size(size), _whole_frame if frame == "whole" else _center_square
    how = f"{size} {MARGIN}" if side == kept_size(size) and frame == "square" else f"{side} {frame}"
    key = image_files_digest(table, how)
    return cached_images(table, key, np.uint8, (side, side, 3), lambda image: keep(image, side), progress, should_stop)


def cached_images(
    table: "ImageTable",
    key: str,
    dtype: Any,
    shape: tuple[int, ...],
    keep: Callable[[Any], Any],
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> NDArray[Any]:
    """What `keep` makes of each image, (n, *shape), mapped from a file of the cache that is made once for this key.

    Raises:
        InputError: as `load_pixels`.
    """
    file = cache_dir() / "pixels" / f"{key}.npy"
    if not file.is_file():
        with compute_once_locked(file, should_stop) as missing:
            if missing:
                _decode(table.paths(), dtype, shape, keep, file, progress, should_stop)
    found: NDArray[Any] = np.load(file, mmap_mode="r")
    return found


def center_crops(pixels: Pixels, size: int) -> "torch.Tensor":
    """The centers (n, 3, size, size) of kept images, values 0 to 1, for evaluation."""
    import torch

    edge = (pixels.shape[1] - size) // 2
    cut = np.array(pixels[:, edge : edge + size, edge : edge + size])  # a copy also of all that is kept, whose file is not to be written to
    return torch.from_numpy(cut).permute(0, 3, 1, 2).float().div_(255)


def random_crops(pixels: Pixels, size: int, rng: np.random.Generator, part: slice = slice(None), total: int | None = None) -> "torch.Tensor":
    """Random crops, half of them mirrored, (n, 3, size, size), values 0 to 1, for training.

    A crop has 16 to 100 % of the area of the kept square and sides in a ratio of 3/4 to 4/3, and is scaled to the full size. The authors of
    language guidance crop the whole image: `likeness.training.data.whole_images`.

    Args:
        pixels: (n, s, s, 3).
        size: of the crops.
        rng: the source of random numbers.
        part, total: the images are these rows of a batch of `total` images, and get the crops that they have in the whole batch.
    """
    count = len(pixels) if total is None else total
    area = rng.uniform(*_SCALE, count)
    ratio = np.exp(rng.uniform(np.log(_RATIO[0]), np.log(_RATIO[1]), count))
    wide, high = (np.minimum(1.0, np.sqrt(area * factor)) for factor in (ratio, 1 / ratio))
    left, top = ((2 * rng.random(count) - 1) * (1 - extent) for extent in (wide, high))
    mirror = np.where(rng.random(count) < 0.5, -1.0, 1.0)
    return sample_crops(pixels, size, *(each[part] for each in (left, top, wide * mirror, high)))


def jittered_crops(pixels: Pixels, size: int, rng: np.random.Generator, part: slice = slice(None), total: int | None = None) -> "torch.Tensor":
    """The centers of kept images, 5 % larger or smaller and 3 % off at most, (n, 3, size, size), values 0 to 1; all mirrored, or none.

    For continuous labels such as poses, which change with a crop, and with a mirror unless all images are mirrored alike. Beyond the
    image its edge pixels are repeated. Arguments as for `random_crops`.
    """
    count, shown = len(pixels) if total is None else total, size / pixels.shape[1]
    scale = shown * (1 + 2 * _JITTER[0] * rng.uniform(-1, 1, count))
    left, top = (shown * 2 * _JITTER[1] * rng.uniform(-1, 1, count) for _ in range(2))
    mirror = -1 if rng.random() < 0.5 else 1
    return sample_crops(pixels, size, *(each[part] for each in (left, top, scale * mirror, scale)))


def mirrored_crops(pixels: Pixels, size: int, rng: np.random.Generator, part: slice = slice(None), total: int | None = None) -> "torch.Tensor":
    """The centers of kept images, all mirrored, or none; arguments and result as for `random_crops`."""
    found = center_crops(pixels, size)
    return found.flip(3) if rng.random() < 0.5 else found


def sample_crops(pixels: Pixels, size: int, left: Vector, top: Vector, wide: Vector, high: Vector) -> "torch.Tensor":
    """Crops (n, 3, size, size) around (left, top), with extents, in the coordinates of `grid_sample`, -1 to 1 over the kept image."""
    import torch
    from torch.nn.functional import grid_sample

    count = len(pixels)
    line = (np.arange(size) + 0.5) / size * 2 - 1
    across = left[:, None] + wide[:, None] * line
    down = top[:, None] + high[:, None] * line
    grid = np.empty((count, size, size, 2), np.float32)
    grid[..., 0], grid[..., 1] = across[:, None, :], down[:, :, None]
    images = torch.from_numpy(np.ascontiguousarray(pixels)).permute(0, 3, 1, 2).float().div_(255)
    return grid_sample(images, torch.from_numpy(grid), mode="bilinear", padding_mode="border", align_corners=False)


def image_files_digest(table: "ImageTable", kept: str) -> str:
    """A key of the cache: of the paths, file sizes and times of a table's images, and of how they are kept.

    Raises:
        InputError: for the first image that is not there.
    """
    digest = hashlib.sha256(kept.encode())
    for path in table.paths():
        try:
            stat = file_of(path).stat()
        except OSError as error:
            raise InputError(f"The image '{path}' cannot be opened ({error.strerror or error}); restore it or leave it out.") from error
        digest.update(os.fsencode(f"{path.resolve()} {stat.st_size} {stat.st_mtime_ns}\n"))
    return digest.hexdigest()[:32]


def _decode(
    paths: Sequence[Path],
    dtype: Any,
    shape: tuple[int, ...],
    keep: Callable[[Any], Any],
    file: Path,
    progress: Progress | None,
    should_stop: Callable[[], bool] | None,
) -> None:
    from likeness.io import read_image

    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        kept: Any = np.lib.format.open_memmap(temporary, "w+", dtype, (len(paths), *shape))
        for number, path in enumerate(paths):
            if should_stop and should_stop():
                raise InputError(f"Stopped while reading images, {number:,} of {len(paths):,}.")
            kept[number] = keep(read_image(path))
            if progress and (number % 100 == 0 or number == len(paths) - 1):
                progress(number + 1, len(paths), "Reading images")
        kept.flush()
        del kept
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)


def _center_square(image: Any, side: int) -> Pixels:
    short = min(image.size)
    left, top = ((extent - short) // 2 for extent in image.size)
    return _scaled(image, side, (left, top, left + short, top + short))


def _whole_frame(image: Any, side: int) -> Pixels:
    return _scaled(image, side, (0, 0, *image.size))


def _scaled(image: Any, side: int, box: tuple[int, int, int, int]) -> Pixels:
    from PIL import Image

    cut = image.resize((side, side), Image.Resampling.BICUBIC, box, reducing_gap=3.0)
    return np.asarray(cut.convert("RGB"), dtype=np.uint8)
