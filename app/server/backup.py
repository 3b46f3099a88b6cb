"""Backup of a shared server as one file: visitor data, datasets, the key of accounts, log, notions, splits, views and runs."""

import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from likeness.errors import InputError
from likeness.io import cache_dir, runs_dir
from likeness.tagging import TagStore
from server.visitors import EXPORTS, SPLITS, TAGS, visitors_dir

_KEPT = ("visitors", "notions", SPLITS, "views", TAGS, "datasets.json", "accounts.key", "audit.jsonl", "audit.jsonl.1")
_CACHE, _RUNS = "cache", "runs"


def back_up(file: Path) -> int:
    """Writes the backup, whole or not at all; the server may keep running. Returns the number of files. Raises InputError: the file exists already,
    or cannot be written."""
    if file.exists():
        raise InputError(f"'{file}' already exists; choose another name.")
    partial = file.with_name(f".{file.name}.partial")
    try:
        number = 0
        with tarfile.open(partial, "w:gz" if file.suffix == ".gz" else "w") as archive:
            for folder in (_CACHE, _RUNS):  # tar expects both folders, even if one is empty
                top = tarfile.TarInfo(folder)
                top.type, top.mode = tarfile.DIRTYPE, 0o700
                archive.addfile(top)
            names = {path: f"{_CACHE}/{path.relative_to(cache_dir()).as_posix()}" for part in _KEPT for path in kept_files(cache_dir() / part)}
            names |= {path: f"{_RUNS}/{path.relative_to(runs_dir()).as_posix()}" for path in kept_files(runs_dir())}
            for path, name in names.items():
                try:
                    with whole(path) as copy:
                        archive.add(copy, name, recursive=False)
                    number += 1
                except FileNotFoundError:  # removed meanwhile
                    continue
        with partial.open("rb+") as written:
            os.fsync(written.fileno())
        partial.replace(file)
    except OSError as error:
        raise InputError(f"'{file}' cannot be written ({error.strerror or error}); free some space or choose another place.") from error
    finally:
        partial.unlink(missing_ok=True)
    return number


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """The file to copy; of labels, which people may be editing, a snapshot that lasts for the block."""
    if path.parent.name != TAGS or path.suffix != ".sqlite":
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        if not path.exists():
            raise FileNotFoundError(path)
        TagStore(path).copy_to(copy)
        yield copy


def kept_files(place: Path) -> Iterator[Path]:
    """Files of a path that belong in a backup: no links, no temporary files."""
    for path in [place] if place.is_file() else sorted(place.rglob("*")):
        is_export = path.is_relative_to(visitors_dir()) and path.relative_to(visitors_dir()).parts[1:2] == (EXPORTS,)
        is_passing = path.name.endswith((".partial", ".lock")) or (path.parent.name == TAGS and path.name.endswith(("-wal", "-shm")))
        if path.is_file() and not (path.is_symlink() or is_export or is_passing):
            yield path
