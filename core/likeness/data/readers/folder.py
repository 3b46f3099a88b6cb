"""A folder of images as a table; its subfolders' names as classes."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import allows, as_path, name_to_text

SUFFIXES = frozenset(
    [".avif", ".bmp", ".gif", ".jfif", ".jpe", ".jpeg", ".jpg", ".jp2", ".pbm", ".pgm", ".png", ".ppm", ".tga", ".tif", ".tiff", ".webp"]
)
NO_CLASS = "(none)"


def read_folder(path: str | Path, name: str | None = None) -> ImageTable:
    """All images of a folder and its subfolders, in natural order (2 before 10).

    Where images lie in subfolders, the attribute "class" holds the name of each image's own folder (the ImageFolder layout), and "(none)" for images
    that lie beside those folders. Hidden files and folders, and files that are no images by their suffix, are left out.

    Args:
        path: the folder.
        name: shown to people; by default the folder's.

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
    frame = pd.DataFrame({"path": paths})
    classes = [parts[-2] if len(parts := image.split("/")) > 1 else NO_CLASS for image in paths]
    if set(classes) != {NO_CLASS}:
        frame["class"] = classes
    return ImageTable(name or name_to_text(folder.name or str(folder)), folder, frame)


def natural_key(path: str) -> list[list[tuple[int, int, str]]]:
    """Sorts folder by folder, digits by their number: "2.png" before "10.png"."""
    return [
        [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", step) if part] for step in path.lower().split("/")
    ]


def is_image_name(name: str) -> bool:
    """Whether a file's name is that of an image that is not hidden."""
    return not name.startswith(".") and os.path.splitext(name)[1].lower() in SUFFIXES


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
        yield from (name_to_text((relative / file).as_posix()) for file in files if is_image_name(file))


def _refuse(error: OSError) -> None:
    reason = (error.strerror or "unknown reason").lower()
    raise InputError(f"The folder '{error.filename}' cannot be listed ({reason}); allow reading it or move it away.") from error
