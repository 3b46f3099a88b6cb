"""Read image files as upright, opaque RGB. All images of tables are opened here."""

from pathlib import Path
from typing import BinaryIO

from PIL import Image, UnidentifiedImageError

from likeness.io.confinement import check_readable, is_confined
from likeness.io.decoder_process import PICTURE_PIXELS
from likeness.io.file_formats import format_of, is_heif
from likeness.io.file_parts import split_part
from likeness.io.foreign_images import foreign_file, foreign_image
from likeness.io.jpeg_scans import MAX_SCANS, has_more_scans
from likeness.io.rgb import REMARK, may_have_remark, to_rgb
from likeness.io.unreadable import TransientError, UnreadableImageError, check_memory

_HEAD = 64
# Pixels. On a shared server, visitors' larger images are decoded in a process of their own, which comes last for the processors.
_LARGE = 4_000_000


def read_image(path: Path, least: int | None = None) -> Image.Image:
    """Reads a file, or a part of one ("clip.mp4#t=12", "paper.pdf#page=3"), of any mode as upright RGB, with transparent parts on white.

    HEIC, raw files, PDF files and videos are decoded in a separate process, and reduced by an integer factor if larger than 16 million pixels. In a
    confined process this applies to every image of more than 4 million pixels.

    Args:
        least: minimum width and height, if less than full size is enough: a JPEG is then decoded at 1/2, 1/4 or 1/8 of its size.

    Raises:
        UnreadableImageError: the content is not an image or damaged.
        TransientError: there is not enough memory now, or the package for the format is not installed.
        OSError: the file cannot be opened (missing, no permission).
    """
    apart = image_apart(path)
    if apart is not None:
        return apart
    with check_readable(path).open("rb") as file:
        return foreign_file(path) if is_confined() and _is_large(file) else decode_image(file, path.name, least)


def image_apart(path: Path, most_pixels: int = PICTURE_PIXELS) -> Image.Image | None:
    """The image of a row in a format that is decoded in a separate process, as upright RGB of at most `most_pixels`; None for other formats. Raises
    as `read_image`.
    """
    name, part = split_part(str(path))
    file = path if part is None else Path(name)
    check_readable(file)
    if format_of(file) is None:
        with file.open("rb") as opened:
            if not is_heif(opened.read(_HEAD)):
                return None
    return foreign_file(file, part, most_pixels)


def image_size(path: Path) -> tuple[int, int]:
    """Width and height in pixels as stored, from the header only; for formats decoded in a separate process, those of the decoded image. Raises as
    `read_image`.
    """
    apart = image_apart(path)
    if apart is not None:
        return apart.size
    with check_readable(path).open("rb") as file:
        try:
            with Image.open(file) as image:
                return image.size
        except Exception as error:  # Pillow's parsers raise anything on foreign content
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise UnreadableImageError(path.name, _reason(error)) from error


def image_remark(path: Path) -> str:
    """A remark on how an image is converted (`to_rgb`); "" if there is none or it is unreadable. Images without remark are not decoded."""
    try:
        with check_readable(path).open("rb") as file, Image.open(file) as image:
            if not may_have_remark(image):
                return ""
        return str(read_image(path).info.get(REMARK, ""))
    except (OSError, ValueError, Image.DecompressionBombError):
        return ""


def decode_image(file: BinaryIO, name: str, least: int | None = None) -> Image.Image:
    """Like `read_image`, from an open file; `name` is used in messages."""
    if is_heif(file.read(_HEAD)):
        file.seek(0)
        return foreign_image(file.read(), name)
    file.seek(0)
    check_scans(file, name)
    try:
        with Image.open(file) as image:
            if least is not None:
                image.draft(None, (least, least))
            return to_rgb(image)
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
    if isinstance(error, UnidentifiedImageError):
        return "it is empty or not an image in a known format"
    return "it has more pixels than is safe to decode" if isinstance(error, Image.DecompressionBombError) else f"it is damaged ({error})"


def check_scans(file: BinaryIO, name: str) -> None:
    """Raises UnreadableImageError for a JPEG of so many scans that decoding takes minutes. Rewinds the file."""
    too_many = file.read(2) == b"\xff\xd8" and has_more_scans(b"\xff\xd8" + file.read())
    file.seek(0)
    if too_many:
        raise UnreadableImageError(name, f"it is a JPEG of more than {MAX_SCANS} scans, which takes too long to decode")
