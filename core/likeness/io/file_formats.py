"""Formats that are known by the file's name and opened by its path, in the process that decodes foreign images."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from likeness.io import pdf_pages, video_frames
from likeness.io.confinement import check_readable
from likeness.io.file_parts import PDF_SUFFIXES, VIDEO_SUFFIXES
from likeness.io.unreadable import MissingPackageError, RefusedImageError

RAW_SUFFIXES = frozenset([".3fr", ".arw", ".cr2", ".cr3", ".dng", ".erf", ".iiq", ".nef", ".nrw", ".orf", ".pef", ".raf", ".rw2", ".srw"])
_ORIENTATION = 0x0112
# LibRaw's turns as Pillow's
_TURNS = {3: Image.Transpose.ROTATE_180, 5: Image.Transpose.ROTATE_90, 6: Image.Transpose.ROTATE_270}


def load_rawpy(name: str) -> None:
    """Raises MissingPackageError where rawpy is not installed; `name` stands in the message."""
    try:
        import rawpy  # noqa: F401
    except ImportError as error:
        raise MissingPackageError(name, "rawpy", "photos") from error


def raw_preview(path: Path) -> Image.Image:
    """The largest preview in a raw file, upright; of a JPEG the header alone was read.

    Raises:
        RefusedImageError: the file holds none.
        Exception: of LibRaw or Pillow, for damaged content.
    """
    import rawpy

    with check_readable(path).open("rb") as file, rawpy.imread(file) as raw:
        try:
            preview, flip = raw.extract_thumb(), raw.sizes.flip
        except (rawpy.LibRawNoThumbnailError, rawpy.LibRawUnsupportedThumbnailError) as error:
            raise RefusedImageError(path.name, "holds no preview that can be read; export it as JPEG.") from error
    if preview.format == rawpy.ThumbFormat.JPEG:
        image: Image.Image = Image.open(io.BytesIO(preview.data), formats=("JPEG",))
        upright = image.getexif().get(_ORIENTATION) is not None
    else:
        image, upright = Image.fromarray(preview.data), False
    return image if upright or flip not in _TURNS else image.transpose(_TURNS[flip])


@dataclass(frozen=True)
class FileFormat:
    """Raw files, PDF files or videos.

    Attributes:
        suffixes: of names, in lower case.
        load: imports the library; takes the file's name for its message, and raises MissingPackageError.
        open: (path, part, most pixels) -> image; the part is as in the row's path.
        first: the first part.
        count: parts of a file; None where it has none.
    """

    suffixes: frozenset[str]
    load: Callable[[str], None]
    open: Callable[[Path, int, int], "Image.Image"]
    first: int = 0
    count: Callable[[Path], int] | None = None


FILE_FORMATS = (
    FileFormat(RAW_SUFFIXES, load_rawpy, lambda path, part, most: raw_preview(path)),
    FileFormat(PDF_SUFFIXES, pdf_pages.load_pdfium, lambda path, part, most: pdf_pages.pdf_page(path, part), 1, pdf_pages.count_pages),
    FileFormat(VIDEO_SUFFIXES, video_frames.load_opencv, video_frames.video_frame, 0, video_frames.count_seconds),
)


def format_of(path: Path) -> FileFormat | None:
    """The format of a file by its name; None for images that Pillow opens, and all others."""
    return next((each for each in FILE_FORMATS if path.suffix.lower() in each.suffixes), None)
