"""Reading image files as upright, opaque RGB: the one place where the images of a table are opened."""

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
    """Reads a file, or a part of one ("clip.mp4#t=12", "paper.pdf#page=3"), as RGB: upright, transparent parts over white, any mode.

    HEIC, raw files, PDF files and videos are decoded in a process of their own; those of more than 16 million pixels are made smaller by a whole
    number. In a confined process that holds for every image of more than 4 million pixels.

    Args:
        least: pixels in each direction, if fewer than all are enough: a JPEG is then decoded at a half, a quarter or an eighth of its size.

    Raises:
        UnreadableImageError: if the content is no image or is damaged.
        TransientError: if there is not enough memory now, or the package for the format is not installed.
        OSError: if the file cannot be opened (missing, not permitted).
    """
    apart = image_apart(path)
    if apart is not None:
        return apart
    with check_readable(path).open("rb") as file:
        return foreign_file(path) if is_confined() and _is_large(file) else decode_image(file, path.name, least)


def image_apart(path: Path, most_pixels: int = PICTURE_PIXELS) -> Image.Image | None:
    """The image of a row whose format is decoded in a process of its own, upright RGB of at most `most_pixels`; None for all other formats. Raises as
    `read_image`.
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
    """Width and height of an image in pixels as it is stored, from its header alone; of formats that are decoded in a process of their own, those of
    the picture that comes back. Raises as `read_image`.
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
    """What a person should know of how an image is read (`to_rgb`); "" where there is nothing, and of one that cannot be read. Where nothing is to
    be said, its header alone is read.
    """
    try:
        with check_readable(path).open("rb") as file, Image.open(file) as image:
            if not may_have_remark(image):
                return ""
        return str(read_image(path).info.get(REMARK, ""))
    except (OSError, ValueError, Image.DecompressionBombError):
        return ""


def decode_image(file: BinaryIO, name: str, least: int | None = None) -> Image.Image:
    """Like `read_image`, from an open file; `name` stands in messages."""
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
    """Whether an image has more than `_LARGE` pixels, by its header; false for what is none. The file is at its beginning again."""
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
    """Raises UnreadableImageError for a JPEG of so many scans that decoding it takes minutes; the file is at its beginning again."""
    too_many = file.read(2) == b"\xff\xd8" and has_more_scans(b"\xff\xd8" + file.read())
    file.seek(0)
    if too_many:
        raise UnreadableImageError(name, f"it is a JPEG of more than {MAX_SCANS} scans, which takes too long to decode")
