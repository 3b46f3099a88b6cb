"""Read images from an uploaded ZIP file without trusting its headers."""

import io
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from likeness.data.readers.folder import TABLE_SUFFIXES, is_shown_image
from likeness.data.readers.folder_columns import is_shown
from likeness.errors import InputError
from likeness.io import MAX_PIXELS, MAX_UPLOAD_BYTES, plain_name

_CENTRAL = b"PK\x01\x02"
_MOST_TABLES, _MOST_TABLE_BYTES = 10, 20 * 1024**2
_OTHERS = 4  # entries that are no images, for each image that is allowed
_RATIO, _FROM_BYTES = 200, 64 * 1024**2  # bytes out for a byte in; photos hardly shrink, and a few large flat drawings stay below


@dataclass(frozen=True)
class UploadLimits:
    """Limits of an upload: number of images, including those in ZIP files; total megabytes; pixels per image; and gigabytes of all uploads together,
    None for no limit.
    """

    images: int = 20_000
    unpacked_mb: int = 512
    pixels: int = MAX_PIXELS
    total_gb: float | None = None


@dataclass(frozen=True)
class ArchiveTable:
    """A CSV, TSV or Parquet file in an archive; its content is None if it is beside the folders of images, or too large."""

    path: str
    content: bytes | None


def zipped_images(name: str, content: bytes, limits: UploadLimits, tables: list[ArchiveTable] | None = None) -> Iterator[tuple[str, bytes]]:
    """Yields paths and contents of the images in a ZIP file; nested archives, hidden and other files are skipped. An image that cannot be unpacked
    has empty content, which every check rejects. At most `MAX_UPLOAD_BYTES` per image and `limits.unpacked_mb` in total are unpacked, whatever the
    archive declares. Its tables are appended to `tables` before the first image is yielded.

    Raises:
        InputError: a damaged or encrypted archive, none or too many images in it, links, entries that share their bytes, or a bomb.
    """
    shown = plain_name(name)
    # counted before `zipfile` builds an object for every entry
    if content.count(_CENTRAL) > (1 + _OTHERS) * limits.images:
        raise InputError(f"The ZIP file '{shown}' has more entries than {limits.images:,} images need; pack only the images.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir() and is_shown_entry(member.filename)]
            _check_declared(shown, members, len(content), limits)
            if tables is not None:
                images = [plain_steps(member.filename) for member in members]
                tables += archive_tables(archive.namelist(), lambda entry: _unpacked(archive, entry, _MOST_TABLE_BYTES), images)
            for member in members:
                yield member.filename, _unpacked(archive, member)
    except (InputError, GeneratorExit):
        raise
    except Exception as error:  # each way of packing has a reader of its own, with errors of its own
        reason = plain_name(" ".join(str(error).split())) or type(error).__name__
        raise InputError(f"The ZIP file '{shown}' is damaged, encrypted or packed in an unknown way ({reason}); pack it again.") from error


def plain_steps(name: str) -> tuple[str, ...]:
    """The steps of a path in an archive, however it is written: "./a\\\\b.png" is a and b.png."""
    return tuple(step for step in name.replace("\\", "/").split("/") if step not in ("", "."))


def is_shown_entry(name: str) -> bool:
    """True if a path in an archive is an image that is neither hidden nor kept by a program."""
    return is_shown_image([step for step in plain_steps(name) if step != ".."] or [""])


def archive_tables(names: Iterable[str], read: Callable[[str], bytes], images: Sequence[tuple[str, ...]]) -> list[ArchiveTable]:
    """The tables among the files of an archive, with content if their folder holds all images."""
    named = [(name, plain_steps(name)) for name in names if name.lower().endswith(TABLE_SUFFIXES)]
    found = []
    for name, steps in [(name, steps) for name, steps in named if is_shown(steps)][:_MOST_TABLES]:
        holds_all = all(image[: len(steps) - 1] == steps[:-1] for image in images)
        content = read(name) if holds_all else b""
        found.append(ArchiveTable("/".join(steps), content if 0 < len(content) <= _MOST_TABLE_BYTES else None))
    return found


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo | str, most: int = MAX_UPLOAD_BYTES) -> bytes:
    """The content, at most one byte over the limit, whatever size the archive declares; empty if only this entry is damaged."""
    try:
        with archive.open(member) as file:
            # one byte more shows the caller that the limit is exceeded
            return file.read(most + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError):
        return b""


def _check_declared(name: str, members: list[zipfile.ZipInfo], size: int, limits: UploadLimits) -> None:
    if not members:
        raise InputError(f"The ZIP file '{name}' holds no images; choose another.")
    if len(members) > limits.images:
        raise InputError(f"The ZIP file '{name}' holds {len(members):,} images, more than {limits.images:,}; upload a part of them.")
    if any(stat.S_ISLNK(member.external_attr >> 16) for member in members):
        raise InputError(f"The ZIP file '{name}' holds links instead of images; pack the images themselves.")
    total = sum(member.file_size for member in members)
    if total > limits.unpacked_mb * 1_000_000:
        raise InputError(f"The ZIP file '{name}' unpacks to {total / 1e6:,.0f} MB, more than {limits.unpacked_mb:,} MB; upload a part of the images.")
    if total > max(_FROM_BYTES, _RATIO * size):
        raise InputError(
            f"The ZIP file '{name}' unpacks to {total / max(size, 1):,.0f} times its size, which is implausible for images; pack them again."
        )
    # entries that share compressed bytes can make a huge one of a small file
    for before, after in pairwise(sorted(members, key=lambda member: member.header_offset)):
        # 30: the fixed part of a local file header
        if before.header_offset + 30 + before.compress_size > after.header_offset:
            raise InputError(f"The ZIP file '{name}' has entries that overlap; pack it again.")
