"""Reads and prepares images in threads while the model computes."""

import io
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from likeness.data import fetch
from likeness.io import REMARK, TransientError, UnreadableImageError, decode_image, read_image, split_part, to_rgb

MAX_THREADS = 8
_FETCHED_AT_ONCE = 32


@dataclass(frozen=True)
class ImageUrl:
    """An image behind a URL."""

    url: str


@dataclass(frozen=True)
class PreparedBatch:
    """Prepared images; positions are in the whole sequence of images.

    Attributes:
        values: results of `prepare` for the images at `positions`.
        remarks: notes on the reading of images, by position (`likeness.io.to_rgb`).
    """

    positions: list[int]
    values: list[Any]
    errors: list[tuple[int, UnreadableImageError | TransientError | OSError]]
    remarks: list[tuple[int, str]]


def prepared_batches(
    images: Sequence[Path | ImageUrl | Image.Image],
    prepare: Callable[[Image.Image], Any],
    batch_size: int,
    threads: int | None = None,
    least: int | None = None,
) -> Iterator[PreparedBatch]:
    """Yields batches in order; while the caller works on one, the next are read, at most `threads` + 1 of them; `least` as in `read_image`."""
    threads = threads or min(MAX_THREADS, os.cpu_count() or 1)
    starts = iter(range(0, len(images), batch_size))
    ahead: deque[Future[PreparedBatch]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="likeness-read")

    def submit() -> None:
        start = next(starts, None)
        if start is not None:
            ahead.append(pool.submit(_prepare_batch, images[start : start + batch_size], start, prepare, least))

    try:
        for _ in range(threads + 1):
            submit()
        while ahead:
            batch = ahead.popleft().result()
            submit()
            yield batch
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _prepare_batch(
    images: Sequence[Path | ImageUrl | Image.Image], start: int, prepare: Callable[[Image.Image], Any], least: int | None
) -> PreparedBatch:
    batch = PreparedBatch([], [], [], [])
    for position, image in enumerate(_fetched(images), start):
        try:
            opened = _opened(image, least)
            value = prepare(opened)
        except (UnreadableImageError, TransientError, OSError) as error:
            batch.errors.append((position, error))
        except MemoryError as error:  # also errors of `prepare`
            batch.errors.append((position, TransientError("The image", error)))
        else:
            batch.positions.append(position)
            batch.values.append(value)
            if REMARK in opened.info:
                batch.remarks.append((position, opened.info[REMARK]))
    return batch


def _opened(image: "Path | Image.Image | _Fetched", least: int | None) -> Image.Image:
    if isinstance(image, Path):
        return read_image(image, least)
    if isinstance(image, Image.Image):
        return to_rgb(image)
    url, content = image
    if isinstance(content, OSError):
        raise content
    return decode_image(io.BytesIO(content), url.rsplit("/", 1)[-1], least, split_part(url)[1])


_Fetched = tuple[str, bytes | OSError]


def _fetched(images: Sequence[Path | ImageUrl | Image.Image]) -> Iterator[Path | Image.Image | _Fetched]:
    """The images, with several URLs fetched at a time: one after another would take ten times as long."""
    for begin in range(0, len(images), _FETCHED_AT_ONCE):
        some = images[begin : begin + _FETCHED_AT_ONCE]
        urls = [split_part(image.url)[0] for image in some if isinstance(image, ImageUrl)]
        contents = iter(fetch(urls))
        for image in some:
            yield (image.url, next(contents)) if isinstance(image, ImageUrl) else image
