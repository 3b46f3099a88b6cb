"""Check and decode untrusted images in separate processes, where a malicious image can neither crash this process nor fill its memory."""

import atexit
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, cast

from likeness.errors import InputError
from likeness.io.decoder_pool import Client, DecoderPool
from likeness.io.decoder_process import PICTURE_PIXELS, Answer, Request
from likeness.io.file_parts import Part
from likeness.io.unreadable import RefusedImageError

if TYPE_CHECKING:
    from PIL import Image

MAX_PIXELS = 64_000_000
MAX_UPLOAD_MB = 100  # of one file; a server may set another
MAX_UPLOAD_BYTES = MAX_UPLOAD_MB << 20
_BATCH, _BATCH_BYTES = 16, 1 << 20
_AHEAD_BYTES = 64 << 20

_uploads = DecoderPool(os.cpu_count() or 1)
_queries = DecoderPool(2)  # who drops an image waits for it, and not for uploads
_files = DecoderPool(os.cpu_count() or 1)
for _pool in (_uploads, _queries, _files):
    atexit.register(_pool.close)


def check_images(
    files: Iterable[tuple[str, bytes]], max_pixels: int = MAX_PIXELS, max_bytes: int = MAX_UPLOAD_BYTES
) -> Iterator[tuple[str, bytes, str | InputError]]:
    """Decodes images, in parallel on all processors, and yields each file in order with the suffix of its format.

    For a bad one an error replaces the suffix: it is not a JPEG, PNG, WebP, GIF, BMP, TIFF, AVIF or HEIC, is damaged, has too many pixels or scans,
    or took too much time or memory. Files are consumed lazily, so that few are in memory.

    Args:
        files: name and content of each; names are only used in messages.
        max_pixels, max_bytes: limits per image and per file.
    """
    client = Client()
    ahead: deque[tuple[int, Future[list[tuple[str, bytes, str | InputError]]]]] = deque()  # behind how many bytes
    threads = ThreadPoolExecutor(_uploads.size + 1, thread_name_prefix="likeness-check")  # while one takes its answers, another begins
    try:
        for batch in _batches(files):
            ahead.append((_size(batch), threads.submit(_checked, batch, max_pixels, max_bytes, client)))
            while len(ahead) > 2 * _uploads.size or sum(size for size, _ in ahead) > _AHEAD_BYTES:
                yield from ahead.popleft()[1].result()
        while ahead:
            yield from ahead.popleft()[1].result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def foreign_image(content: bytes, name: str, max_pixels: int = MAX_PIXELS) -> "Image.Image":
    """Decodes an image, or the first frame of an animation, as upright RGB, reduced by an integer factor if it has more than 16 million pixels.
    `name` is used in messages.

    Raises:
        InputError: the image is bad, see `check_images`.
    """
    return _picture(_queries, Request(name, content, max_pixels, "picture"))


def foreign_file(path: Path, part: Part | None = None, most_pixels: int = PICTURE_PIXELS, content: bytes = b"") -> "Image.Image":
    """Decodes a HEIC or raw file, a second of a video (by default the first), a page of a PDF, or a region of these or of other images as upright
    RGB, reduced by an integer factor if it has more than `most_pixels`. With `content`, this is decoded, and the path only used in messages.

    Raises:
        UnreadableImageError: it is damaged, has no such part, or takes too much time or memory.
        MissingPackageError: the package for its format is not installed.
    """
    return _picture(_files, Request(path.name, content, MAX_PIXELS, "picture", "" if content else str(path), part, most_pixels))


def count_parts(paths: Sequence[Path]) -> list[int | InputError]:
    """Number of seconds of each video (at least one) or pages of each PDF, or why the file cannot be read."""
    answers = _each([Request(path.name, b"", MAX_PIXELS, "parts", str(path)) for path in paths])
    return [answer for answer in answers if isinstance(answer, int | InputError)]


def heif_exif(paths: Sequence[Path]) -> list[bytes]:
    """EXIF data of each HEIC file; empty if missing or unreadable."""
    answers = _each([Request(path.name, b"", MAX_PIXELS, "exif", str(path)) for path in paths])
    return [answer if isinstance(answer, bytes) else b"" for answer in answers]


def _picture(pool: DecoderPool, request: Request) -> "Image.Image":
    (answer,) = pool.ask([request], Client())
    if isinstance(answer, InputError):
        raise answer
    return cast("Image.Image", answer)


def _each(requests: list[Request]) -> list[Answer]:
    """Yields the answers in order, using one process per processor."""
    if not requests:
        return []
    client = Client()
    groups = [requests[begin : begin + _BATCH] for begin in range(0, len(requests), _BATCH)]
    with ThreadPoolExecutor(_files.size, thread_name_prefix="likeness-files") as threads:
        return [answer for answers in threads.map(lambda group: _files.ask(group, client), groups) for answer in answers]


def _batches(files: Iterable[tuple[str, bytes]]) -> Iterator[list[tuple[str, bytes]]]:
    """Groups of files, because transferring a small image takes as long as decoding it."""
    batch: list[tuple[str, bytes]] = []
    for file in files:
        batch.append(file)
        if len(batch) == _BATCH or _size(batch) > _BATCH_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch


def _size(batch: list[tuple[str, bytes]]) -> int:
    return sum(len(content) for _, content in batch)


def _checked(batch: list[tuple[str, bytes]], max_pixels: int, max_bytes: int, client: Client) -> list[tuple[str, bytes, str | InputError]]:
    fitting = [Request(name, content, max_pixels) for name, content in batch if len(content) <= max_bytes]
    answers = (answer for answer in _uploads.ask(fitting, client) if isinstance(answer, str | InputError))
    limit = f"has more than {max_bytes >> 20:,} MB, the limit for one image; shrink it and upload it again."
    return [(name, content, next(answers) if len(content) <= max_bytes else RefusedImageError(name, limit)) for name, content in batch]
