"""Formats that need optional packages; opened only in the decoder process.

Raw files, PDF files and videos are known by the file's name and opened by its path. HEIC and HEIF, used by phones, are recognized by content and
opened by Pillow with the plugin pi-heif, or with pillow-heif if installed, which is maintained but ships a GPL encoder in its wheels.
"""

import io
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from likeness.io import video_frames
from likeness.io.confinement import check_readable
from likeness.io.file_parts import PDF_SUFFIXES, VIDEO_SUFFIXES
from likeness.io.unreadable import RefusedImageError, needed

RAW_SUFFIXES = frozenset([".3fr", ".arw", ".cr2", ".cr3", ".dng", ".erf", ".iiq", ".nef", ".nrw", ".orf", ".pef", ".raf", ".rw2", ".srw"])
_LONG_SIDE = 1_024  # pixels of the longer side of a PDF's page; no encoder looks at more
_ORIENTATION = 0x0112
# AVIF has the same container and other brands; Pillow reads it by itself
_HEIF = re.compile(rb".{4}ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1)", re.DOTALL)
_BRANDS = 64  # bytes in which the brands of a file stand
# LibRaw's turns as Pillow's
_TURNS = {3: Image.Transpose.ROTATE_180, 5: Image.Transpose.ROTATE_90, 6: Image.Transpose.ROTATE_270}


def is_heif(head: bytes) -> bool:
    """True if a file is HEIF and not AVIF, by its first 64 bytes."""
    return _HEIF.match(head) is not None and b"avif" not in head[:_BRANDS]


def register_heif(name: str) -> None:
    """Registers HEIF with Pillow, using one thread. Raises MissingPackageError for `name` if neither pi-heif nor pillow-heif is installed."""
    try:
        import pillow_heif as heif
    except ImportError:
        heif = needed("pi_heif", "pi-heif", "photos", name)
    heif.options.DECODE_THREADS = 1
    heif.register_heif_opener(thumbnails=False)


def raw_preview(path: Path) -> Image.Image:
    """The largest preview in a raw file, upright; JPEG previews are not decoded yet. Raises RefusedImageError if there is none, and any error of
    LibRaw or Pillow for damaged content.
    """
    import rawpy

    with check_readable(path).open("rb") as file, rawpy.imread(file) as raw:
        try:
            preview, flip = raw.extract_thumb(), raw.sizes.flip
        except (rawpy.LibRawNoThumbnailError, rawpy.LibRawUnsupportedThumbnailError) as error:
            raise RefusedImageError(path.name, "has no readable preview; export it as JPEG.") from error
    if preview.format == rawpy.ThumbFormat.JPEG:
        image: Image.Image = Image.open(io.BytesIO(preview.data), formats=("JPEG",))
        upright = image.getexif().get(_ORIENTATION) is not None
    else:
        image, upright = Image.fromarray(preview.data), False
    return image if upright or flip not in _TURNS else image.transpose(_TURNS[flip])


def count_pages(path: Path) -> int:
    """Number of pages of a PDF file; raises any PDFium error for damaged or encrypted content."""
    from pypdfium2 import PdfDocument

    with check_readable(path).open("rb") as file, closing(PdfDocument(file)) as document:
        return len(document)


def pdf_page(path: Path, number: int) -> Image.Image:
    """Page `number` (from 1) on white, RGB, with a longer side of 1,024 pixels; no scripts are run. Raises RefusedImageError if there is no such
    page, and any PDFium error for damaged or encrypted content.
    """
    from pypdfium2 import PdfDocument

    with check_readable(path).open("rb") as file, closing(PdfDocument(file)) as document:
        if not 1 <= number <= len(document):
            raise RefusedImageError(path.name, f"has no page {number}; it has {len(document)}.")
        with closing(document[number - 1]) as page:
            image: Image.Image = page.render(scale=_LONG_SIDE / max(page.get_size())).to_pil()
            return image.convert("RGB")


@dataclass(frozen=True)
class FileFormat:
    """Raw files, PDF files or videos.

    Attributes:
        suffixes: of names, in lower case.
        load: imports the library; raises MissingPackageError for the file name it is given.
        open: (path, part as in the row's path, maximum pixels) -> image.
        first: the first part.
        count: number of parts of a file; None if the format has no parts.
    """

    suffixes: frozenset[str]
    load: Callable[[str], Any]
    open: Callable[[Path, int, int], "Image.Image"]
    first: int = 0
    count: Callable[[Path], int] | None = None


FILE_FORMATS = (
    FileFormat(RAW_SUFFIXES, lambda name: needed("rawpy", "rawpy", "photos", name), lambda path, part, most: raw_preview(path)),
    FileFormat(
        PDF_SUFFIXES,
        lambda name: needed("pypdfium2", "pypdfium2", "photos", name),
        lambda path, part, most: pdf_page(path, part),
        1,
        count_pages,
    ),
    FileFormat(VIDEO_SUFFIXES, video_frames.load_opencv, video_frames.video_frame, 0, video_frames.count_seconds),
)


def format_of(path: Path) -> FileFormat | None:
    """The format of a file by its name; None for images that Pillow opens and for unknown files."""
    return next((each for each in FILE_FORMATS if path.suffix.lower() in each.suffixes), None)
