"""Read a ZIP file of images: it is unpacked once into the cache."""

import hashlib
import json
import os
import zipfile
from dataclasses import astuple, replace
from pathlib import Path

from likeness.data.table import Failure, ImageTable
from likeness.data.upload_archive import UploadLimits
from likeness.data.uploads import read_upload, save_uploads
from likeness.errors import InputError
from likeness.io import cache_dir, name_to_text, parse_json, regular_file, text_of, write_atomic

ARCHIVE_SUFFIXES = (".zip",)
OTHER_ARCHIVES = (".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")
_LIMITS = UploadLimits()


def archives_dir() -> Path:
    """Folder of unpacked archives."""
    return cache_dir() / "archives"


def read_archive(path: Path, path_column: str | None = None, name: str | None = None) -> ImageTable:
    """The table of an archive's images, as in `save_uploads`, by default named as the file; unpacked on first use or after a change. Raises
    InputError as `save_uploads`, or if the archive exceeds the limits.
    """
    name, index = name or name_to_text(path.stem), archives_dir() / f"{_state(path, path_column)}.json"
    known = _unpacked_before(index, name)
    if known is not None:
        return known
    _check_size(path)
    table = save_uploads([(path.name, regular_file(path).read_bytes())], name, archives_dir(), _LIMITS, path_column)
    write_atomic(index, json.dumps({"folder": table.root.name, "failed": [astuple(each) for each in table.failed]}).encode())
    return table


def _state(path: Path, path_column: str | None) -> str:
    """State of the file: path, size and modification time."""
    stat = path.stat()
    text = "\0".join((os.path.realpath(path), str(stat.st_size), str(stat.st_mtime_ns), path_column or ""))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def _unpacked_before(index: Path, name: str) -> ImageTable | None:
    try:
        facts = parse_json(text_of(index), index.name)
        failed = tuple(Failure(int(row), str(path), str(reason)) for row, path, reason in facts["failed"])
        return replace(read_upload(archives_dir() / Path(facts["folder"]).name, name), failed=failed)
    except (InputError, KeyError, TypeError, ValueError):  # never, removed or damaged
        return None


def _check_size(path: Path) -> None:
    """Checks only the size; `save_uploads` reports all other problems."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = [member for member in archive.infolist() if not member.is_dir()]
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return
    size = max(sum(member.file_size for member in files), path.stat().st_size)
    if len(files) > _LIMITS.images or size > _LIMITS.unpacked_mb * 1_000_000:
        raise InputError(
            f"'{path.name}' holds {len(files):,} files of {size / 1e6:,.0f} MB, more than the limits ({_LIMITS.images:,} files, "
            f"{_LIMITS.unpacked_mb:,} MB); unpack it yourself and pass the folder."
        )
