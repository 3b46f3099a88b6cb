"""Read image files as upright, opaque RGB. All images of tables are opened here."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from PIL import Image, UnidentifiedImageError

from likeness.io.confinement import is_confined
from likeness.io.content import open_content
from likeness.io.decoder_process import FULL_SIZE, PICTURE_PIXELS
from likeness.io.file_formats import format_of, is_heif
from likeness.io.file_parts import Part, RegionError, file_of, split_part
from likeness.io.foreign_images import foreign_file
from likeness.io.jpeg_scans import MAX_SCANS, has_more_scans
from likeness.io.rgb import REMARK, cropped, is_turned, may_have_remark, to_rgb
from likeness.io.unreadable import TransientError, UnreadableImageError, check_memory

_HEAD = 64
# Pixels. On a shared server, visitors' larger images are decoded in a process of their own, which comes last for the processors.
_LARGE = 4_000_000


def read_image(
    path: Path,
    least: int | None = None,
    most_pixels: int = PICTURE_PIXELS,
    turn: Callable[[int], AbstractContextManager[Any]] | None = None,
) -> Image.Image:
    """Reads a file, or a part of one (`likeness.io.file_parts`), of any mode as upright RGB, with transparent parts on white.

    HEIC, raw files, PDF files and videos are decoded in a separate process, and reduced by an integer factor if larger than `most_pixels`. In a
    confined process this applies to every image of more than 4 million pixels, unless there is a `turn`.

    Args:
        least: minimum width and height, if less than full size is enough: a JPEG is then decoded at 1/2, 1/4 or 1/8 of its size.
        turn: what is entered to decode an image of so many pixels in this process.

    Raises:
        UnreadableImageError: the content is not an image or damaged, or has no such part.
        TransientError: there is not enough memory now, or the package for the format is not installed.
        OSError: the file cannot be opened (missing, no permission).
    """
    part = split_part(str(path))[1]
    with open_content(path) as file:
        if not _is_foreign(path, file) and (turn is not None or not is_confined() or not _is_large(file)):
            return decode_image(file, path.name, least, part, turn or nullcontext)
        if part is not None and (part.entry or part.column):
            return foreign_file(Path(path.name), part, most_pixels, file.read())
        return foreign_file(file_of(path), part, most_pixels)


def image_size(path: Path) -> tuple[int, int]:
    """Width and height in pixels of the upright image, from the header only; formats decoded in a separate process are decoded. Raises as
    `read_image`.
    """
    part = split_part(str(path))[1] or Part()
    with open_content(path) as file:
        if _is_foreign(path, file):
            width, height = read_image(path).info[FULL_SIZE]
            return width, height
        try:
            with Image.open(file) as image:
                left, top, right, bottom = part.edges(*_upright_size(image))
                return right - left, bottom - top
        except Exception as error:  # Pillow's parsers raise anything on foreign content
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise UnreadableImageError(path.name, _reason(error)) from error


def image_remark(path: Path) -> str:
    """A remark on how an image is converted (`to_rgb`); "" if there is none or it is unreadable. Images without remark are not decoded."""
    try:
        with open_content(path) as file, Image.open(file) as image:
            if not may_have_remark(image):
                return ""
        return str(read_image(path).info.get(REMARK, ""))
    except (OSError, ValueError, Image.DecompressionBombError):
        return ""


def decode_image(
    file: BinaryIO,
    name: str,
    least: int | None = None,
    part: Part | None = None,
    turn: Callable[[int], AbstractContextManager[Any]] = nullcontext,
) -> Image.Image:
    """Like `read_image`, from an open file; `name` is used in messages."""
    if is_heif(file.read(_HEAD)):
        file.seek(0)
        return foreign_file(Path(name), part, content=file.read())
    file.seek(0)
    check_scans(file, name)
    try:
        with Image.open(file) as image:
            part, full = part or Part(), image.size
            if least is not None:
                left, top, right, bottom = part.edges(*_upright_size(image))
                scale = least / min(right - left, bottom - top)
                image.draft(None, (math.ceil(full[0] * scale), math.ceil(full[1] * scale)))
            with turn(image.width * image.height):
                picture = to_rgb(image)
            return cropped(picture, part, round(full[0] / image.width))
    except MemoryError as error:
        raise TransientError(f"The image '{name}'", error) from error
    except Exception as error:  # Pillow's parsers raise anything on foreign content
        # The system's own errors (a failing disk) carry a number; Pillow's about damaged content do not.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        try:
            check_memory()
        except MemoryError as short:
            raise TransientError(f"The image '{name}'", short) from error
        raise UnreadableImageError(name, _reason(error)) from error


def _is_foreign(path: Path, file: BinaryIO) -> bool:
    """True if an image is decoded in a separate process, by its name or content. Rewinds the file."""
    part = split_part(str(path))[1]
    inside = part is not None and bool(part.entry)
    own = format_of(Path(part.entry) if part is not None and inside else file_of(path)) is not None
    if own and inside:
        raise UnreadableImageError(path.name, "it is a raw file, PDF or video in an archive, which must be unpacked first")
    head = file.read(_HEAD)
    file.seek(0)
    return own or is_heif(head)


def _upright_size(image: Image.Image) -> tuple[int, int]:
    return image.size[::-1] if is_turned(image) else image.size


def _is_large(file: BinaryIO) -> bool:
    """True if an image has more than `_LARGE` pixels, by its header; False if it is not an image. Rewinds the file."""
    try:
        with Image.open(file) as image:
            return image.width * image.height > _LARGE
    except Exception:  # Pillow's parsers raise anything on foreign content; `decode_image` says it
        return False
    finally:
        file.seek(0)


def _reason(error: Exception) -> str:
    if isinstance(error, RegionError):
        return str(error)
    if isinstance(error, UnidentifiedImageError):
        return "it is empty or not an image in a known format"
    return "it has more pixels than is safe to decode" if isinstance(error, Image.DecompressionBombError) else f"it is damaged ({error})"


def check_scans(file: BinaryIO, name: str) -> None:
    """Raises UnreadableImageError for a JPEG of so many scans that decoding takes minutes. Rewinds the file."""
    too_many = file.read(2) == b"\xff\xd8" and has_more_scans(b"\xff\xd8" + file.read())
    file.seek(0)
    if too_many:
        raise UnreadableImageError(name, f"it is a JPEG of more than {MAX_SCANS} scans, which takes too long to decode")
