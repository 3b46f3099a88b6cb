"""A copy of a shared server in one file: visitors, datasets, accounts' key, log, notions, splits, views, runs; what is computed again is left out.
tar puts it in place (docs/serving.md)."""

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
    """Writes the copy, whole or not at all; the server may go on, as each of its files is written whole. Returns the number of files.
    Raises InputError: the file is there already, or cannot be written."""
    if file.exists():
        raise InputError(f"'{file}' is there already; name another file.")
    partial = file.with_name(f".{file.name}.partial")
    try:
        number = 0
        with tarfile.open(partial, "w:gz" if file.suffix == ".gz" else "w") as archive:
            for folder in (_CACHE, _RUNS):  # tar is asked for both, also where one has no files
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
        raise InputError(f"'{file}' cannot be written ({error.strerror or error}); make room, or name another place.") from error
    finally:
        partial.unlink(missing_ok=True)
    return number


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A file as it is at one moment: of labels, to which people may be writing, a copy that lasts for the block; else itself."""
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
    """A file, or the files of a folder, that belong in a copy: no links, and nothing that is only there while others are written, or until it is
    downloaded."""
    for path in [place] if place.is_file() else sorted(place.rglob("*")):
        is_export = path.is_relative_to(visitors_dir()) and path.relative_to(visitors_dir()).parts[1:2] == (EXPORTS,)
        is_passing = path.name.endswith((".partial", ".lock")) or (path.parent.name == TAGS and path.name.endswith(("-wal", "-shm")))
        if path.is_file() and not (path.is_symlink() or is_export or is_passing):
            yield path
