"""A folder of images as a table; its subfolders' names as classes."""

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from likeness.data.format import Format, ReadOptions
from likeness.data.readers.folder_columns import folder_columns, is_shown, kept_by_a_program
from likeness.data.readers.photo_columns import photo_columns, with_parts
from likeness.data.table import Failure, ImageTable
from likeness.errors import InputError
from likeness.io import PART_SUFFIXES, RAW_SUFFIXES, allows, as_path, name_to_text

SUFFIXES = frozenset(
    [
        *(".avif", ".bmp", ".gif", ".heic", ".heif", ".hif", ".jfif", ".jpe", ".jpeg", ".jpg", ".jp2", ".pbm", ".pgm", ".png", ".ppm", ".tga"),
        *(".tif", ".tiff", ".webp"),
    ]
)
_FURTHER = RAW_SUFFIXES | PART_SUFFIXES
READ_SUFFIXES = (*SUFFIXES, *_FURTHER)
COLUMNAR_SUFFIXES = (".parquet", ".arrow", ".feather")
TABLE_SUFFIXES = (".csv", ".tsv", *COLUMNAR_SUFFIXES)
_NAMED = 3  # folders that a sentence names


def read_folder(path: str | Path, name: str | None = None, gps: bool = False) -> ImageTable:
    """All images of a folder and its subfolders, in natural order (2 before 10).

    Subfolders that distinguish images become the attributes "class", "split" and "folder 1" ... (`folder_columns`), "(none)" for images outside of
    them. Skipped are hidden files and folders, files without an image suffix, and folders that programs keep beside photos (thumbnails, deleted
    files), which `notes` counts. A subfolder that cannot be listed is in `failed`, as row -1.

    Raw files are read through their embedded preview. A video has a row per second, "clip.mp4#t=12", and a PDF a row per page, "paper.pdf#page=3",
    with the attributes "file" and "second" or "page"; if they cannot be counted there is one row, and embedding reports why. A .mov beside a photo of
    the same name is its live part and skipped.

    EXIF data become the attributes "taken" ("2024-05-03 14:22:10"), "year" and "camera".

    Args:
        path: the folder.
        name: display name; by default the folder's.
        gps: also read positions, as "latitude" and "longitude" in degrees.

    Raises:
        InputError: the folder is missing, is a file, cannot be listed or holds no image.
    """
    folder = as_path(path).absolute()
    if not folder.exists():
        raise InputError(f"There is no folder '{path}'; check the spelling, and that it is on the machine that runs Likeness.")
    if not folder.is_dir():
        raise InputError(f"'{path}' is a file, not a folder; pass the folder of the images, or a CSV or Parquet file that lists them.")
    found = _Found()
    paths = sorted(_images(folder, found), key=natural_key)
    if not paths:
        raise InputError(
            f"The folder '{path}' holds no images ({', '.join(sorted(SUFFIXES))}), nor do its subfolders{found.reasons()}; choose another folder."
        )
    paths, parts = with_parts(folder, paths)
    frame = pd.DataFrame({"path": paths})
    folders = folder_columns([image.rpartition("/")[0] for image in paths])
    for column, values in (folders | parts | photo_columns(folder, paths, gps)).items():
        frame[column] = values
    return ImageTable(name or name_to_text(folder.name or str(folder)), folder, frame, tuple(found.failed), notes=found.notes())


def _read(path: Path, options: ReadOptions) -> ImageTable:
    """All images of a folder and its subfolders, whose names become classes."""
    return read_folder(path, options.name, options.gps)


FORMAT = Format("folder", "a folder of images", "`photos/`", Path.is_dir, _read)


