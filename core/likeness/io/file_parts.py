"""Paths of parts of files: a second of a video, "clip.mp4#t=12", or a page of a PDF, "paper.pdf#page=3".

Seconds start at 0, pages at 1, as in URLs (Media Fragments URI 1.0, and RFC 8118 for PDF).
"""

import re
from pathlib import Path

VIDEO_SUFFIXES = frozenset([".3gp", ".avi", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts", ".webm"])
PDF_SUFFIXES = frozenset([".pdf"])
MOST_PARTS = 20_000  # of one file that are read
PART_SUFFIXES = VIDEO_SUFFIXES | PDF_SUFFIXES
_VIDEOS = "|".join(sorted(suffix[1:] for suffix in VIDEO_SUFFIXES))
_PART = re.compile(rf"(?P<file>.*\.(?:(?:{_VIDEOS})#t|pdf#page))=(?P<number>[0-9]{{1,9}})", re.IGNORECASE | re.DOTALL)


def split_part(path: str) -> tuple[str, int | None]:
    """Splits a row's path into file and second or page; None for a whole file.

    Example:
        >>> split_part("trips/clip.mp4#t=12"), split_part("paper.pdf#page=3"), split_part("a#t=1.jpg")
        (('trips/clip.mp4', 12), ('paper.pdf', 3), ('a#t=1.jpg', None))
    """
    found = _PART.fullmatch(path) if "#" in path else None
    return (path, None) if found is None else (found["file"].rpartition("#")[0], int(found["number"]))


def file_of(path: Path) -> Path:
    """The file that contains the image of a row."""
    file, part = split_part(str(path))
    return path if part is None else Path(file)


def part_path(file: str, number: int) -> str:
    """The path of a row: part `number`, counted from 0, of a video or PDF.

    Example:
        >>> part_path("clip.mp4", 0), part_path("paper.pdf", 0)
        ('clip.mp4#t=0', 'paper.pdf#page=1')
    """
    return f"{file}#page={number + 1}" if is_pdf_name(file) else f"{file}#t={number}"


def is_pdf_name(name: str) -> bool:
    """True if the parts of a file of this name are pages, not seconds."""
    return name.lower().endswith(".pdf")
