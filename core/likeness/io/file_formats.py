"""Formats that are known by the file's name and opened by its path, in the process that decodes foreign images."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.io import pdf_pages, raw_previews, video_frames
from likeness.io.file_parts import PDF_SUFFIXES, VIDEO_SUFFIXES
from likeness.io.raw_previews import RAW_SUFFIXES

if TYPE_CHECKING:
    from PIL import Image


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
    FileFormat(RAW_SUFFIXES, raw_previews.load_rawpy, lambda path, part, most: raw_previews.raw_preview(path)),
    FileFormat(PDF_SUFFIXES, pdf_pages.load_pdfium, lambda path, part, most: pdf_pages.pdf_page(path, part), 1, pdf_pages.count_pages),
    FileFormat(VIDEO_SUFFIXES, video_frames.load_opencv, video_frames.video_frame, 0, video_frames.count_seconds),
)


def format_of(path: Path) -> FileFormat | None:
    """The format of a file by its name; None for images that Pillow opens, and all others."""
    return next((each for each in FILE_FORMATS if path.suffix.lower() in each.suffixes), None)
