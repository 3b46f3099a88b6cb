"""Read time, camera and GPS position of photos from EXIF data (CIPA DC-008), without decoding pixels.

The data are located here, because Pillow would decode a whole PNG to find them; Pillow then parses them.
"""

import math
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PIL import Image
from PIL.ExifTags import GPS, IFD, Base

from likeness.io.confinement import check_readable
from likeness.io.file_formats import is_heif
from likeness.io.foreign_images import heif_exif
from likeness.io.text import plain_name

_HEAD, _MOST = 1 << 14, 1 << 16  # bytes of a file in which they begin, and end
_GROUP, _THREADS = 100, 8  # of files; disks behind a network answer several at once
_TIFF = (b"II*\0", b"MM\0*")  # their form; also that of raw files
_MARKS = (b"Exif\0\0", b"eXIf")  # before them in JPEG and HEIC; and in PNG


@dataclass(frozen=True)
class PhotoData:
    """EXIF data of a photo: camera time ("2024-05-03 14:22:10"), make and model, and position in degrees, north and east positive. "" and NaN if
    missing or not requested.
    """

    taken: str = ""
    camera: str = ""
    latitude: float = math.nan
    longitude: float = math.nan


def photo_data(paths: Sequence[Path], gps: bool = False) -> list[PhotoData]:
    """EXIF data of photos: JPEG, HEIC, PNG, TIFF, and TIFF-like raw files; positions only with `gps`. Empty for unreadable files."""
    groups = [paths[begin : begin + _GROUP] for begin in range(0, len(paths), _GROUP)]
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="likeness-exif") as threads:
        blocks = [block for group in threads.map(lambda group: [_block(path) for path in group], groups) for block in group]
    unknown = [row for row, block in enumerate(blocks) if block is None]
    for row, block in zip(unknown, heif_exif([paths[row] for row in unknown]), strict=True):
        blocks[row] = _marked(block) or block
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow's, of odd data
        return [parse_exif(block or b"", gps) for block in blocks]


def parse_exif(tiff: bytes, gps: bool = False) -> PhotoData:
    """Parses EXIF bytes, which begin with "II" or "MM"; empty if damaged."""
    if not tiff.startswith(_TIFF):
        return PhotoData()
    exif = Image.Exif()
    try:
        exif.load(tiff)
        more, place = exif.get_ifd(IFD.Exif), exif.get_ifd(IFD.GPSInfo) if gps else {}
        taken = _text(more.get(Base.DateTimeOriginal)) or _text(more.get(Base.DateTimeDigitized))
        latitude = _degrees(place.get(GPS.GPSLatitude), place.get(GPS.GPSLatitudeRef) == "S", 90)
        longitude = _degrees(place.get(GPS.GPSLongitude), place.get(GPS.GPSLongitudeRef) == "W", 180)
        make, model = _text(exif.get(Base.Make)), _text(exif.get(Base.Model))
        camera = model if model.lower().startswith(make.lower()) else f"{make} {model}".strip()
        return PhotoData(_time(taken), camera, latitude, longitude)
    except Exception:  # Pillow's parsers raise anything on damaged data
        return PhotoData()


def _block(path: Path) -> bytes | None:
    """EXIF bytes from the start of a file, with unknown end; None for a HEIC file that stores them elsewhere."""
    try:
        with check_readable(path).open("rb") as file:
            head = file.read(_HEAD)
            if head.startswith(_TIFF) or is_heif(head) or _marked(head):
                head += file.read(_MOST - len(head))
    except OSError:
        return b""
    if head.startswith(_TIFF):
        return head
    return _marked(head) or (None if is_heif(head) else b"")


def _marked(content: bytes) -> bytes:
    """TIFF data after a marker; empty if there is none."""
    for mark in _MARKS:  # a search for one after the other takes a tenth of the time of one for both
        place = content.find(mark)
        if place >= 0 and content.startswith(_TIFF, place + len(mark)):
            return content[place + len(mark) :]
    return b""


def _text(value: object) -> str:
    return plain_name(value.partition("\0")[0].strip()) if isinstance(value, str) else ""


def _degrees(value: object, is_negative: bool, most: int) -> float:
    """Degrees, minutes and seconds as a number; NaN if invalid."""
    if not isinstance(value, tuple) or len(value) != 3:
        return math.nan
    found = sum(float(number) / 60**step for step, number in enumerate(value))
    return math.nan if not 0 <= found <= most else -found if is_negative else found


def _time(text: str) -> str:
    """Time in ISO 8601; cameras whose clock was never set write zeros."""
    try:
        return datetime.fromisoformat(text[:10].replace(":", "-") + text[10:]).isoformat(" ")
    except ValueError:
        return ""
