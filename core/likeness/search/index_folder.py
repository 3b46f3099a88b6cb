"""Replace the folder of an index atomically: a killed process leaves the previous index."""

import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from likeness.errors import InputError

# What an index consists of.
_PARTS = ("about.json", "vectors.npy", "rows.npy", "starts.npy", "centers.npy")
_LEFTOVER_SECONDS = 3600.0


@contextmanager
def replaced_folder(target: Path) -> Iterator[Path]:
    """A new folder to write to, which replaces `target` when the block succeeds; on any error `target` is unchanged.

    Raises InputError if `target` contains other files, which would be deleted.
    """
    files = [file.name for file in target.iterdir()] if target.is_dir() else []
    foreign = [name for name in files if name not in _PARTS]
    if foreign:
        raise InputError(f"'{target}' contains other files, such as '{foreign[0]}', but an index needs its own folder; choose a new one.")
    partial = target.with_name(f".{target.name}-{secrets.token_hex(4)}.partial")
    try:
        partial.mkdir(parents=True)
        yield partial
        _take_place(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def whole_folder(target: Path) -> Path:
    """The folder of the index: `target`, or the previous one if a process was killed between the two renames that replace it."""
    return _before(target) if not target.exists() and _before(target).is_dir() else target


def _take_place(partial: Path, target: Path) -> None:
    before = _before(target)
    if target.exists():
        shutil.rmtree(before, ignore_errors=True)
        target.replace(before)
    partial.replace(target)
    shutil.rmtree(before, ignore_errors=True)
    for left in target.parent.glob(f".{target.name}-*.partial"):
        if time.time() - left.stat().st_mtime > _LEFTOVER_SECONDS:
            shutil.rmtree(left, ignore_errors=True)


def _before(target: Path) -> Path:
    return target.with_name(f".{target.name}.before")
