"""Store uploaded files as a folder of images in the user's cache."""

import hashlib
import json
import os
import re
import secrets
import shutil
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pandas as pd

from likeness.data.readers.folder import read_folder
from likeness.data.readers.tabular import read_table
from likeness.data.table import Failure, ImageTable
from likeness.data.upload_archive import ArchiveTable, UploadLimits, zipped_images
from likeness.data.upload_table import listed_images
from likeness.errors import InputError
from likeness.io import MAX_UPLOAD_BYTES, cache_dir, check_images, csv_bytes, parse_json, text_of

_NAME_LENGTH = 60  # characters; file systems allow 255 bytes
_DEPTH = 4
_ALIASES = {".jpg": (".jpg", ".jpeg", ".jpe", ".jfif"), ".tif": (".tif", ".tiff"), ".heic": (".heic", ".heif", ".hif")}
# Windows opens devices under these names, whatever the suffix.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_ZIP = b"PK\x03\x04"
_USUAL = UploadLimits()
# beside the images: the table that came with them, and what is to be said about the upload
_TABLE, _FACTS = ".likeness.csv", ".likeness.json"
_accounting = threading.Lock()  # held while room is counted and taken, never while anything is decoded


def save_uploads(
    files: Iterable[tuple[str, bytes]],
    name: str = "Uploaded images",
    folder: Path | None = None,
    limits: UploadLimits = _USUAL,
) -> ImageTable:
    """Saves images, including those in ZIP files, in a folder named by a digest of their content, and returns its table.

    File types are determined by content, not by name: an image is decoded in a separate process and stored with the suffix of its format. Unreadable
    ones are skipped and listed in the table's `failed`, by their position in the upload. The same files give the same folder, by default in the
    user's cache, which is created atomically. Folders inside a ZIP are kept and become classes; if a CSV file above or beside all of them lists the
    images, it becomes the table, and `notes` says so. Names that leave the folder are shortened; later
    files of the same name are numbered.

    Raises:
        InputError: a damaged ZIP, too many or too large files, no readable image, or no space left for uploads.
    """
    place = folder or cache_dir() / "uploads"
    staging = place / f".{secrets.token_hex(8)}.partial"
    try:
        _check_room(place, limits)
        tables: list[ArchiveTable] = []
        unpacked = _limited(_unpacked(files, limits, tables), limits)
        digest, failed = _stage(check_images(unpacked, limits.pixels, MAX_UPLOAD_BYTES), staging, tables)
        slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40] or "images"
        target = place / f"{slug}-{digest}"
        with _accounting:
            if not target.is_dir():
                _check_room(place, limits)
                staging.rename(target)
    except InputError:
        raise
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(f"The upload cannot be saved ({reason}); free space, or upload fewer images.") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return replace(read_upload(target, name), failed=tuple(failed))


def is_upload(folder: Path) -> bool:
    """True if the folder was made by `save_uploads` with facts beyond its images."""
    return (folder / _FACTS).is_file()


def read_upload(folder: Path, name: str | None = None) -> ImageTable:
    """The table of a folder that `save_uploads` made, with the columns of the table that came with the images."""
    table = read_table(folder / _TABLE, name=name or folder.name) if (folder / _TABLE).is_file() else read_folder(folder, name)
    if not is_upload(folder):
        return table
    try:
        notes = map(str, parse_json(text_of(folder / _FACTS), _FACTS)["notes"])
        return replace(table, notes=(*notes, *table.notes))
    except (InputError, KeyError, TypeError, ValueError):
        return table