def natural_key(path: str) -> list[list[tuple[int, int, str]]]:
    """Sorts folder by folder, digits by their number: "2.png" before "10.png"."""
    return [
        [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", step) if part] for step in path.lower().split("/")
    ]


def is_image_name(name: str) -> bool:
    """True for the name of an image that is not hidden."""
    return _is_of(name, SUFFIXES)


def is_shown_image(steps: Sequence[str]) -> bool:
    """True if a path in an archive or URL is an image that is neither hidden nor kept by a program."""
    return is_image_name(steps[-1]) and is_shown(steps[:-1])


def has_image_suffix(name: str) -> bool:
    """True if a text ends with an image suffix."""
    return os.path.splitext(name)[1].lower() in SUFFIXES


@dataclass
class _Found:
    """What a walk through a folder skips: unreadable subfolders, counts of folders kept by programs, and files that may list the images."""

    failed: list[Failure] = field(default_factory=list)
    kept_by_programs: Counter[str] = field(default_factory=Counter)
    tables: list[str] = field(default_factory=list)

    def notes(self) -> tuple[str, ...]:
        """Notes about skipped folders and about tables, if any."""
        return (*self._kept_note(), *self._tables_note())

    def _tables_note(self) -> tuple[str, ...]:
        if not self.tables:
            return ()
        named = ", ".join(f"'{name}'" for name in self.tables[:_NAMED]) + (", ..." if len(self.tables) > _NAMED else "")
        held = f"the table {named}, which is" if len(self.tables) == 1 else f"{len(self.tables):,} tables ({named}), which are"
        which = "that file" if len(self.tables) == 1 else "one of them"
        return (f"The folder holds {held} not read; pass {which} instead of the folder to get its columns.",)

    def _kept_note(self) -> tuple[str, ...]:
        count = self.kept_by_programs.total()
        if not count:
            return ()
        named = ", ".join(f"'{name}'" if number == 1 else f"'{name}' ({number:,})" for name, number in self.kept_by_programs.most_common(_NAMED))
        more = ", ..." if len(self.kept_by_programs) > _NAMED else ""
        which = "folder that a program keeps" if count == 1 else "folders that programs keep"
        return (f"{count:,} {which} beside photos (thumbnails, deleted files) {'was' if count == 1 else 'were'} skipped: {named}{more}.",)

    def reasons(self) -> str:
        """Possible reasons for finding no image, as part of a sentence."""
        left_out = [f"'{failure.path}' {failure.reason}" for failure in self.failed[:_NAMED]]
        if self.kept_by_programs:
            left_out.append(f"{', '.join(map(repr, sorted(self.kept_by_programs)[:_NAMED]))} of programs are left out")
        return f" ({'; '.join(left_out)})" if left_out else ""


def _images(folder: Path, found: _Found) -> Iterator[str]:
    """Image paths relative to the folder, as text with forward slashes; linked folders are followed, each once."""
    visited: set[str] = set()
    for place, folders, files in os.walk(folder, followlinks=True, onerror=lambda error: _report(error, folder, found)):
        real = os.path.realpath(place)
        # by real path: a link to a parent folder would be followed forever
        if real in visited or not allows(Path(real)):
            folders.clear()
            continue
        visited.add(real)
        of_programs = {name for name in folders if kept_by_a_program(name, Path(place).parts)}
        found.kept_by_programs.update(name_to_text(name) for name in of_programs)
        # in place: `os.walk` descends only into what is left in this list
        folders[:] = [name for name in folders if not name.startswith(".") and name not in of_programs]
        relative = Path(place).relative_to(folder)
        found.tables += [name_to_text((relative / file).as_posix()) for file in files if _is_of(file, TABLE_SUFFIXES)]
        yield from (name_to_text((relative / file).as_posix()) for file in _taken(files))


def _taken(names: Iterable[str]) -> list[str]:
    """Names of files with images: image files, raw files, videos and PDF files."""
    found = [name for name in names if is_image_name(name) or _is_of(name, _FURTHER)]
    moving = {_stem(name) for name in found if _is_of(name, (".mov",))}
    photos = {stem for name in found if is_image_name(name) and (stem := _stem(name)) in moving} if moving else set()
    return [name for name in found if not (_is_of(name, (".mov",)) and _stem(name) in photos)] if photos else found


def _stem(name: str) -> str:
    return os.path.splitext(name)[0].lower()


def _is_of(name: str, suffixes: Collection[str]) -> bool:
    return not name.startswith(".") and os.path.splitext(name)[1].lower() in suffixes


def _report(error: OSError, folder: Path, found: _Found) -> None:
    """Raises an error for the given folder; records one for a subfolder."""
    if isinstance(error, FileNotFoundError):  # it was moved away meanwhile
        return
    reason, place = (error.strerror or "unknown reason").lower(), Path(os.fsdecode(error.filename))
    if place == folder:
        raise InputError(f"The folder '{error.filename}' cannot be listed ({reason}); check its permissions.") from error
    below = name_to_text(place.relative_to(folder).as_posix())
    found.failed.append(Failure(-1, below, f"The folder cannot be listed ({reason}); check its permissions, or move it away."))
