"""A folder of images as a table; its subfolders' names as classes."""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import pandas as pd

from likeness.data.readers.photo_columns import NO_CLASS, photo_columns, with_parts
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import PART_SUFFIXES, RAW_SUFFIXES, allows, as_path, name_to_text

SUFFIXES = frozenset(
    [
        *(".avif", ".bmp", ".gif", ".heic", ".heif", ".hif", ".jfif", ".jpe", ".jpeg", ".jpg", ".jp2", ".pbm", ".pgm", ".png", ".ppm", ".tga"),
        *(".tif", ".tiff", ".webp"),
    ]
)
_FURTHER = RAW_SUFFIXES | PART_SUFFIXES


def read_folder(path: str | Path, name: str | None = None, gps: bool = False) -> ImageTable:
    """All images of a folder and its subfolders, in natural order (2 before 10).

    Where images lie in subfolders, the attribute "class" holds the name of each image's own folder (the ImageFolder layout), and "(none)" for images
    that lie beside those folders. Hidden files and folders, and files that are no images by their suffix, are left out.

    Of a camera's raw file, the preview in it is the image. A video has a row for each second, "clip.mp4#t=12", and a PDF one for each page,
    "paper.pdf#page=3", with the attributes "file" and "second" or "page"; where they cannot be counted it is one row, and embedding tells why. A .mov
    beside a photo of the same name is the moving part of that photo, and left out.

    Where EXIF data tell them, the attributes "taken" (as "2024-05-03 14:22:10"), "year" and "camera" are there.

    Args:
        path: the folder.
        name: shown to people; by default the folder's.
        gps: also reads where photos were taken, as "latitude" and "longitude" in degrees.

    Raises:
        InputError: if the folder is missing, is a file, cannot be listed or holds no image.
    """
    folder = as_path(path).absolute()
    if not folder.exists():
        raise InputError(f"There is no folder '{path}'; check the spelling, and that it lies on the machine that runs Likeness.")
    if not folder.is_dir():
        raise InputError(f"'{path}' is a file, not a folder; give the folder that holds the images, or a CSV or Parquet file that lists them.")
    paths = sorted(_images(folder), key=natural_key)
    if not paths:
        raise InputError(f"The folder '{path}' holds no images ({', '.join(sorted(SUFFIXES))}), nor do its subfolders; choose another folder.")
    paths, parts = with_parts(folder, paths)
    frame = pd.DataFrame({"path": paths})
    classes = [steps[-2] if len(steps := image.split("/")) > 1 else NO_CLASS for image in paths]
    if set(classes) != {NO_CLASS}:
        frame["class"] = classes
    for column, values in (parts | photo_columns(folder, paths, gps)).items():
        frame[column] = values
    return ImageTable(name or name_to_text(folder.name or str(folder)), folder, frame)


def natural_key(path: str) -> list[list[tuple[int, int, str]]]:
    """Sorts folder by folder, digits by their number: "2.png" before "10.png"."""
    return [
        [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", step) if part] for step in path.lower().split("/")
    ]


def is_image_name(name: str) -> bool:
    """Whether a file's name is that of an image that is not hidden."""
    return _is_of(name, SUFFIXES)


def has_image_suffix(name: str) -> bool:
    """Whether a text ends as the names of images do."""
    return os.path.splitext(name)[1].lower() in SUFFIXES


def _images(folder: Path) -> Iterator[str]:
    """Paths of images relative to the folder, with forward slashes, as text; linked folders are followed, each once."""
    visited: set[str] = set()
    for place, folders, files in os.walk(folder, followlinks=True, onerror=_refuse):
        real = os.path.realpath(place)
        if real in visited or not allows(Path(real)):
            folders.clear()
            continue
        visited.add(real)
        folders[:] = [entry for entry in folders if not entry.startswith(".") and entry != "__MACOSX"]
        relative = Path(place).relative_to(folder)
        yield from (name_to_text((relative / file).as_posix()) for file in _taken(files))


def _taken(names: Iterable[str]) -> list[str]:
    """Names of what has images: pictures, raw files, videos and PDF files."""
    found = [name for name in names if is_image_name(name) or _is_of(name, _FURTHER)]
    moving = {_stem(name) for name in found if _is_of(name, (".mov",))}
    photos = {stem for name in found if is_image_name(name) and (stem := _stem(name)) in moving} if moving else set()
    return [name for name in found if not (_is_of(name, (".mov",)) and _stem(name) in photos)] if photos else found


def _stem(name: str) -> str:
    return os.path.splitext(name)[0].lower()


def _is_of(name: str, suffixes: Collection[str]) -> bool:
    return not name.startswith(".") and os.path.splitext(name)[1].lower() in suffixes


def _refuse(error: OSError) -> None:
    if isinstance(error, FileNotFoundError):  # it was moved away meanwhile
        return
    reason = (error.strerror or "unknown reason").lower()
    raise InputError(f"The folder '{error.filename}' cannot be listed ({reason}); allow reading it or move it away.") from error