def _stage(images: Iterable[tuple[str, bytes, str | InputError]], staging: Path, tables: list[ArchiveTable]) -> tuple[str, list[Failure]]:
    """Writes images one by one, and the attributes of an archive's table. Returns an order-independent digest and the skipped images."""
    written: dict[str, bytes] = {}
    places: dict[str, str] = {}
    taken: set[str] = set()
    failed: list[Failure] = []
    for row, (path, content, suffix) in enumerate(images):
        if isinstance(suffix, InputError):
            failed.append(Failure(row, path, str(suffix)))
            continue
        own = _free(_inside(path, suffix), taken)
        taken.add(own.lower())
        (staging / own).parent.mkdir(parents=True, exist_ok=True)
        (staging / own).write_bytes(content)
        written[own] = hashlib.sha256(content).digest()
        places.setdefault(path, own)
    if not written:
        raise InputError(failed[0].reason if failed else "There are no images among the uploaded files; choose image files or a ZIP of images.")
    digest = hashlib.sha256()
    # sorted: the same files in another order give the same folder
    for path, own_digest in sorted(written.items()):
        digest.update(path.encode("utf-8", "surrogateescape") + b"\0" + own_digest)
    digest.update(_write_facts(staging, *listed_images(tables, places, staging / _TABLE)))
    return digest.hexdigest()[:16], failed


def _write_facts(staging: Path, rows: pd.DataFrame | None, notes: tuple[str, ...]) -> bytes:
    """Writes facts beyond the images, if any, and returns them."""
    if not notes:
        return b""
    facts = json.dumps({"notes": notes}).encode()
    (staging / _FACTS).write_bytes(facts)
    table = b"" if rows is None else csv_bytes(rows)
    if table:
        (staging / _TABLE).write_bytes(table)
    return table + facts


def _unpacked(files: Iterable[tuple[str, bytes]], limits: UploadLimits, tables: list[ArchiveTable]) -> Iterator[tuple[str, bytes]]:
    """Names and contents of candidate images, including the entries of ZIP files."""
    for name, content in files:
        if content.startswith(_ZIP) or name.lower().endswith(".zip"):
            yield from zipped_images(name, content, limits, tables)
        else:
            yield re.split(r"[/\\]", name)[-1], content


def _limited(images: Iterable[tuple[str, bytes]], limits: UploadLimits) -> Iterator[tuple[str, bytes]]:
    total = 0
    for count, (name, content) in enumerate(images, 1):
        total += len(content)
        if count > limits.images or total > limits.unpacked_mb * 1_000_000:
            raise InputError(f"The upload has more than {limits.images:,} images or {limits.unpacked_mb:,} MB; upload a part of them at a time.")
        yield name, content


def _check_room(place: Path, limits: UploadLimits) -> None:
    """Raises InputError if the limit of all uploads together is exceeded."""
    if limits.total_gb is None:
        return
    used = sum(os.path.getsize(os.path.join(where, file)) for where, _, files in os.walk(place) for file in files)
    if used > limits.total_gb * 1e9:
        raise InputError(
            f"Uploads may take {limits.total_gb:g} GB together, which is used up; delete some, or ask the administrator of this server for "
            "more space."
        )


def _free(path: str, taken: set[str]) -> str:
    """A free name: a second "a.png" becomes "a (2).png". Case is ignored, as on some file systems."""
    own, number = PurePosixPath(path), 1
    while str(own).lower() in taken:
        number += 1
        own = PurePosixPath(path).with_stem(f"{PurePosixPath(path).stem} ({number})")
    return str(own)


def _inside(name: str, suffix: str) -> str:
    """A relative path for any file system, with the right suffix and without root, drive, parent folders, special characters, long names or deep
    levels.
    """
    # the innermost folders are kept, because classes are usually named there
    parts = [part for part in re.sub(r"^[A-Za-z]:", "", name.replace("\\", "/")).split("/") if part not in ("", ".", "..")][-_DEPTH:]
    *folders, file = parts or ["image"]
    stem, own = os.path.splitext(file)
    kept = own.lower() if own.lower() in _ALIASES.get(suffix, (suffix,)) else suffix
    return "/".join([*(_plain(part) for part in folders), _plain(stem if own else file) + (own if kept == own.lower() else kept)])


def _plain(part: str) -> str:
    """A path component without characters that are invisible or special to a shell, a browser or Windows."""
    plain = "".join(sign if sign.isprintable() and sign not in '<>:"|?*&`' else "_" for sign in part)[-_NAME_LENGTH:].lstrip(".").rstrip(". ")
    return f"_{plain}" if not plain or _RESERVED.fullmatch(plain) else plain
