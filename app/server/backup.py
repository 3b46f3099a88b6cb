"""A copy of a shared server in one file: visitors, datasets, accounts' key, log, notions, splits, views, runs; what is computed again is left out."""

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from likeness.errors import InputError
from likeness.io import cache_dir, make_folder, runs_dir
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


def restore(file: Path) -> int:
    """Puts a copy in place, whole or not at all. Returns the number of files.
    Raises InputError: no such copy, one that is damaged or holds other things, or a place where something is already."""
    for place in (cache_dir() / name for name in _KEPT):
        if place.exists():
            raise InputError(f"'{place}' is there already; restore into an empty folder (LIKENESS_CACHE), so that nothing is mixed.")
    if runs_dir().is_dir() and any(runs_dir().iterdir()):
        raise InputError(f"The folder of runs '{runs_dir()}' is not empty; restore into an empty one (LIKENESS_RUNS).")
    make_folder(cache_dir())
    staging = Path(tempfile.mkdtemp(prefix=".restoring-", dir=cache_dir()))
    try:
        with tarfile.open(file) as archive:
            members = archive.getmembers()
            for member in members:
                _check(member, file)
            archive.extractall(staging, members, filter="data")
        for name in _KEPT:
            if (staging / _CACHE / name).exists():
                (staging / _CACHE / name).rename(cache_dir() / name)
        if (staging / _RUNS).is_dir():
            make_folder(runs_dir())
            for run in (staging / _RUNS).iterdir():
                shutil.move(run, runs_dir() / run.name)
    except InputError:
        raise
    except (OSError, EOFError, tarfile.TarError, ValueError) as error:
        raise InputError(f"'{file}' cannot be restored ({error}); give a file that `likeness admin backup` wrote.") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return sum(member.isfile() for member in members)


def _check(member: tarfile.TarInfo, file: Path) -> None:
    parts = PurePosixPath(member.name).parts
    whole = member.isfile() and ".." not in parts and len(parts) > 1 and not member.name.startswith("/")
    if not whole or not (parts[0] == _RUNS or (parts[0] == _CACHE and parts[1] in _KEPT)):
        raise InputError(f"'{file}' holds '{member.name[:80]}', which is no part of a backup; give a file that `likeness admin backup` wrote.")
