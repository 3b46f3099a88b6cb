"""Paths of parts of files, as fragments of URLs: what follows "#".

A second of a video is "clip.mp4#t=12", a page of a PDF "paper.pdf#page=3" (seconds start at 0, pages at 1; Media Fragments URI 1.0, and RFC 8118), a
file in an archive "photos.zip#entry=cats/a.jpg", a cell of a Parquet or Arrow file "train.parquet#column=image&row=12". A region of any image comes
last: "a.jpg#xywh=10,20,30,40" or "clip.mp4#t=12&xywh=percent:10,20,30,40", in the upright image. Beyond the standard, numbers may have decimals and
be negative, since boxes of datasets do.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

VIDEO_SUFFIXES = frozenset([".3gp", ".avi", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts", ".webm"])
PDF_SUFFIXES = frozenset([".pdf"])
MOST_PARTS = 20_000  # of one file that are read
PART_SUFFIXES = VIDEO_SUFFIXES | PDF_SUFFIXES
_VIDEOS = "|".join(sorted(suffix[1:] for suffix in VIDEO_SUFFIXES))
_NUMBER = r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?"
_PART = re.compile(
    rf".+(?:\.(?:{_VIDEOS})#t=(?P<second>[0-9]{{1,9}})|\.pdf#page=(?P<page>[0-9]{{1,9}})|\.(?:zip|tar|tar\.gz|tgz)#entry=(?P<entry>[^#&]+)"
    rf"|\.(?:parquet|arrow|feather)#column=(?P<column>[^#&]+)&row=(?P<row>[0-9]{{1,12}})|(?P<whole>(?=#xywh=)))"
    rf"(?:(?(whole)#|&)xywh=(?:pixel:|(?P<percent>percent:))?(?P<box>{_NUMBER}(?:,{_NUMBER}){{3}}))?",
    re.IGNORECASE | re.DOTALL,
)
# "." and "/" after "/": paths would lose them
_ENCODED = re.compile(r"[#&%\\\x00-\x1f\x7f\ud800-\udfff]|(?<=/)[./]")


class RegionError(ValueError):
    """A region that has nothing of its image."""


class Part(NamedTuple):
    """The part of a file that is an image.

    Attributes:
        number: second of a video from 0, or page of a PDF from 1; None: the whole file.
        entry: path of a file in an archive.
        column, row: a cell of a table; rows from 0.
        box: left, top, width and height of a region of the upright image, which it may exceed: in pixels, or with `percent` in percent.
    """

    number: int | None = None
    entry: str = ""
    column: str = ""
    row: int = 0
    box: tuple[float, float, float, float] | None = None
    percent: bool = False

    def clipped(self, width: float, height: float, reduced: int = 1) -> tuple[float, float, float, float]:
        """Left, top, width and height in pixels of what of the region lies in an upright image of this size, which was reduced by a factor; of the
        whole image without `box`. Raises RegionError if nothing does.

        Example:
            >>> Part(box=(-10, 5, 30, 10)).clipped(100, 50), Part(box=(50, 0, 50, 100), percent=True).clipped(100, 50)
            ((0.0, 5.0, 20.0, 10.0), (50.0, 0.0, 50.0, 50.0))
        """
        if self.box is None:
            return 0, 0, width, height
        across, down = (width / 100, height / 100) if self.percent else (1 / reduced, 1 / reduced)
        x, y, w, h = (number * unit for number, unit in zip(self.box, (across, down) * 2, strict=True))
        left, top = max(0.0, x), max(0.0, y)
        right, bottom = min(width, x + w), min(height, y + h)
        if not (left < right and top < bottom):
            raise RegionError(f"its region {','.join(map(_plain, self.box))} is empty or outside of the image of {width:,} x {height:,} pixels")
        return left, top, w if (left, right) == (x, x + w) else right - left, h if (top, bottom) == (y, y + h) else bottom - top

    def edges(self, width: int, height: int, reduced: int = 1) -> tuple[int, int, int, int]:
        """Left, top, right and bottom of the pixels of `clipped`, at least one each way."""
        x, y, w, h = self.clipped(width, height, reduced)
        left, top = min(round(x), width - 1), min(round(y), height - 1)
        return left, top, max(round(x + w), left + 1), max(round(y + h), top + 1)


def split_part(path: str) -> tuple[str, Part | None]:
    """Splits a row's path into a file and a part of it; None for a whole file.

    Example:
        >>> split_part("a#t=1.jpg"), split_part("trips/clip.mp4#t=12")[1].number, split_part("a.zip#entry=b.jpg&xywh=1,2,30,40")[1].box
        (('a#t=1.jpg', None), 12, (1.0, 2.0, 30.0, 40.0))
    """
    return _split(path) if "#" in path else (path, None)


@lru_cache(4_096)  # one image is asked for several times in a row
def _split(path: str) -> tuple[str, Part | None]:
    found = _PART.fullmatch(path)
    if found is None or (found["whole"] is not None and found["box"] is None):
        return path, None
    number = found["second"] or found["page"]
    entry, column = (unquote(found[name] or "", errors="surrogateescape") for name in ("entry", "column"))
    x, y, w, h = map(float, found["box"].split(",")) if found["box"] else [0.0] * 4
    box = (x, y, w, h) if found["box"] else None
    return path[: path.rindex("#")], Part(int(number) if number else None, entry, column, int(found["row"] or 0), box, found["percent"] is not None)


def file_of(path: Path) -> Path:
    """The file that contains the image of a row."""
    file, part = split_part(str(path))
    return path if part is None else Path(file)


def part_path(path: str, part: Part) -> str:
    """The path of a part of a file, or of a region of what is a part already.

    Example:
        >>> part_path("paper.pdf", Part(number=1)), part_path("a.zip#entry=b.jpg", Part(box=(1, 2, 30, 40)))
        ('paper.pdf#page=1', 'a.zip#entry=b.jpg&xywh=1,2,30,40')
    """
    file, whole = split_part(path)
    if whole is not None:
        part = whole._replace(box=part.box, percent=part.percent)
    fields = []
    if part.number is not None:
        fields.append(f"{'page' if is_pdf_name(file) else 't'}={part.number}")
    elif part.entry:
        fields.append(f"entry={_encoded(part.entry)}")
    elif part.column:
        fields.append(f"column={_encoded(part.column)}&row={part.row}")
    if part.box is not None:
        fields.append(f"xywh={'percent:' * part.percent}{','.join(map(_plain, part.box))}")
    return f"{file}#{'&'.join(fields)}" if fields else file


def spoken_name(path: str) -> str:
    """The name of a row's image for people.

    Example:
        >>> spoken_name("trips/a.jpg#xywh=10,20,30,40"), spoken_name("photos.zip#entry=cats/b.jpg"), spoken_name("a.mp4#t=3&xywh=percent:0,0,50,9.5")
        ('a.jpg, 30 × 40 pixels at 10, 20', 'b.jpg in photos.zip', 'a.mp4, second 3, 50 × 9.5 % at 0, 0')
    """
    file, part = split_part(path)
    name, part = file.rpartition("/")[2], part or Part()
    if part.number is not None:
        name += f", {'page' if is_pdf_name(file) else 'second'} {part.number}"
    elif part.entry:
        name = f"{part.entry.rpartition('/')[2]} in {name}"
    elif part.column:
        name += f", row {part.row + 1}"
    if part.box is not None:
        x, y, w, h = (_plain(round(number, 1)) for number in part.box)
        name += f", {w} × {h} {'%' if part.percent else 'pixels'} at {x}, {y}"
    return name


def is_pdf_name(name: str) -> bool:
    """True if the parts of a file of this name are pages, not seconds."""
    return name.lower().endswith(".pdf")


def _encoded(text: str) -> str:
    return _ENCODED.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogateescape")), text)


def _plain(number: float) -> str:
    """A number without exponent."""
    return f"{number:.9f}".rstrip("0").rstrip(".")
