"""Images of a run, decoded once: 8-bit pixels on disk."""

import hashlib
import os
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import (
    PIXELS_VERSION,
    cache_dir,
    compute_once_locked,
    file_of,
    free_bytes,
    make_folder,
    mapped_array,
    remove_damaged_array,
    size_text,
)
from likeness.progress import Progress

if TYPE_CHECKING:
    import torch

    from likeness.data import ImageTable

Pixels = NDArray[np.uint8]
# side of the stored image over that of the crop: 256 and 224 in the papers' protocol
MARGIN = 8 / 7
# images that threads read ahead of the one being written, and the maximum number of threads
_AHEAD, _MAX_THREADS = 64, 8


def kept_size(size: int) -> int:
    """Side of the stored image, from which crops of `size` are cut."""
    return round(size * MARGIN)


def load_pixels(
    table: "ImageTable",
    size: int,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    kept: int | None = None,
    frame: str = "square",
) -> Pixels:
    """Pixels (n, s, s, 3) of each image's center square, or of all of it squeezed to a square (`frame` "whole"), with side `kept`, or
    `kept_size(size)`.

    Memory-mapped from a file in the cache, keyed by paths, file sizes and times, safe for concurrent processes, which share its memory. `progress` is
    called with (images done, n, stage). InputError: an unreadable image, or `should_stop`, checked between images, is true; nothing is kept then.
    """
    side, keep = kept or kept_size(size), _whole_frame if frame == "whole" else _center_square
    return cached_images(table, _key(table, size, side, frame), np.uint8, (side, side, 3), lambda image: keep(image, side), progress, should_stop)


def check_room(table: "ImageTable", size: int, kept: int | None = None, frame: str = "square") -> None:
    """InputError: the disk of the cache has no room for the file of `load_pixels`."""
    side = kept or kept_size(size)
    needed, free = len(table) * side * side * 3, free_bytes(cache_dir())
    if needed > free and not (cache_dir() / "pixels" / f"{_key(table, size, side, frame)}.npy").is_file():
        raise InputError(
            f"{len(table):,} images of {side} pixels need {size_text(needed)} on the disk of the cache, but {size_text(free)} are free; make "
            "room there, lower data.image_size, or use fewer images."
        )


def _key(table: "ImageTable", size: int, side: int, frame: str) -> str:
    return image_files_digest(table, f"{size} {MARGIN}" if side == kept_size(size) and frame == "square" else f"{side} {frame}")


def cached_images(
    table: "ImageTable",
    key: str,
    dtype: Any,
    shape: tuple[int, ...],
    keep: Callable[[Any], Any],
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> NDArray[Any]:
    """Results of `keep` for each image, (n, *shape), memory-mapped from a file of the cache for this key; InputError as `load_pixels`."""
    file = cache_dir() / "pixels" / f"{key}.npy"
    remove_damaged_array(file, dtype, (len(table), *shape))
    if not file.is_file():
        with compute_once_locked(file, should_stop) as missing:
            if missing:
                _decode(table.paths(), dtype, shape, keep, file, progress, should_stop)
    return mapped_array(file)


def center_crops(pixels: Pixels, size: int, device: "torch.device | str" = "cpu") -> "torch.Tensor":
    """Centers (n, 3, size, size) of stored images, with values 0 to 1, for evaluation; transferred to the device as 8-bit pixels."""
    import torch

    from likeness.encoders import to_device
    from likeness.training.data.crops import MIDDLE, cut_crops

    edge = (pixels.shape[1] - size) // 2
    cut = np.array(pixels[:, edge : edge + size, edge : edge + size])  # a copy even of the full image, whose file must not be written to
    return cut_crops(to_device(torch.from_numpy(cut), device), MIDDLE, size)


def image_files_digest(table: "ImageTable", kept: str) -> str:
    """Cache key of a table's paths, file sizes and times, and of how images are stored. InputError: a missing image."""
    digest = hashlib.sha256(f"{kept} {PIXELS_VERSION}".encode())
    for path in table.paths():
        try:
            stat = file_of(path).stat()
        except OSError as error:
            raise InputError(f"The image '{path}' cannot be opened ({error.strerror or error}); restore it or remove it from the table.") from error
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

    make_folder(file.parent)
    temporary = file.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        kept: Any = np.lib.format.open_memmap(temporary, "w+", dtype, (len(paths), *shape))
        for number, image in enumerate(_in_threads(lambda path: keep(read_image(path)), paths)):
            if should_stop and should_stop():
                raise InputError(f"Stopped while reading images, {number:,} of {len(paths):,}.")
            kept[number] = image
            if progress and (number % 100 == 0 or number == len(paths) - 1):
                progress(number + 1, len(paths), "Reading images")
        kept.flush()
        del kept
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)


def _in_threads(work: Callable[[Path], Any], paths: Sequence[Path]) -> Iterator[Any]:
    """Results of `work` for each path, in order; threads read a few images ahead."""
    threads = min(_MAX_THREADS, os.cpu_count() or 1)
    pool = ThreadPoolExecutor(threads, thread_name_prefix="likeness-decode")
    waiting = deque(pool.submit(work, path) for path in paths[:_AHEAD])
    try:
        for following in range(_AHEAD, len(paths) + _AHEAD):
            if not waiting:
                return
            yield waiting.popleft().result()
            if following < len(paths):
                waiting.append(pool.submit(work, paths[following]))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


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


# Records of "pixels" (s, s, 3), the whole image squeezed to a square, and "aspect", its width / height.
WholeImages = NDArray[np.void]


def load_whole_images(table: "ImageTable", size: int, progress: Progress | None = None, should_stop: Callable[[], bool] | None = None) -> WholeImages:
    """Whole images squeezed to squares of `kept_size(size)`, and their aspect ratios: (n,) records, memory-mapped from the cache.

    The longer side loses resolution; evaluation uses the squares of `load_pixels` instead. Arguments and errors as there.
    """
    side = kept_size(size)
    record = np.dtype([("aspect", np.float32), ("pixels", np.uint8, (side, side, 3))])
    key = image_files_digest(table, f"{size} {MARGIN} whole")
    return cached_images(table, key, record, (), lambda image: (image.width / image.height, _whole_frame(image, side)), progress, should_stop)
